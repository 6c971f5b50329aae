/** The digest: what the memory knows of each tag, one line a tag, older rounds weighing less. */
import type { EnvironmentKind } from "../../config/words.ts";
import { asData } from "../prompts/sections.ts";
import type { EnvironmentMemory, MemoryEntry } from "./memory.ts";

/** What is known of one tag. */
export interface TagStatistics {
  readonly tag: string;
  /** Plays, each weighted by exp(−age / 6). */
  readonly plays: number;
  /** In [0, 1], shrunk towards the kind's mean. */
  readonly winRate: number;
  /** Shrunk towards the kind's mean; null if no environment of the tag has a regret. */
  readonly regret: number | null;
  /** Standard error of the regret before shrinking; null if it can't be said. */
  readonly stderr: number | null;
  /** Rounds since the newest environment of the tag. */
  readonly age: number;
}

/** Rounds in which an environment's weight falls to 1/e. */
const memorySpan = 6;
/** How many environments of average outcome every tag is credited with. */
const shrinkage = 2;
/** Lines a digest has at most: those with the most plays stay. */
const mostTags = 200;
const tagCharacters = 60;

/**
 * Statistics of every tag among the environments of one kind, by tag. With w = exp(−age / 6) and m the mean of the
 * kind, a tag's win rate is (Σ w x + 2 m) / (Σ w + 2), and its regret likewise over the environments that have one.
 * Its standard error is the larger of what the environments' own errors and the spread between them say.
 */
export function tagStatistics(memory: EnvironmentMemory, kind: EnvironmentKind): TagStatistics[] {
  const entries = memory.entries.filter((entry) => entry.kind === kind);
  const meanWinRate = weightedMean(entries, (entry) => entry.winRate) ?? 0;
  const meanRegret = weightedMean(entries, (entry) => entry.regret) ?? 0;
  const byTag = new Map<string, MemoryEntry[]>();
  for (const entry of entries) {
    for (const tag of entry.tags) byTag.set(tag, [...(byTag.get(tag) ?? []), entry]);
  }
  const all = [...byTag].map(
    ([tag, tagged]): TagStatistics => ({
      tag,
      plays: tagged.reduce((sum, entry) => sum + weight(entry) * entry.plays, 0),
      winRate: shrunk(tagged, (entry) => entry.winRate, meanWinRate) ?? 0,
      regret: shrunk(tagged, (entry) => entry.regret, meanRegret),
      stderr: regretStderr(tagged),
      age: Math.min(...tagged.map((entry) => entry.age)),
    }),
  );
  const kept = all.sort((a, b) => b.plays - a.plays || order(a.tag, b.tag)).slice(0, mostTags);
  return kept.sort((a, b) => order(a.tag, b.tag));
}

/** The digest's body: `TAG: plays 24.0, win rate 0.42, regret 0.21, stderr 0.05, age 2`; what isn't known is `unknown`. */
export function digestText(statistics: readonly TagStatistics[]): string {
  return statistics
    .map(({ tag, plays, winRate, regret, stderr, age }) => {
      const name = asData(tag).replace(/\s+/g, " ").replaceAll(":", "").trim().slice(0, tagCharacters);
      return `${name}: plays ${plays.toFixed(1)}, win rate ${written(winRate)}, regret ${written(regret)}, stderr ${written(stderr)}, age ${age}`;
    })
    .join("\n");
}

/** A number with two decimals, `unknown` for null. */
export function written(value: number | null): string {
  return value === null ? "unknown" : (Math.round(value * 100) / 100 + 0).toFixed(2);
}

function weight(entry: MemoryEntry): number {
  return Math.exp(-entry.age / memorySpan);
}

function sums(
  entries: readonly MemoryEntry[],
  read: (entry: MemoryEntry) => number | null,
): { weights: number; total: number } {
  let weights = 0;
  let total = 0;
  for (const entry of entries) {
    const value = read(entry);
    if (value === null) continue;
    weights += weight(entry);
    total += weight(entry) * value;
  }
  return { weights, total };
}

function weightedMean(
  entries: readonly MemoryEntry[],
  read: (entry: MemoryEntry) => number | null,
): number | null {
  const { weights, total } = sums(entries, read);
  return weights === 0 ? null : total / weights;
}

function shrunk(
  entries: readonly MemoryEntry[],
  read: (entry: MemoryEntry) => number | null,
  mean: number,
): number | null {
  const { weights, total } = sums(entries, read);
  return weights === 0 ? null : (total + shrinkage * mean) / (weights + shrinkage);
}

function regretStderr(entries: readonly MemoryEntry[]): number | null {
  const known = entries.flatMap((entry) =>
    entry.regret === null ? [] : [{ w: weight(entry), regret: entry.regret, stderr: entry.regretStderr }],
  );
  const weights = known.reduce((sum, { w }) => sum + w, 0);
  if (weights === 0) return null;
  const mean = known.reduce((sum, { w, regret }) => sum + w * regret, 0) / weights;
  const spread = known.reduce((sum, { w, regret }) => sum + (w * (regret - mean)) ** 2, 0);
  const between = known.length < 2 ? null : Math.sqrt((known.length / (known.length - 1)) * spread) / weights;
  const measured = known.every(({ stderr }) => stderr !== null)
    ? Math.sqrt(known.reduce((sum, { w, stderr }) => sum + (w * (stderr ?? 0)) ** 2, 0)) / weights
    : null;
  if (between === null || measured === null) return between ?? measured;
  return Math.max(between, measured);
}

/** By code unit: the same on every machine, whatever its language. */
function order(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
