/** From the episodes of one environment in one round to rows: filtered, read one at a time, and put into the format. */
import type { EnvironmentRecord, EpisodeRecord, RoundRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { agentAdvantages, plainGroups } from "../rewards/agent.ts";
import { episodeRow } from "./episodes.ts";
import { openaiDpo } from "./openai-dpo.ts";
import { type ExportOptions, isPaired } from "./options.ts";
import { bestAndWorst, instanceGroups, pairOf, promptOf } from "./pairs.ts";
import type { LeftOut, Play, PlayReader } from "./play.ts";
import type { Row } from "./row.ts";
import { type Counter, countLeftOut } from "./tally.ts";
import { tokenRows } from "./tokens.ts";
import { trlDpo } from "./trl-dpo.ts";
import { trlKto } from "./trl-kto.ts";
import { trlSft } from "./trl-sft.ts";
import { verifiersRow } from "./verifiers.ts";

/** One environment's episodes in one round, or one person's play. */
export interface Batch {
  /** Null for a person's play. */
  readonly round: RoundRecord | null;
  readonly environment: EnvironmentRecord;
  readonly episodes: readonly EpisodeRecord[];
}

export interface Walk {
  readonly options: ExportOptions;
  readonly texts: Pick<Store, "texts">["texts"];
  readonly reader: PlayReader;
  readonly counter: Counter;
}

/** The rows of a batch in the order of its episodes. What is left out is counted with its reason. */
export async function* rowsOf(batch: Batch, walk: Walk): AsyncGenerator<Row> {
  const eligible = batch.episodes.filter((episode) => {
    const reason = reasonAgainst(episode, walk.options);
    if (reason !== null && reason !== "other-arm") countLeftOut(walk.counter.tally, reason);
    return reason === null;
  });
  const advantages = advantagesOf(batch);
  if (isPaired(walk.options.format)) yield* pairRows(eligible, batch, advantages, walk);
  else yield* episodeRows(eligible, batch, advantages, walk);
}

/** Why an episode can't be in the export, as far as its record says; null if it can. */
function reasonAgainst(
  episode: EpisodeRecord,
  { format, arms, hint, minReturn }: ExportOptions,
): LeftOut | "other-arm" | null {
  if (!arms.includes(episode.arm)) {
    return hint === "exclude" && episode.hintId !== null ? "hinted" : "other-arm";
  }
  if (hint === "exclude" && episode.hintId !== null) return "hinted";
  if (episode.return === null && format !== "episodes") return "failed";
  // A pair's return is that of its better play, which is not known here.
  if (minReturn !== null && !isPaired(format) && !(episode.return !== null && episode.return >= minReturn)) {
    return "below-min-return";
  }
  return null;
}

/** GRPO's advantage of each episode within its own arm, by id; episodes of groups without a spread have none. */
function advantagesOf({ round, episodes }: Batch): ReadonlyMap<string, number> {
  const instances = (round?.options.playsPerSeed ?? 1) > 1 ? "same-instance" : "mixed";
  const arms = Map.groupBy(episodes, ({ arm }) => arm);
  const entries = [...arms.values()].flatMap((own) => {
    const asPlain = own.map((episode) => ({ ...episode, arm: "plain" as const }));
    return agentAdvantages(plainGroups(asPlain, instances)).advantages;
  });
  return new Map(entries.map(({ episodeId, advantage }) => [episodeId, advantage]));
}

async function* episodeRows(
  episodes: readonly EpisodeRecord[],
  { environment }: Batch,
  advantages: ReadonlyMap<string, number>,
  { options, texts, reader, counter }: Walk,
): AsyncGenerator<Row> {
  const { tally } = counter;
  const firstExample = tally.examples;
  const examples = new Map<string, number>();
  for (const episode of episodes) {
    const advantage = advantages.get(episode.id) ?? null;
    let rows: Row[] | LeftOut;
    if (options.format === "episodes") {
      rows = [episodeRow(episode, environment, await texts.get(episode.transcriptId))];
    } else {
      const play = await reader.read(episode, environment, advantage);
      if (typeof play === "string") rows = play;
      else {
        const instance = `${episode.seed} ${play.hint === "kept" ? episode.hintId : ""}`;
        const exampleId = examples.get(instance) ?? firstExample + examples.size;
        examples.set(instance, exampleId);
        rows = rowsOfPlay(play, options, exampleId);
      }
    }
    if (typeof rows === "string") {
      countLeftOut(tally, rows);
      continue;
    }
    for (const row of rows) {
      counter.row(row, [episode], environment, advantage !== null);
      yield row;
    }
  }
  tally.examples = firstExample + examples.size;
}

function rowsOfPlay(play: Play, options: ExportOptions, exampleId: number): Row[] | LeftOut {
  switch (options.format) {
    case "trl-kto":
      return trlKto(play, options);
    case "tokens":
      return tokenRows(play);
    case "verifiers":
      return verifiersRow(play, options, exampleId);
    default:
      return trlSft(play, options);
  }
}

async function* pairRows(
  episodes: readonly EpisodeRecord[],
  { environment }: Batch,
  advantages: ReadonlyMap<string, number>,
  walk: Walk,
): AsyncGenerator<Row> {
  const { options, reader, counter } = walk;
  const read = (episode: EpisodeRecord): Promise<Play | LeftOut> =>
    reader.read(episode, environment, advantages.get(episode.id) ?? null);
  for (const group of await groupsOf(episodes, walk, read)) {
    counter.tally.groups += 1;
    const rows = await rowsOfGroup(group, options, read);
    if (typeof rows === "string") {
      countLeftOut(counter.tally, rows);
      continue;
    }
    counter.tally.pairedGroups += 1;
    for (const row of rows) {
      const made = group.filter(({ id }) => row.sources.some(({ episodeId }) => episodeId === id));
      counter.row(row, made, environment, true);
      yield row;
    }
  }
}

/** Groups whose plays may be compared; by their prompts where instances are not told apart. */
async function groupsOf(
  episodes: readonly EpisodeRecord[],
  { options, counter }: Walk,
  read: (episode: EpisodeRecord) => Promise<Play | LeftOut>,
): Promise<EpisodeRecord[][]> {
  const groups = instanceGroups(episodes, options);
  if (options.pairs === "same-seed") return groups;
  const found: EpisodeRecord[][] = [];
  for (const group of groups) {
    const byPrompt = new Map<string, EpisodeRecord[]>();
    for (const episode of group) {
      const play = await read(episode);
      if (typeof play === "string") countLeftOut(counter.tally, play);
      else byPrompt.set(promptOf(play), [...(byPrompt.get(promptOf(play)) ?? []), episode]);
    }
    found.push(...byPrompt.values());
  }
  return found;
}

async function rowsOfGroup(
  group: readonly EpisodeRecord[],
  options: ExportOptions,
  read: (episode: EpisodeRecord) => Promise<Play | LeftOut>,
): Promise<Row[] | LeftOut> {
  const ends = bestAndWorst(group);
  if (typeof ends === "string") return ends;
  if (options.minReturn !== null && (ends.best.return ?? 0) < options.minReturn) return "below-min-return";
  const chosen = await read(ends.best);
  if (typeof chosen === "string") return chosen;
  const rejected = await read(ends.worst);
  if (typeof rejected === "string") return rejected;
  const pair = pairOf(chosen, rejected);
  if (typeof pair === "string") return pair;
  return options.format === "openai-dpo" ? openaiDpo(pair, options) : trlDpo(pair, options);
}
