// @ts-check
/**
 * Isolates: sealed ones made ahead of need, and those in which environments live. Nothing here touches an object of an
 * environment; all that comes out of an isolate is the driver's text.
 */
import { readFileSync } from "node:fs";
import ivm from "isolated-vm";
import { forget, watchOver } from "./guard.js";
import { die, tell } from "./replies.js";
import { settings } from "./settings.js";

/**
 * @typedef {object} Isolate A sealed isolate; `call` is the driver in it.
 * @property {ivm.Isolate} isolate
 * @property {ivm.Reference<(...given: (string | number | boolean)[]) => string>} call
 * @property {number} owner The environment in it, 0 while it has none.
 * @property {number} untilBrisk Quick calls it still has to make before its calls run on the host's own thread.
 */

const scripts = ["seal", "tool-use-base-env", "answers", "driver"].map((name) =>
  readFileSync(new URL(`./isolate/${name}.js`, import.meta.url), "utf8"),
);
const { textBytes, errorCharacters, sliceMs, partCharacters } = settings;
const given = JSON.stringify({ textBytes, errorCharacters, sliceMs, partCharacters });
const prelude = `globalThis.prelude = ${given};\n${scripts.join("\n")}`;

/**
 * The prelude as the engine compiled it for the first isolate, in this process: to read it anew for each of them would
 * cost as much as all the rest of making it.
 * @type {ivm.ExternalCopy<ArrayBuffer> | undefined}
 */
let compiled;

/** @type {Promise<Isolate>[]} */
const warm = [];
/** @type {Map<number, Isolate>} */
const living = new Map();

/** @returns {Promise<Isolate>} */
async function make() {
  const made = { owner: 0, untilBrisk: 0 };
  const isolate = new ivm.Isolate({
    memoryLimit: settings.memoryMb,
    // The engine lost control of it, so this process can't be trusted any more.
    onCatastrophicError: (message) => {
      tell([0, "catastrophe", made.owner, String(message).slice(0, 200)]);
      die();
    },
  });
  const context = await isolate.createContext();
  const filename = "spadework.js";
  const cached = compiled === undefined ? { produceCachedData: true } : { cachedData: compiled };
  /** @type {ivm.Script & ivm.CachedDataResult} */
  const script = await isolate.compileScript(prelude, { filename, ...cached });
  compiled ??= script.cachedData;
  const call = await script.run(context, { reference: true, timeout: 10_000 });
  return Object.assign(made, { isolate, call });
}

/** Makes isolates one by one until as many are ready as are wanted. */
export function warmUp() {
  if (warm.length >= settings.warmIsolates) return;
  const making = make();
  making.then(warmUp, () => {});
  warm.push(making);
}

/**
 * A sealed isolate for an environment, from the warm ones if there is one.
 * @param {number} owner
 * @param {number} untilBrisk
 */
export async function settle(owner, untilBrisk) {
  const ready = warm.shift() ?? make();
  setImmediate(warmUp);
  const home = await ready;
  home.owner = owner;
  home.untilBrisk = untilBrisk;
  living.set(owner, home);
  await watchOver(owner, home.isolate);
  return home;
}

/** Where an environment lives. @param {number} owner */
export function homeOf(owner) {
  return living.get(owner);
}

/** Ends an environment, also in the middle of a call. @param {number} owner */
export function dispose(owner) {
  const home = living.get(owner);
  living.delete(owner);
  forget(owner);
  if (home !== undefined && !home.isolate.isDisposed) home.isolate.dispose();
}
