/** A script of the designer: its answers to one task, and how the agent plays the environment that comes of it. */
import type { Random } from "../../../config/random.ts";
import type { EnvironmentKind } from "../../../config/words.ts";

/** An episode as the agent sees it. */
export interface Seen {
  /** The first observation, the hint left out. */
  readonly first: string;
  /** What the agent said in each turn so far, and what it heard then. */
  readonly said: readonly string[];
  readonly heard: readonly string[];
  /** Whether it plays well in this turn. */
  readonly careful: boolean;
  readonly random: Random;
}

export interface Design {
  /** The class's name, or what is wrong with a design that has none. */
  readonly name: string;
  /** Null where it makes no difference. */
  readonly kind: EnvironmentKind | null;
  /** The first answer, and those to the repairs asked for; the last is repeated. */
  readonly answers: readonly string[];
  readonly hint: string;
  /** Whether an episode that begins so is one of this environment. */
  readonly knows: (first: string) => boolean;
  readonly play: (seen: Seen) => string;
}

/** All whole numbers of a text, in order. */
export function lastNumbers(text: string): number[] {
  return [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits));
}

/** Uniform among the whole numbers from `low` to `high`. */
export function pickNumber(random: Random, low: number, high: number): number {
  return low + random.below(high - low + 1);
}

/** A tool call as the agent and `solution()` write it. */
export function toolCall(name: string, args: Readonly<Record<string, unknown>>): string {
  return `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
}
