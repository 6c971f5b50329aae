// @ts-check
/**
 * The host: the child process in which environments live. It reads calls from its standard input, runs each in the
 * isolate of its environment, and writes one answer a call. It holds no secret and decides nothing: limits come from
 * the parent, and whoever is to blame is the parent's question.
 */
import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { candidateNames, Isolates } from "./environments.js";
import { LineReader, LineWriter } from "./lines.js";

/**
 * @typedef {import("./environments.js").Isolate} Isolate
 * @typedef {import("./environments.js").Limits & { stepTimeoutMs: number, loadTimeoutMs: number, alone: boolean }} Settings
 * @typedef {object} Call
 * @property {number} id
 * @property {number} owner The environment.
 * @property {string} name
 * @property {(string | number | boolean)[]} given
 * @property {number} limitMs
 * @property {number} startedAt
 * @property {number} cpuAt CPU time of the isolates' threads at the start, milliseconds.
 * @property {number} ticks Looks taken at it while it ran.
 * @property {number} company Calls that ran at those looks, summed up.
 * @property {boolean} slow Runs so long that it no longer takes one of the lanes.
 * @property {number} written Text it has handed over.
 * @property {boolean} ended Stopped for its use of the CPU.
 */

/** @type {Settings} */
const settings = JSON.parse(String(process.argv[2]));
const tickMs = 25;
/** A call that used this share of its limit in CPU time is guilty; with less it was starved. */
const provenShare = 0.9;
/** How many times its limit a starved call goes on before it is tried alone. */
const busyFactor = 8;
/** How long after its limit a run that did not end by itself is ended by the disposal of its isolate. */
const overdueMs = 200;
const lanesAtOnce = 2;
/**
 * Alone, a call may take so many times its limit, and use this many times its limit of CPU time: a busy machine shares
 * its cores and caches, so the same work costs more of both.
 */
const aloneFactor = 10;
const aloneCpuFactor = 2;
/** A call under this many milliseconds is quick. */
const quickMs = 5;
/** How long a brisk call may hold up the host's own thread, and so everyone else. */
const briskMs = Math.ceil(Math.min(100, settings.stepTimeoutMs / 2));
/** Text of a whole run at most. */
const runCharacters = settings.textBytes * 256;

// Written straight to the pipe: streams cost more than a step does where there is no JIT.
const output = new LineWriter((text) => {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
});

const die = () => process.kill(process.pid, "SIGKILL");

const isolates = new Isolates(settings, (owner, message) => {
  output.push(JSON.stringify([0, "catastrophe", owner, String(message).slice(0, 200)]));
  output.flush();
  die();
});

/** @type {Map<number, Isolate>} */
const living = new Map();
/** @type {Call[]} */
const waiting = [];
/** @type {Set<Call>} */
const running = new Set();
let lanesTaken = 0;
/** @type {NodeJS.Timeout | null} */
let ticking = null;
let ticks = 0;

/** CPU time of the threads that isolates run on: what this thread does itself is nobody's doing. */
const cpuMs = () => {
  const all = process.cpuUsage();
  const own = process.threadCpuUsage();
  return (all.user + all.system - own.user - own.system) / 1_000;
};

/**
 * Whether a call is to be ended by the disposal of its isolate. One that got less CPU time than its limit may go on for
 * a while: the machine is busy. Runs are ended by the library's timer, since their isolate still has to tell what came
 * before; but that timer covers neither the microtasks left over nor the reading of what they threw.
 * @param {Call} call
 * @param {number} ms
 * @param {number} cpu
 */
function isOver(call, ms, cpu) {
  if (settings.alone) return cpu - call.cpuAt >= call.limitMs * aloneCpuFactor;
  if (isRun(call)) return ms > call.limitMs + overdueMs;
  return (
    ms >= call.limitMs && (ms >= call.limitMs * busyFactor || usedMs(call) >= call.limitMs * provenShare)
  );
}

/** @param {Call} call */
const isRun = (call) => call.name === "run" || call.name === "runs" || call.name === "more";

/** Calls that run long free their lane, so that a loop in one environment holds up no other. */
function tick() {
  const now = performance.now();
  const cpu = cpuMs();
  /** @type {[number, number, number][]} */
  const busy = [];
  for (const call of running) {
    const ms = now - call.startedAt;
    call.ticks += 1;
    call.company += running.size;
    if (ms < tickMs) continue;
    if (!call.slow) {
      call.slow = true;
      lanesTaken -= 1;
    }
    if (!call.ended && isOver(call, ms, cpu)) {
      call.ended = true;
      living.get(call.owner)?.isolate.dispose();
    }
    if (ms > 100) busy.push([call.id, Math.round(ms), Math.round(usedMs(call))]);
  }
  ticks += 1;
  if (busy.length > 0 && ticks % 4 === 0) output.push(JSON.stringify([0, "busy", busy]));
  startWaiting();
  if (running.size === 0 && ticking !== null) {
    clearInterval(ticking);
    ticking = null;
  }
}

function startWaiting() {
  while (lanesTaken < lanesAtOnce) {
    const call = waiting.shift();
    if (call === undefined) return;
    const home = living.get(call.owner);
    if (home === undefined) dead(call, "closed", "It is not open.");
    else start(call, home);
  }
}

/**
 * Runs a step or reset of an environment that has been quick so far on this very thread, which costs a fifth of
 * handing it to another. One that turns out not to be is stopped early, and the parent plays it again the patient way.
 * @param {Call} call
 * @param {Isolate} home
 */
function runBriskly(call, home) {
  try {
    answerWith(call, home.call.applySync(undefined, [call.name, ...call.given], briskly));
  } catch (error) {
    failBriskly(call, error);
  }
}

const briskly = { timeout: briskMs };

/**
 * @param {Call} call
 * @param {unknown} error
 */
function failBriskly(call, error) {
  if (error instanceof Error && error.message === "Script execution timed out.") dead(call, "slow", "");
  else failWith(call, error);
}

/** @param {Call} call */
function queue(call) {
  const home = living.get(call.owner);
  if (home === undefined) dead(call, "closed", "It is not open.");
  else if (home.untilBrisk <= 0 && (call.name === "step" || call.name === "reset")) runBriskly(call, home);
  else if (lanesTaken < lanesAtOnce) start(call, home);
  else waiting.push(call);
}

/**
 * @param {Call} call
 * @param {Isolate} home
 */
function start(call, home) {
  lanesTaken += 1;
  running.add(call);
  call.startedAt = performance.now();
  call.cpuAt = cpuMs();
  ticking ??= setInterval(tick, tickMs);
  // Alone on its host, an environment is judged by the CPU time it uses, whatever else the machine does.
  const timeout = settings.alone || !isRun(call) ? call.limitMs * aloneFactor : call.limitMs;
  home.call.apply(undefined, [call.name, ...call.given], { timeout }).then(
    (text) => finish(call, home, text),
    (/** @type {unknown} */ error) => fail(call, home, error),
  );
}

/** @param {Call} call */
function stop(call) {
  running.delete(call);
  if (!call.slow) lanesTaken -= 1;
}

const verdicts = new Map([
  ["t", "environment-threw"],
  ["b", "bad-shape"],
  ["l", "too-large"],
  ["n", "load-failed"],
  ["m", "out-of-memory"],
]);

/**
 * @param {Call} call
 * @param {Isolate} home
 * @param {string} text The driver's answer.
 */
function finish(call, home, text) {
  stop(call);
  if (call.name !== "load" && performance.now() - call.startedAt < quickMs) home.untilBrisk -= 1;
  if (typeof text === "string" && text[0] === "C") {
    answer(call, "part", text.slice(1));
    const written = call.written + text.length;
    if (written > runCharacters) {
      const detail = `A run gave more than ${runCharacters} characters.`;
      output.push(JSON.stringify([call.id, "failed", "too-large", detail]));
    } else queue({ ...call, name: "more", given: [], slow: false, written, ticks: 0, company: 0 });
  } else answerWith(call, text);
  startWaiting();
}

/**
 * @param {Call} call
 * @param {string} text The driver's last answer to this call.
 */
function answerWith(call, text) {
  const mark = typeof text === "string" ? text[0] : undefined;
  if (mark === "D") answer(call, "done", text.slice(1));
  else if (mark === "F") {
    const verdict = verdicts.get(String(text[1])) ?? "bad-shape";
    if (verdict === "out-of-memory") dead(call, verdict, text.slice(2));
    else output.push(JSON.stringify([call.id, "failed", verdict, text.slice(2)]));
  } else output.push(JSON.stringify([call.id, "failed", "bad-shape", "The environment broke its driver."]));
}

/**
 * @param {Call} call
 * @param {"done" | "part"} kind
 * @param {string} json From the isolate: it must not be able to end the line it stands in.
 */
function answer(call, kind, json) {
  if (json.includes("\n")) {
    output.push(JSON.stringify([call.id, "failed", "bad-shape", "The environment broke its driver."]));
  } else {
    output.push(`[${call.id},"${kind}",${json}]`);
  }
}

/**
 * @param {Call} call
 * @param {Isolate} home
 * @param {unknown} error
 */
async function fail(call, home, error) {
  const timedOut = error instanceof Error && error.message === "Script execution timed out.";
  const used = usedMs(call);
  if (isRun(call) && !home.isolate.isDisposed) {
    // What the run wrote before is still in the driver.
    const text = await home.call.apply(undefined, ["partial"], { timeout: 100 }).catch(() => "");
    if (typeof text === "string" && text[0] === "C") answer(call, "part", text.slice(1));
  }
  if (timedOut || call.ended) {
    const starved = !settings.alone && used < call.limitMs * provenShare;
    dead(call, starved ? "starved" : "timed-out", tookTooLong(call));
  } else failWith(call, error);
  stop(call);
  startWaiting();
}

/**
 * @param {Call} call
 * @param {unknown} error What the library threw other than a time-out: it lost the isolate, or nobody handled a promise.
 */
function failWith(call, error) {
  const message = error instanceof Error ? error.message : "";
  if (message.includes("memory limit") || message.includes("disposed")) {
    dead(call, "out-of-memory", `It used more than ${settings.memoryMb} MB.`);
    return;
  }
  const detail = `A promise was rejected and nobody handled it: ${message.slice(0, settings.errorCharacters)}`;
  output.push(JSON.stringify([call.id, "failed", "environment-threw", detail]));
}

/**
 * CPU time that a call used, milliseconds: its share of what all that ran used meanwhile, since the library's own
 * count is one of wall time.
 * @param {Call} call
 */
function usedMs(call) {
  return (cpuMs() - call.cpuAt) / Math.max(1, call.company / Math.max(1, call.ticks));
}

/** @param {Call} call */
const tookTooLong = (call) =>
  `It took more than ${call.name === "load" ? settings.loadTimeoutMs : settings.stepTimeoutMs} ms.`;

/**
 * Ends an environment: what overran a limit is never used again.
 * @param {Call} call
 * @param {string} verdict
 * @param {string} detail
 */
function dead(call, verdict, detail) {
  output.push(JSON.stringify([call.id, "dead", verdict, detail]));
  dispose(call.owner);
}

/** @param {number} owner */
function dispose(owner) {
  const home = living.get(owner);
  living.delete(owner);
  if (home !== undefined && !home.isolate.isDisposed) home.isolate.dispose();
}

/**
 * @param {number} id
 * @param {number} owner
 * @param {string} name
 * @param {(string | number | boolean)[]} given
 * @param {number} limitMs
 * @returns {Call}
 */
const callOf = (id, owner, name, given, limitMs) => ({
  id,
  owner,
  name,
  given,
  limitMs,
  startedAt: 0,
  cpuAt: 0,
  ticks: 0,
  company: 0,
  slow: false,
  written: 0,
  ended: false,
});

/**
 * The same as `queue` for the call that comes most often, in as little code as it takes.
 * @param {number} id
 * @param {number} owner
 * @param {string} action
 */
function step(id, owner, action) {
  const home = living.get(owner);
  if (home === undefined || home.untilBrisk > 0) {
    queue(callOf(id, owner, "step", [action], settings.stepTimeoutMs));
    return;
  }
  try {
    const text = home.call.applySync(undefined, ["step", action], briskly);
    if (text.startsWith("D") && !text.includes("\n")) output.push(`[${id},"done",${text.slice(1)}]`);
    else answerWith(callOf(id, owner, "step", [action], settings.stepTimeoutMs), text);
  } catch (error) {
    failBriskly(callOf(id, owner, "step", [action], settings.stepTimeoutMs), error);
  }
}

/** @param {string} line */
function receive(line) {
  // Read by index: taking a list apart goes through its iterator, which costs more than the rest.
  const frame = JSON.parse(line);
  const name = frame[0];
  const owner = frame[1];
  const id = frame[2];
  const first = frame[3];
  if (name === "step") step(id, owner, first);
  else if (name === "close") dispose(owner);
  else if (name === "open") {
    const call = callOf(id, owner, "load", [first, candidateNames(first)], settings.loadTimeoutMs);
    isolates.take().then(
      (home) => {
        home.owner = owner;
        home.untilBrisk = frame[4];
        living.set(owner, home);
        queue(call);
      },
      (/** @type {unknown} */ error) =>
        dead(call, "sandbox-failed", `No isolate could be made: ${String(error)}`),
    );
  } else if (name === "run") {
    const limitMs = settings.stepTimeoutMs + settings.sliceMs;
    queue(callOf(id, owner, "run", [first, JSON.stringify(frame[4]), frame[5], frame[6]], limitMs));
  } else if (name === "runs") {
    const limitMs = settings.stepTimeoutMs + settings.sliceMs;
    queue(callOf(id, owner, "runs", [JSON.stringify(first)], limitMs));
  } else queue(callOf(id, owner, name, name === "reset" ? [first] : [], settings.stepTimeoutMs));
}

const input = new LineReader(Number.POSITIVE_INFINITY, receive, die);
const decoder = new StringDecoder("utf8");
const socket = new Socket({
  fd: 0,
  readable: true,
  writable: false,
  onread: {
    buffer: Buffer.alloc(65_536),
    callback(size, buffer) {
      input.push(decoder.write(Buffer.from(buffer.buffer, buffer.byteOffset, size)));
      return true;
    },
  },
});
socket.on("end", die).on("error", die);
socket.resume();
output.push(JSON.stringify([0, "ready"]));
isolates.warmUp();
