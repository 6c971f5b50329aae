/** A row of an export, and where it comes from: every row can be traced to the episodes that it was made of. */
import type { EpisodeRecord } from "../../store/records.ts";
import type { HintState, Play } from "./play.ts";

export interface Row {
  /** What goes into the file, as one line of JSON. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly sources: readonly Source[];
}

/** What a row was made of. Goes into the row where the format has a place for it, and into `index.jsonl`. */
export interface Source {
  readonly episodeId: string;
  readonly as: "row" | "chosen" | "rejected";
  readonly roundId: string;
  readonly environmentId: string;
  readonly arm: string;
  readonly index: number;
  readonly seed: number;
  readonly model: string;
  readonly policyVersion: string | null;
  readonly return: number | null;
  readonly hint: HintState;
  /** Whether what the agent reads in this row holds a hint. */
  readonly promptHoldsHint: boolean;
}

export function sourceOf(
  { episode, hint }: Pick<Play, "episode" | "hint">,
  as: Source["as"] = "row",
): Source {
  return {
    episodeId: episode.id,
    as,
    roundId: episode.roundId,
    environmentId: episode.environmentId,
    arm: episode.arm,
    index: episode.index,
    seed: episode.seed,
    model: episode.player,
    policyVersion: episode.policyVersion,
    return: episode.return,
    hint,
    promptHoldsHint: hint === "kept",
  };
}

/** The episode of a person without their name: people stay in the lab. */
export function withoutName(episode: EpisodeRecord): EpisodeRecord {
  if (episode.arm !== "human") return episode;
  const { failure } = episode;
  const unnamed = failure?.code === "gave-up" ? { ...failure, detail: "The player gave up." } : failure;
  return { ...episode, player: "human", failure: unnamed };
}
