// @ts-check
/** Settings: the limits that the parent gives a host, and the times by which the host itself goes. */

/**
 * @typedef {object} Settings
 * @property {number} memoryMb Memory of one isolate.
 * @property {number} hostRssMb Memory at which a host is killed.
 * @property {number} textBytes
 * @property {number} errorCharacters
 * @property {number} stepTimeoutMs
 * @property {number} loadTimeoutMs
 * @property {number} sliceMs How long a run goes on before it hands over a part.
 * @property {number} partCharacters Length at which a run hands over a part.
 * @property {number} warmIsolates
 * @property {boolean} alone Whether this host tries one environment at a time and judges it by its CPU time.
 */

/** @type {Settings} */
export const settings = JSON.parse(String(process.argv[2]));

/** How often calls that run are looked at. */
export const tickMs = 25;
/** A call under this many milliseconds is quick. */
export const quickMs = 5;
/** How long a brisk call may hold up the host's own thread, and so everyone else. */
export const briskMs = Math.ceil(Math.min(100, settings.stepTimeoutMs / 2));
/** Quick calls after which an environment that held it up for a while may do so again. */
export const untilBriskAgain = 10;
/** Calls that run on other threads at once; those that take long don't count. */
export const lanesAtOnce = 2;
/** Below this share of a CPU for one call the machine is busy. */
export const quietShare = 0.8;
/**
 * On a busy machine a call may use so many times its limit of CPU time, since cores and caches are shared and the same
 * work costs more, and go on for so many times its limit until it has; then it is tried alone.
 */
export const busyCpuFactor = 2;
export const busyFactor = 8;
/** A call that used this share of what it may is guilty; with less it was starved. */
export const provenShare = 0.9;
/** How long after its limit a run that did not end by itself is ended by the disposal of its isolate. */
export const overdueMs = 200;
/** Alone, a call may take so many times its limit: only its CPU time counts. */
export const aloneFactor = 10;
/** Text of a whole run at most. */
export const runCharacters = settings.textBytes * 256;
