/** How well a strategy is carried out: the chance of a careful step, from skill, level and help. */

import { splitHint } from "../features.ts";
import { hintWords, type Strategy, strategies } from "../mechanics/concepts.ts";
import { readGrade } from "../mechanics/conventions.ts";
import { sigmoid } from "../softmax.ts";

/** Words of people's hints that point to a strategy, beside the designer's own. */
export const otherHintWords: Readonly<Record<Strategy, readonly string[]>> = {
  random: ["randomly", "luck"],
  sweep: ["scan", "exhaustive", "exhaustively"],
  bisect: ["binary", "half", "halve", "midpoint"],
  eliminate: ["deduction", "narrow", "rule", "inconsistent"],
  explore: ["unvisited", "backtrack", "search", "maze"],
  ratio: ["greedy", "density", "cheapest", "efficiency"],
  trend: ["buy", "sell", "predict"],
  toggle: ["flip", "switches", "lights", "parity"],
  recall: ["recite", "reproduce", "memorise", "remembering"],
  dependency: ["dependency", "prerequisites", "topological", "tools"],
};

/**
 * The level of an instance, from what its text shows: 1 + 1.5 (size − 1). A text that states no grade is judged by its
 * length, a size every 25 words.
 */
export function levelOf(observation: string): number {
  const grade = readGrade(observation)?.grade ?? lengthGrade(observation);
  return 1 + 1.5 * (grade - 1);
}

function lengthGrade(observation: string): number {
  const words = observation.slice(0, 8_000).split(/\s+/).length;
  return Math.min(16, Math.max(1, words / 25));
}

/** Whether a hint helps to carry a strategy out: it holds a word that points to it. */
export function hintHelps(hint: string | null, strategy: Strategy): boolean {
  return hint !== null && helpedBy(hint).has(strategy);
}

function helpedBy(hint: string): ReadonlySet<Strategy> {
  const words = new Set(hint.toLowerCase().match(/[a-z]+/g));
  return new Set(
    strategies.filter((one) => [...hintWords[one], ...otherHintWords[one]].some((word) => words.has(word))),
  );
}

/** What of a first observation bears on how well a strategy is carried out. */
export interface Conditions {
  readonly level: number;
  /** The strategies to which the hint points. */
  readonly helped: ReadonlySet<Strategy>;
}

/** `firstObservation` is what the player saw first, its hint included. */
export function conditionsOf(firstObservation: string): Conditions {
  const { observation, hint } = splitHint(firstObservation);
  return { level: levelOf(observation), helped: hint === null ? new Set() : helpedBy(hint) };
}

/** The chance of a careful step, q = 0.005 + 0.99 σ(2 (θ − level + 1.5 · hint) + 1.4), in (0.005, 0.995). */
export function chanceIn({ level, helped }: Conditions, theta: number, strategy: Strategy): number {
  const help = helped.has(strategy) ? 1.5 : 0;
  return 0.005 + 0.99 * sigmoid(2 * (theta - level + help) + 1.4);
}

/** The same from a first observation. */
export function carefulChance(theta: number, firstObservation: string, strategy: Strategy): number {
  return chanceIn(conditionsOf(firstObservation), theta, strategy);
}
