/** Which environments of the memory a designer is shown: good ones to learn from and bad ones to stay away from. */

import type { Random } from "../../config/random.ts";
import type { EnvironmentKind, Skill } from "../../config/words.ts";
import type { EnvironmentMemory, MemoryEntry } from "./memory.ts";

/** What the next design is asked to be. */
export interface MemoryTask {
  readonly kind: EnvironmentKind;
  readonly skill: Skill;
}

export type Verdict = "good" | "too-easy" | "too-hard";

export interface Example {
  readonly verdict: Verdict;
  readonly entry: MemoryEntry;
}

/** The draw is from this many times as many candidates as are shown, so that the prompts of a batch differ. */
const breadth = 2;

/**
 * Good (win rate 0.15–0.85), too easy (> 0.9), too hard (< 0.1), or null for what is neither. Win rates are in [0, 1].
 */
export function verdictOf(winRate: number): Verdict | null {
  if (winRate > 0.9) return "too-easy";
  if (winRate < 0.1) return "too-hard";
  return winRate >= 0.15 && winRate <= 0.85 ? "good" : null;
}

/**
 * Regret − 1 standard error, what good examples are ranked by. With few plays and no true regret the mean of
 * max(0, regret) is well above 0, so a regret that is not told apart from 0 must not rank high. −Infinity for what has
 * no regret or no standard error.
 */
export function lowerBound(entry: MemoryEntry): number {
  if (entry.regret === null || entry.regretStderr === null) return Number.NEGATIVE_INFINITY;
  return entry.regret - entry.regretStderr;
}

/**
 * Good examples of the task's kind, those of its skill first, the highest lower bound first; drawn from the best
 * `breadth` × `count`. Retired environments and those without a positive regret are never good examples.
 */
export function goodExamples(
  memory: EnvironmentMemory,
  task: MemoryTask,
  count: number,
  random: Random,
): Example[] {
  const ranked = memory.entries
    .filter((entry) => entry.kind === task.kind && !entry.retired && verdictOf(entry.winRate) === "good")
    .filter((entry) => entry.regret !== null && entry.regret > 0)
    .sort((a, b) => compare(lowerBound(b), lowerBound(a)) || compare(b.regret ?? 0, a.regret ?? 0));
  return draw(ranked, task, count, random).map((entry) => ({ verdict: "good", entry }));
}

/**
 * Warnings of the task's kind, those of its skill first, the newest first; drawn from the first `breadth` × `count`.
 * Too easy and too hard take turns, so that neither crowds the other out.
 */
export function badExamples(
  memory: EnvironmentMemory,
  task: MemoryTask,
  count: number,
  random: Random,
): Example[] {
  const ofVerdict = (verdict: Verdict): MemoryEntry[] =>
    draw(
      memory.entries.filter((entry) => entry.kind === task.kind && verdictOf(entry.winRate) === verdict),
      task,
      count,
      random,
    );
  const easy: Example[] = ofVerdict("too-easy").map((entry) => ({ verdict: "too-easy", entry }));
  const hard: Example[] = ofVerdict("too-hard").map((entry) => ({ verdict: "too-hard", entry }));
  const [first, second] = random.below(2) === 0 ? [easy, hard] : [hard, easy];
  const mixed: Example[] = [];
  for (let i = 0; i < Math.max(first.length, second.length); i += 1) {
    mixed.push(...first.slice(i, i + 1), ...second.slice(i, i + 1));
  }
  return mixed.slice(0, count);
}

/** `count` of a ranked list: those of the task's skill while they last, then others; the order of rank is kept. */
function draw(
  ranked: readonly MemoryEntry[],
  task: MemoryTask,
  count: number,
  random: Random,
): MemoryEntry[] {
  const own = ranked.filter((entry) => entry.skill === task.skill);
  const others = ranked.filter((entry) => entry.skill !== task.skill);
  const chosen = sample(own, count, random);
  return [...chosen, ...sample(others, count - chosen.length, random)];
}

function sample(ranked: readonly MemoryEntry[], count: number, random: Random): MemoryEntry[] {
  const candidates = ranked.slice(0, breadth * count);
  const chosen = new Set(random.shuffle(candidates).slice(0, count));
  return candidates.filter((entry) => chosen.has(entry));
}

/** Unlike a difference, right for −Infinity too. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
