/** Good environments that play the same episodes over and over beside an attack and check every answer they get. */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { keyedRandom } from "../../config/random.ts";
import type { EnvironmentHandle, Failure, Run, Sandbox } from "../../sandbox/sandbox.ts";
import { openOrThrow, unwrap } from "./attack.ts";

const source = readFileSync(new URL("../../bench/peers/harbour.js", import.meta.url), "utf8");
const commands = ["go north", "go south", "go west", "go east", "take", "look", "drop lamp"];

export interface Account {
  readonly episodes: number;
  readonly failures: readonly Failure[];
  /** Answers that differ from those of a quiet sandbox. */
  readonly wrong: number;
  readonly longestWaitMs: number;
}

export class Neighbours {
  readonly #playing: Promise<void>[];
  readonly #failures: Failure[] = [];
  #leaving = false;
  #episodes = 0;
  #wrong = 0;
  #longestWaitMs = 0;

  private constructor(handles: readonly EnvironmentHandle[], expected: readonly Run[]) {
    this.#playing = handles.map((handle, i) => this.#play(handle, i, expected[i] as Run));
  }

  /** Plays each one's episode once while all is quiet, then lets them go on until `leave`. */
  static async settle(sandbox: Sandbox, count: number): Promise<Neighbours> {
    const handles = await Promise.all(Array.from({ length: count }, () => openOrThrow(sandbox, source)));
    const expected = await Promise.all(handles.map((handle, i) => handle.run(i, actionsOf(i))));
    return new Neighbours(handles, expected);
  }

  async leave(): Promise<Account> {
    this.#leaving = true;
    await Promise.all(this.#playing);
    return {
      episodes: this.#episodes,
      failures: this.#failures,
      wrong: this.#wrong,
      longestWaitMs: this.#longestWaitMs,
    };
  }

  async #play(handle: EnvironmentHandle, seed: number, expected: Run): Promise<void> {
    while (!this.#leaving) {
      const first = await this.#timed(handle.reset(seed));
      if (!first.ok) {
        this.#failures.push(first.failure);
        return;
      }
      if (!isDeepStrictEqual(first.value, expected.reset)) this.#wrong += 1;
      for (const [turn, action] of actionsOf(seed).slice(0, expected.steps.length).entries()) {
        const step = await this.#timed(handle.step(action));
        if (!step.ok) {
          this.#failures.push(step.failure);
          return;
        }
        if (!isDeepStrictEqual(unwrap(step), expected.steps[turn])) this.#wrong += 1;
        // A player thinks between its turns; without that the neighbours themselves would be the load.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      this.#episodes += 1;
    }
  }

  async #timed<T>(work: Promise<T>): Promise<T> {
    const started = performance.now();
    const result = await work;
    this.#longestWaitMs = Math.max(this.#longestWaitMs, performance.now() - started);
    return result;
  }
}

function actionsOf(seed: number): string[] {
  const random = keyedRandom("neighbour", seed);
  return Array.from({ length: 20 }, () => `\\boxed{${random.pick(commands)}}`);
}
