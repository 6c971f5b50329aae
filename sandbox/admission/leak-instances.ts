/** What the searches for leaks share: instances, their tokens, and what a leak is. */
import { type Grain, normal, rawTokens } from "./leak-tokens.ts";

export interface Instance {
  readonly seed: number;
  readonly observation: string;
  readonly solution: readonly string[];
}

/** A way in which the solution can be read off. */
export interface Leak {
  /** Seeds of the given instances on which every value is read. */
  readonly seeds: readonly number[];
  /** Where one of the values stands, for the sentence to the designer. */
  readonly example: LeakExample;
  /** Whether the same patterns read the whole solution of another instance. */
  reads(instance: Instance): boolean;
}

export interface LeakExample {
  readonly seed: number;
  readonly context: string;
  readonly value: string;
}

/** Longer texts are cut: a leak shows in their beginning too, and the search must not take for ever. */
const charactersSearched = 16_000;
const solutionTokens = 1_500;

/** An instance in tokens, taken apart when first asked: most searches end before they need all. */
export class Tokens {
  readonly instance: Instance;
  readonly grain: Grain;
  /** Of the solution, as they are compared; line ends between actions keep `take 1`, `2` and `take`, `1 2` apart. */
  readonly solution: readonly string[];
  #raw: readonly string[] | null = null;
  #observation: readonly string[] | null = null;
  #written: ReadonlySet<string> | null = null;

  constructor(instance: Instance, grain: Grain) {
    this.instance = instance;
    this.grain = grain;
    this.solution = rawTokens(instance.solution.join("\n").slice(0, charactersSearched), grain)
      .slice(0, solutionTokens)
      .map(normal);
  }

  /** Of the observation, as written. */
  get raw(): readonly string[] {
    this.#raw ??= rawTokens(this.instance.observation.slice(0, charactersSearched), this.grain);
    return this.#raw;
  }

  /** Of the observation, as they are compared. */
  get observation(): readonly string[] {
    this.#observation ??= this.raw.map(normal);
    return this.#observation;
  }

  /** What stands anywhere in the observation, as it is compared. */
  get written(): ReadonlySet<string> {
    this.#written ??= new Set(this.observation);
    return this.#written;
  }
}

/** A leak reads at least this share of the seeds; patterns that a few seeds happen to fit are none. */
export const leakShare = 0.75;

/** Whether at least `leakShare` of a list passes a test; stops as soon as too many don't. */
export function mostPass<T>(list: readonly T[], test: (item: T, index: number) => boolean): boolean {
  let failed = 0;
  for (const [index, item] of list.entries()) {
    if (!test(item, index)) failed += 1;
    if (failed > list.length * (1 - leakShare)) return false;
  }
  return true;
}
