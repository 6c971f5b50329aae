/** What an export counts while it writes: everything that its data card says, kept with its progress. */
import { z } from "zod";
import type { EnvironmentRecord, EpisodeRecord } from "../../store/records.ts";
import type { LeftOut } from "./play.ts";
import type { Row } from "./row.ts";

const counts = z.record(z.string(), z.number().int());

export const tallySchema = z.object({
  rows: z.number().int(),
  /** Episodes that rows were made of. */
  episodes: z.number().int(),
  lastEpisode: z.string(),
  rounds: z.array(z.string()),
  environments: z.array(z.string()),
  documents: z.array(z.string()),
  models: counts,
  policyVersions: counts,
  arms: counts,
  kinds: counts,
  skills: counts,
  /** Rows by what became of the hint. */
  hints: counts,
  /** Episodes and groups that are not in it, by reason. */
  leftOut: counts,
  /** Groups that pairs were looked for in, and those that gave one. */
  groups: z.number().int(),
  pairedGroups: z.number().int(),
  /** Rows whose group has no spread of returns. */
  withoutSpread: z.number().int(),
  /** Instances under one prompt. */
  examples: z.number().int(),
  /** Sums over the episodes. */
  returns: z.number(),
  turns: z.number().int(),
  failedEpisodes: z.number().int(),
  playedMs: z.number(),
  /** When the first of the episodes began and the last one ended, milliseconds since 1970; 0 without any. */
  from: z.number(),
  to: z.number(),
});
export type Tally = z.infer<typeof tallySchema>;

export function emptyTally(): Tally {
  return {
    rows: 0,
    episodes: 0,
    lastEpisode: "",
    rounds: [],
    environments: [],
    documents: [],
    models: {},
    policyVersions: {},
    arms: {},
    kinds: {},
    skills: {},
    hints: {},
    leftOut: {},
    groups: 0,
    pairedGroups: 0,
    withoutSpread: 0,
    examples: 0,
    returns: 0,
    turns: 0,
    failedEpisodes: 0,
    playedMs: 0,
    from: 0,
    to: 0,
  };
}

function count(into: Record<string, number>, key: string, by = 1): void {
  into[key] = (into[key] ?? 0) + by;
}

export function countLeftOut(tally: Tally, reason: LeftOut, by = 1): void {
  if (by > 0) count(tally.leftOut, reason, by);
}

/** Sets that grow to thousands, looked up without reading the lists each time. */
export class Counter {
  readonly tally: Tally;
  readonly #environments: Set<string>;
  readonly #documents: Set<string>;

  constructor(tally: Tally) {
    this.tally = tally;
    this.#environments = new Set(tally.environments);
    this.#documents = new Set(tally.documents);
  }

  /** Counts a row; `episodes` are those that it was made of. */
  row(row: Row, episodes: readonly EpisodeRecord[], environment: EnvironmentRecord, spread: boolean): void {
    const { tally } = this;
    tally.rows += 1;
    if (!spread) tally.withoutSpread += 1;
    count(tally.hints, row.sources.find(({ hint }) => hint !== "none")?.hint ?? "none");
    for (const episode of episodes) this.#episode(episode, row, environment);
    if (tally.rounds.at(-1) !== row.sources[0]?.roundId) tally.rounds.push(row.sources[0]?.roundId ?? "");
    add(this.#environments, tally.environments, environment.id);
    if (environment.documentId !== null) add(this.#documents, tally.documents, environment.documentId);
  }

  #episode(episode: EpisodeRecord, { sources }: Row, environment: EnvironmentRecord): void {
    const { tally } = this;
    if (tally.lastEpisode === episode.id) return;
    tally.lastEpisode = episode.id;
    const source = sources.find(({ episodeId }) => episodeId === episode.id);
    tally.episodes += 1;
    count(tally.models, source?.model ?? "");
    count(tally.policyVersions, episode.policyVersion ?? "unknown");
    count(tally.arms, episode.arm);
    count(tally.kinds, environment.kind);
    count(tally.skills, environment.skill ?? "unknown");
    tally.returns += episode.return ?? 0;
    tally.turns += episode.turns;
    if (episode.failure !== null) tally.failedEpisodes += 1;
    tally.playedMs += episode.endedAt - episode.startedAt;
    tally.from = tally.from === 0 ? episode.startedAt : Math.min(tally.from, episode.startedAt);
    tally.to = Math.max(tally.to, episode.endedAt);
  }
}

function add(known: Set<string>, list: string[], id: string): void {
  if (known.has(id)) return;
  known.add(id);
  list.push(id);
}
