// @ts-check
/**
 * Isolates: makes sealed ones ahead of need, loads an environment into a fresh one, and runs the driver's calls in it
 * with a time limit. It never touches an object of the environment, only the driver's strings.
 */
import { readFileSync } from "node:fs";
import ivm from "isolated-vm";

/**
 * @typedef {object} Limits
 * @property {number} memoryMb
 * @property {number} textBytes
 * @property {number} errorCharacters
 * @property {number} sliceMs How long a run goes on before it hands over a part.
 * @property {number} partCharacters Length at which a run hands over a part.
 * @property {number} warmIsolates
 */

/**
 * @typedef {object} Isolate A sealed isolate: `call` is the driver.
 * @property {ivm.Isolate} isolate
 * @property {ivm.Reference<(...given: (string | number | boolean)[]) => string>} call
 * @property {number} owner The environment in it, 0 while it has none.
 * @property {number} untilBrisk Quick calls it still has to make before its calls run on the host's own thread.
 */

/** @param {string} name */
const scriptFile = (name) => readFileSync(new URL(`./isolate/${name}.js`, import.meta.url), "utf8");
const scripts = ["seal", "tool-use-base-env", "driver"].map(scriptFile).join("\n");

/** Names that the source may have given to its class. */
const classNames = /\b(?:class|const|let|var|function)\s+([A-Za-z_$][\w$]*Env)\b/g;

/** @param {string} source */
export function candidateNames(source) {
  const names = new Set([...source.matchAll(classNames)].map((match) => String(match[1])));
  names.delete("ToolUseBaseEnv");
  return JSON.stringify([...names].slice(0, 50));
}

export class Isolates {
  /** @type {Promise<Isolate>[]} */
  #warm = [];
  #limits;
  #onCatastrophe;
  #prelude;

  /**
   * @param {Limits} limits
   * @param {(owner: number, message: string) => void} onCatastrophe The engine lost control of an isolate.
   */
  constructor(limits, onCatastrophe) {
    this.#limits = limits;
    this.#onCatastrophe = onCatastrophe;
    const { textBytes, errorCharacters, sliceMs, partCharacters } = limits;
    const settings = JSON.stringify({ textBytes, errorCharacters, sliceMs, partCharacters });
    this.#prelude = `globalThis.prelude = ${settings};\n${scripts}`;
  }

  /** A sealed isolate, from the warm ones if there is one. */
  take() {
    const ready = this.#warm.shift() ?? this.#make();
    setImmediate(() => this.warmUp());
    return ready;
  }

  /** Makes one isolate if fewer than wanted are ready. */
  warmUp() {
    if (this.#warm.length >= this.#limits.warmIsolates) return;
    const making = this.#make();
    making.then(
      () => this.warmUp(),
      () => {},
    );
    this.#warm.push(making);
  }

  /** @returns {Promise<Isolate>} */
  async #make() {
    const made = { owner: 0, untilBrisk: 0 };
    const isolate = new ivm.Isolate({
      memoryLimit: this.#limits.memoryMb,
      onCatastrophicError: (message) => this.#onCatastrophe(made.owner, message),
    });
    const context = await isolate.createContext();
    const call = await context.eval(this.#prelude, {
      reference: true,
      filename: "spadework.js",
      timeout: 10_000,
    });
    return Object.assign(made, { isolate, call });
  }
}
