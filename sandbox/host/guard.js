// @ts-check
/**
 * The guard: ends a call that holds up the host's own thread. It is an isolate of ours that looks on from another
 * thread, since the library's timers cost several times a step: each call leaves its mark in shared memory, and where
 * that stays the same for too long, the guard disposes of the isolate that is being called.
 */
import ivm from "isolated-vm";
import { die } from "./replies.js";
import { briskMs, settings, tickMs } from "./settings.js";

/**
 * Shared memory: the environment that is being called (0: none), how many calls there were, orders not yet carried
 * out, whether the guard sleeps until it is woken, and the last call that it met more than twice.
 */
const called = 0;
const calls = 1;
const orders = 2;
const asleep = 3;
const held = 4;
const shared = new Int32Array(new SharedArrayBuffer(20));
/** Looks at nothing going on after which the guard falls asleep. */
const idleLooks = 20;

const program = `(() => {
  const { add, load, store, sub, wait } = Atomics;
  const shared = new Int32Array(buffer);
  const isolates = new Map();
  const register = (owner, isolate, gone) => {
    isolates.set(owner, isolate);
    for (const name of JSON.parse(gone)) isolates.delete(name);
    sub(shared, ${orders}, 1);
  };
  const end = (owner) => {
    try {
      isolates.get(owner)?.dispose();
    } catch {
      // It came to its end by itself meanwhile.
    }
  };
  const sleep = (call) => {
    store(shared, ${asleep}, 1);
    // The host changes these before it looks whether it has to wake anyone.
    if (load(shared, ${calls}) === call && load(shared, ${orders}) === 0) wait(shared, ${asleep}, 1);
    store(shared, ${asleep}, 0);
  };
  const look = () => {
    let lastCall = 0;
    let busy = 0;
    let idle = 0;
    // An order can only be carried out between two looks.
    while (wait(shared, ${orders}, 0, ${tickMs}) === "timed-out") {
      const owner = load(shared, ${called});
      const call = load(shared, ${calls});
      const same = call === lastCall;
      busy = same && owner !== 0 ? busy + 1 : 0;
      idle = same && owner === 0 ? idle + 1 : 0;
      lastCall = call;
      if (busy > 1) store(shared, ${held}, call);
      if (busy * ${tickMs} >= ${briskMs}) end(owner);
      if (idle >= ${idleLooks}) sleep(call);
    }
  };
  return (owner, isolate, gone) => (isolate === undefined ? look() : register(owner, isolate, gone));
})()`;

async function make() {
  const isolate = new ivm.Isolate({ memoryLimit: 16, onCatastrophicError: die });
  const context = await isolate.createContext();
  await context.global.set("buffer", new ivm.ExternalCopy(shared.buffer).copyInto({ release: true }));
  return context.eval(program, { reference: true, filename: "guard.js" });
}

// Alone, nothing runs on the host's own thread.
const guard = settings.alone ? null : make();
/** @type {number[]} */
let gone = [];

/**
 * Tells the guard of an isolate before it is called for the first time.
 * @param {number} owner
 * @param {ivm.Isolate} isolate
 */
export async function watchOver(owner, isolate) {
  if (guard === null) return;
  const order = await guard;
  Atomics.add(shared, orders, 1);
  Atomics.notify(shared, orders);
  wake();
  order.applyIgnored(undefined, [owner, isolate, JSON.stringify(gone)]);
  gone = [];
  // Without the guard a loop would hold up everyone.
  order.apply(undefined, []).catch(die);
}

/** Lets the guard forget an isolate, along with the next it is told of. @param {number} owner */
export function forget(owner) {
  if (guard !== null) gone.push(owner);
}

function wake() {
  if (Atomics.load(shared, asleep) === 0) return;
  Atomics.store(shared, asleep, 0);
  Atomics.notify(shared, asleep);
}

/** To be called right before a call on this very thread. @param {number} owner */
export function enter(owner) {
  Atomics.store(shared, called, owner);
  Atomics.add(shared, calls, 1);
  wake();
}

/** To be called right after it, however it ended; whether the guard met it more than twice. */
export function leave() {
  Atomics.store(shared, called, 0);
  return Atomics.load(shared, held) === Atomics.load(shared, calls);
}
