/** Environments of a memory: scored, of a round, with nothing else that matters. */
import type { EnvironmentRecord, EnvironmentScore } from "../../store/records.ts";
import { anEnvironment, someScore } from "../contract/store-records.ts";

export function scored(
  winRate: number,
  regret: number | null = null,
  regretStderr: number | null = null,
  plays = 8,
): EnvironmentScore {
  return { ...someScore, plain: { ...someScore.plain, plays }, winRate, regret, regretStderr };
}

/** An environment of a round; rounds are a second apart. */
export function environment(
  id: string,
  score: EnvironmentScore | null,
  { round = 1, ...change }: Partial<EnvironmentRecord> & { readonly round?: number } = {},
): EnvironmentRecord {
  const usual = {
    roundId: `r${round}`,
    createdAt: round * 1_000,
    sourceId: null,
    tags: [],
    fingerprint: null,
  };
  return anEnvironment({ id, score, ...usual, ...change });
}
