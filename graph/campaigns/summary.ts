/** A round of a campaign in numbers: what charts, warnings and cards need, counted once when the round is over. */
import type { CampaignRoundSummary } from "../../store/campaign-records.ts";
import type { EnvironmentRecord, EpisodeRecord, RoundRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { lessonsOf } from "../lessons.ts";
import { average } from "../rewards/statistics.ts";
import { designedIn } from "../totals.ts";

export async function summaryOf(store: Store, round: RoundRecord): Promise<CampaignRoundSummary> {
  const environments = await environmentsOf(store, round);
  const episodes = await store.episodes.ofRound(round.id);
  const scores = Object.values(round.scores);
  const admitted = environments.filter(({ status }) => status !== "rejected");
  const { kept, dropped } = lessonsOf(round.options, episodes);
  const mean = (values: readonly (number | null)[]): number | null => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? null : average(known);
  };
  return {
    admitted: admitted.length,
    rejected: environments.length - admitted.length,
    plainReturn: mean(scores.map(({ plain }) => plain.meanReturn)),
    hintedReturn: mean(scores.map(({ hinted }) => hinted.meanReturn)),
    regret: mean(scores.map(({ regret }) => regret)),
    designerReward: mean(scores.map(({ designerReward }) => designerReward)),
    rewardBySkill: rewardBySkill(environments, round),
    mechanics: effectiveNumber(admitted.map(({ tags, name }) => tags[0] ?? name)),
    keptGroups: kept,
    droppedGroups: dropped,
    episodes: episodes.length,
    atCap: shareAtCap(episodes),
    costUsd: round.totals?.costUsd ?? 0,
    tokens: (round.totals?.inputTokens ?? 0) + (round.totals?.outputTokens ?? 0),
  };
}

async function environmentsOf(store: Store, round: RoundRecord): Promise<EnvironmentRecord[]> {
  if (round.options.mode === "self-play") return designedIn(store, round.id);
  const records = await Promise.all(round.options.pool.map((id) => store.environments.get(id)));
  return records.filter((record) => record !== null);
}

function rewardBySkill(
  environments: readonly EnvironmentRecord[],
  { scores }: RoundRecord,
): Record<string, number> {
  const bySkill = new Map<string, number[]>();
  for (const { id, skill } of environments) {
    const reward = scores[id]?.designerReward ?? null;
    if (skill !== null && reward !== null) bySkill.set(skill, [...(bySkill.get(skill) ?? []), reward]);
  }
  return Object.fromEntries([...bySkill].map(([skill, rewards]) => [skill, average(rewards)]));
}

/** exp of the entropy of a list's values: how many of them are in use, from 1; null for an empty list. */
export function effectiveNumber(values: readonly string[]): number | null {
  if (values.length === 0) return null;
  const shares = [...Map.groupBy(values, (value) => value).values()].map((own) => own.length / values.length);
  return Math.exp(-shares.reduce((sum, share) => sum + share * Math.log(share), 0));
}

function shareAtCap(episodes: readonly EpisodeRecord[]): number | null {
  const plain = episodes.filter(({ arm, return: value }) => arm === "plain" && value !== null);
  if (plain.length === 0) return null;
  return plain.filter(({ return: value }) => value === 1).length / plain.length;
}
