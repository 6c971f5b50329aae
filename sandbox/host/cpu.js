// @ts-check
/**
 * CPU time: how much of it calls used, and what share of a CPU one gets at the moment. A busy machine must not make
 * anyone guilty, and the library's own count is one of wall time.
 */
import { availableParallelism } from "node:os";
import { busyCpuFactor, busyFactor, quietShare, tickMs } from "./settings.js";

/**
 * @typedef {object} Use What of a call is needed to tell the CPU time it used.
 * @property {number} cpuAt CPU time of the isolates' threads at its start, milliseconds.
 * @property {number} ticks Looks taken at it while it ran.
 * @property {number} company Calls that ran at those looks, summed up.
 * @property {boolean} slow Runs so long that it no longer takes one of the lanes.
 */

const cores = availableParallelism();
const weightOfNewest = 0.2;
let presentShare = 1;
let lookedAt = { now: 0, cpu: 0 };

/** CPU time of the threads that isolates run on, milliseconds: what this thread does itself is nobody's doing. */
export function cpuMs() {
  const all = process.cpuUsage();
  const own = process.threadCpuUsage();
  return (all.user + all.system - own.user - own.system) / 1_000;
}

/**
 * CPU time that a call used, milliseconds: its part of what all that ran used meanwhile.
 * @param {Use} call
 */
export function usedMs(call) {
  return (cpuMs() - call.cpuAt) / Math.max(1, call.company / Math.max(1, call.ticks));
}

/** The share of a CPU that one call gets, lately: 1 on a quiet machine. */
export function share() {
  return presentShare;
}

/** How many times its limit of CPU time a call may use at the moment. */
export function allowance() {
  return presentShare < quietShare ? busyCpuFactor : 1;
}

/**
 * Brings the share up to date; to be called at every tick.
 * @param {number} now
 * @param {ReadonlySet<Use>} running
 */
export function lookAtShare(now, running) {
  const cpu = cpuMs();
  const wall = now - lookedAt.now;
  const slow = [...running].filter((call) => call.slow).length;
  if (slow > 0 && wall < tickMs * 20) {
    const got = (cpu - lookedAt.cpu) / (wall * Math.min(slow, cores));
    const bounded = Math.min(1, Math.max(1 / busyFactor, got));
    presentShare += (bounded - presentShare) * weightOfNewest;
  }
  lookedAt = { now, cpu };
}
