// @ts-check
/**
 * Calls: runs each call in its environment's isolate, within its limits, and replies with how it ended. A call that
 * takes long frees its lane, so that a loop in one environment holds up no other.
 */
import { allowance, cpuMs, lookAtShare, share, usedMs } from "./cpu.js";
import { enter, leave } from "./guard.js";
import { dispose, homeOf } from "./isolates.js";
import { dead, die, failed, flush, hand, tell } from "./replies.js";
import {
  aloneFactor,
  busyCpuFactor,
  busyFactor,
  lanesAtOnce,
  overdueMs,
  provenShare,
  quickMs,
  runCharacters,
  settings,
  tickMs,
  untilBriskAgain,
} from "./settings.js";

/**
 * @typedef {import("./isolates.js").Isolate} Isolate
 * @typedef {import("./cpu.js").Use & Progress} Call
 * @typedef {object} Progress
 * @property {number} id
 * @property {number} owner The environment.
 * @property {string} name
 * @property {(string | number | boolean)[]} given
 * @property {number} limitMs
 * @property {number} startedAt
 * @property {number} timeoutMs When the library ends it.
 * @property {number} written Text it has handed over.
 * @property {boolean} ended Ended by the disposal of its isolate.
 */

/** @type {Call[]} */
const waiting = [];
/** @type {Set<Call>} */
const running = new Set();
let lanesTaken = 0;
/** @type {NodeJS.Timeout | null} */
let ticking = null;
let ticks = 0;
/** What the driver calls a step that comes alone. */
const stepCode = 0;
const timedOut = "Script execution timed out.";

/**
 * @param {number} id
 * @param {number} owner
 * @param {string} name
 * @param {(string | number | boolean)[]} given
 * @param {number} limitMs
 */
export function ask(id, owner, name, given, limitMs) {
  const use = { cpuAt: 0, ticks: 0, company: 0, slow: false };
  const progress = { ...use, startedAt: 0, timeoutMs: 0, written: 0, ended: false };
  queue({ id, owner, name, given, limitMs, ...progress });
}

/** The same for the call that comes most often, in as little code as it takes.
 * @param {number} id
 * @param {number} owner
 * @param {string} action
 */
export function askStep(id, owner, action) {
  const home = homeOf(owner);
  if (home === undefined || home.untilBrisk > 0) ask(id, owner, "step", [action], settings.stepTimeoutMs);
  else runBriskly(id, home, stepCode, action);
}

/** @param {Call} call */
function queue(call) {
  const home = homeOf(call.owner);
  if (home === undefined) dead(call.id, "closed", "It is not open.");
  else if (home.untilBrisk <= 0 && call.name === "reset") {
    runBriskly(call.id, home, "reset", /** @type {number} */ (call.given[0]));
  } else if (lanesTaken < lanesAtOnce) start(call, home);
  else waiting.push(call);
}

/**
 * Runs a step or reset of an environment that has been quick so far on this very thread, which costs a fifth of
 * handing it to another. One that turns out not to be is stopped early, and the parent plays it again the patient way.
 * @param {number} id
 * @param {Isolate} home
 * @param {string | number} name
 * @param {string | number} given
 */
function runBriskly(id, home, name, given) {
  const owner = home.owner;
  enter(owner);
  try {
    finishWith(id, owner, home.call.applySync(undefined, [name, given]));
  } catch (error) {
    // The guard ends what takes too long by disposing of its isolate.
    if (home.isolate.isDisposed && !isOutOfMemory(error)) end(id, owner, "slow", "");
    else failWith(id, owner, error);
  }
  if (!leave()) return;
  // Once is nobody's fault; again and again it would hold up everyone, and the parent would take it for a hang.
  home.untilBrisk = untilBriskAgain;
  flush();
}

/**
 * @param {Call} call
 * @param {Isolate} home
 */
function start(call, home) {
  if (home.isolate.isDisposed) {
    // The guard was a moment late, and its order met an environment whose call had just ended.
    end(call.id, call.owner, "slow", "");
    return;
  }
  lanesTaken += 1;
  running.add(call);
  call.startedAt = performance.now();
  call.cpuAt = cpuMs();
  ticking ??= setInterval(tick, tickMs);
  // All but runs are ended by `tick`, which knows how much CPU time they got; for runs it is foreseen.
  const foreseen = (call.limitMs * allowance()) / share();
  call.timeoutMs = Math.ceil(settings.alone || !isRun(call) ? call.limitMs * aloneFactor : foreseen);
  home.call.apply(undefined, [call.name, ...call.given], { timeout: call.timeoutMs }).then(
    (text) => finish(call, home, text),
    (/** @type {unknown} */ error) => fail(call, home, error),
  );
}

/** @param {Call} call */
function stop(call) {
  running.delete(call);
  if (!call.slow) lanesTaken -= 1;
}

function startWaiting() {
  while (lanesTaken < lanesAtOnce) {
    const call = waiting.shift();
    if (call === undefined) return;
    const home = homeOf(call.owner);
    if (home === undefined) dead(call.id, "closed", "It is not open.");
    else start(call, home);
  }
}

function tick() {
  const now = performance.now();
  lookAtShare(now, running);
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
    if (!call.ended && isOver(call, ms)) {
      call.ended = true;
      homeOf(call.owner)?.isolate.dispose();
    }
    if (ms > 100) busy.push([call.id, Math.round(ms), Math.round(usedMs(call))]);
  }
  ticks += 1;
  // Elsewhere the parent can't look at its memory.
  if (process.platform !== "linux" && process.memoryUsage.rss() > settings.hostRssMb * 1_048_576) {
    tell([0, "catastrophe", 0, "out-of-memory"]);
    die();
  }
  if (busy.length > 0 && ticks % 4 === 0) tell([0, "busy", busy]);
  startWaiting();
  if (running.size === 0 && ticking !== null) {
    clearInterval(ticking);
    ticking = null;
  }
}

/**
 * Whether a call is to be ended by the disposal of its isolate. One that got less CPU time than its limit may go on for
 * a while: the machine is busy. Runs are ended by the library's timer, since their isolate still has to tell what came
 * before; but that timer covers neither the microtasks left over nor the reading of what they threw.
 * @param {Call} call
 * @param {number} ms
 */
function isOver(call, ms) {
  const mostMs = call.limitMs * busyCpuFactor;
  if (settings.alone) return usedMs(call) >= mostMs;
  if (ms < call.limitMs) return false;
  if (isRun(call)) return ms > call.timeoutMs + overdueMs || usedMs(call) >= mostMs * allowance();
  return ms >= call.limitMs * busyFactor || isProven(call, usedMs(call));
}

/**
 * @param {Call} call
 * @param {number} used
 */
function isProven(call, used) {
  return used >= call.limitMs * allowance() * provenShare;
}

/** @param {Call} call */
function isRun(call) {
  return call.name === "run" || call.name === "runs" || call.name === "more";
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
  if (typeof text === "string" && text[0] === "C") goOn(call, text);
  else finishWith(call.id, call.owner, text);
  startWaiting();
}

/**
 * Hands over a part of a run and asks for the next.
 * @param {Call} call
 * @param {string} text
 */
function goOn(call, text) {
  hand(call.id, "part", text.slice(1));
  const written = call.written + text.length;
  if (written > runCharacters) {
    failed(call.id, "too-large", `A run gave more than ${runCharacters} characters.`);
  } else {
    queue({ ...call, name: "more", given: [], slow: false, written, ticks: 0, company: 0 });
  }
}

/**
 * @param {number} id
 * @param {number} owner
 * @param {string} text The driver's last answer to a call.
 */
function finishWith(id, owner, text) {
  const mark = typeof text === "string" ? text[0] : undefined;
  if (mark === "D") hand(id, "done", text.slice(1));
  else if (mark === "F") {
    const verdict = verdicts.get(String(text[1])) ?? "bad-shape";
    if (verdict === "out-of-memory") end(id, owner, verdict, text.slice(2));
    else failed(id, verdict, text.slice(2));
  } else failed(id, "bad-shape", "The environment broke its driver.");
}

/**
 * @param {Call} call
 * @param {Isolate} home
 * @param {unknown} error
 */
async function fail(call, home, error) {
  const used = usedMs(call);
  if (isRun(call) && !home.isolate.isDisposed) {
    // What the run wrote before is still in the driver.
    const text = await home.call.apply(undefined, ["partial"], { timeout: 100 }).catch(() => "");
    if (typeof text === "string" && text[0] === "C") hand(call.id, "part", text.slice(1));
  }
  if (call.ended || (error instanceof Error && error.message === timedOut)) {
    // A run whose isolate is gone could not tell what came before, so it is tried again as well.
    const starved = !settings.alone && (!isProven(call, used) || (call.ended && isRun(call)));
    const { loadTimeoutMs, stepTimeoutMs } = settings;
    const limitMs = call.name === "load" ? loadTimeoutMs : stepTimeoutMs;
    end(call.id, call.owner, starved ? "starved" : "timed-out", `It took more than ${limitMs} ms.`);
  } else failWith(call.id, call.owner, error);
  stop(call);
  startWaiting();
}

/**
 * @param {number} id
 * @param {number} owner
 * @param {unknown} error What the library threw, time-outs aside: it lost the isolate, or nobody handled a promise.
 */
function failWith(id, owner, error) {
  const message = error instanceof Error ? error.message : "";
  if (isOutOfMemory(error) || message.includes("disposed")) {
    end(id, owner, "out-of-memory", `It used more than ${settings.memoryMb} MB.`);
  } else {
    const detail = message.slice(0, settings.errorCharacters);
    failed(id, "environment-threw", `A promise was rejected and nobody handled it: ${detail}`);
  }
}

/** @param {unknown} error */
function isOutOfMemory(error) {
  return error instanceof Error && error.message.includes("memory limit");
}

/**
 * Ends an environment: what overran a limit is never used again.
 * @param {number} id
 * @param {number} owner
 * @param {string} verdict
 * @param {string} detail
 */
function end(id, owner, verdict, detail) {
  dead(id, verdict, detail);
  dispose(owner);
}
