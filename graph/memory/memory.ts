/** The environment memory: the latest scored environments, as the designer is shown them and novelty is held against. */
import type { EnvironmentKind, Skill } from "../../config/words.ts";
import type { EnvironmentRecord, TextId } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";

/** What the memory knows of one environment. */
export interface MemoryEntry {
  readonly id: string;
  readonly name: string;
  readonly kind: EnvironmentKind;
  readonly skill: Skill | null;
  /** With the ancestors of hierarchical ones: `interval-search/size-7` brings `interval-search`. */
  readonly tags: readonly string[];
  /** Scored plain plays behind the numbers, at least 1. */
  readonly plays: number;
  readonly winRate: number;
  readonly regret: number | null;
  readonly regretStderr: number | null;
  /** Rounds since it was designed, 0 for the latest round in memory. */
  readonly age: number;
  /** A person took it out of play: it counts in statistics but is no example. */
  readonly retired: boolean;
  readonly firstObservation: string;
  readonly sourceId: TextId | null;
  readonly fingerprint: EnvironmentRecord["fingerprint"];
}

export interface EnvironmentMemory {
  /** Newest round first; within a round by slot. */
  readonly entries: readonly MemoryEntry[];
}

/**
 * The `size` latest scored environments of the store. Environments of `exceptRound` are left out, so that a round that
 * is resumed late sees what it saw at its start.
 */
export async function loadMemory(
  store: Pick<Store, "environments">,
  size: number,
  exceptRound?: string,
): Promise<EnvironmentMemory> {
  const records = await store.environments.latestScored(size);
  return memoryOf(records.filter((record) => exceptRound === undefined || record.roundId !== exceptRound));
}

/** The memory that a list of records makes; those without a scored plain play are left out. */
export function memoryOf(records: readonly EnvironmentRecord[]): EnvironmentMemory {
  const age = agesOf(records);
  const entries = records.flatMap((record): (MemoryEntry & { slot: number })[] => {
    const score = record.score;
    if (score === null || score.winRate === null) return [];
    return [
      {
        id: record.id,
        slot: record.slot ?? 0,
        name: record.name,
        kind: record.kind,
        skill: record.skill,
        tags: withAncestors(record.tags),
        plays: score.plain.plays,
        winRate: score.winRate,
        regret: score.regret,
        regretStderr: score.regretStderr,
        age: age(record),
        retired: record.status === "retired",
        firstObservation: record.firstObservation,
        sourceId: record.sourceId,
        fingerprint: record.fingerprint,
      },
    ];
  });
  // Within a round records are made in whatever order models answer: the slot is the order that repeats.
  entries.sort((a, b) => a.age - b.age || a.slot - b.slot || (a.id < b.id ? -1 : 1));
  return { entries: entries.map(({ slot: _, ...entry }) => entry) };
}

/** Age in rounds: how many rounds in memory designed their environments later than the record's own round. */
function agesOf(records: readonly EnvironmentRecord[]): (record: EnvironmentRecord) => number {
  const latest = new Map<string, number>();
  for (const { roundId, createdAt } of records) {
    if (roundId !== null) latest.set(roundId, Math.max(latest.get(roundId) ?? 0, createdAt));
  }
  return (record) => {
    const own = record.roundId === null ? record.createdAt : (latest.get(record.roundId) ?? 0);
    return [...latest.values()].filter((at) => at > own).length;
  };
}

function withAncestors(tags: readonly string[]): string[] {
  const all = new Set<string>();
  for (const tag of tags) {
    const parts = tag.split("/");
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const ancestor = parts.slice(0, depth).join("/").trim();
      if (ancestor !== "") all.add(ancestor);
    }
  }
  return [...all];
}
