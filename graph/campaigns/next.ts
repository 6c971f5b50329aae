/**
 * What a campaign does next, from what it has done: pure, so that a campaign that was killed at any moment goes on with
 * the same step, and a step that is done is never done again.
 *
 *     pool designed → evaluate → round → update → round → update → … → evaluate → finished
 */
import type { CampaignRecord } from "../../store/campaign-records.ts";

/** Designs of one round that fills a fixed pool. */
export const poolRoundDesigns = 50;
/** Rounds that may fill a pool: so many for each that would do if every design were admitted, and some for the last few. */
const poolPatience = 3;
const poolRoundsMore = 10;

export type CampaignStep =
  /** Design environments for the fixed pool. */
  | {
      readonly kind: "design-pool";
      readonly roundId: string;
      readonly index: number;
      readonly designs: number;
    }
  | { readonly kind: "evaluate"; readonly after: number }
  | {
      readonly kind: "round";
      readonly roundId: string;
      /** From 0. */
      readonly index: number;
      readonly window: number;
      /** Whether it designs new environments, or plays those of its window again. */
      readonly designs: boolean;
    }
  /** Train on the round that was played last. */
  | { readonly kind: "update"; readonly index: number; readonly closesWindow: boolean }
  | { readonly kind: "finish" }
  /** The pool can't be filled: too few designs are admitted. */
  | { readonly kind: "no-pool" };

export function nextStep(campaign: CampaignRecord): CampaignStep {
  const { options, rounds, evaluations } = campaign;
  const filling = poolStep(campaign);
  if (filling !== null) return filling;

  const last = rounds.at(-1);
  const trains = options.trainer !== "none";
  if (last !== undefined && last.summary === null) {
    const { roundId, window, designs } = last;
    return { kind: "round", roundId, index: rounds.length - 1, window, designs };
  }
  if (trains && last !== undefined && last.update === null) {
    return { kind: "update", index: rounds.length - 1, closesWindow: closesWindow(campaign) };
  }
  const done = rounds.length;
  const isOver = done >= options.rounds;
  if (isEvaluationDue(campaign) && evaluations.at(-1)?.after !== done)
    return { kind: "evaluate", after: done };
  if (isOver) return { kind: "finish" };
  const opens = last === undefined || closesWindow(campaign);
  return {
    kind: "round",
    roundId: `${campaign.id}r${done + 1}`,
    index: done,
    window: (last?.window ?? -1) + (opens ? 1 : 0),
    designs: opens && options.poolSize === 0 && options.round.pool.length === 0,
  };
}

/** Whether the last round is its window's last one: the window is full, nothing in it can be played, or all rounds are done. */
export function closesWindow({ rounds, options }: CampaignRecord): boolean {
  const last = rounds.at(-1);
  if (last === undefined) return false;
  const own = rounds.filter(({ window }) => window === last.window);
  const isEmpty = (own[0]?.summary?.admitted ?? 0) === 0;
  return own.length >= options.every || rounds.length >= options.rounds || isEmpty;
}

function isEvaluationDue({ options, rounds }: CampaignRecord): boolean {
  const { evaluateEvery } = options;
  if (evaluateEvery === 0) return false;
  return rounds.length % evaluateEvery === 0 || rounds.length >= options.rounds;
}

function poolStep({ id, options, pool, poolRounds, rounds }: CampaignRecord): CampaignStep | null {
  const missing = options.poolSize - pool.length;
  if (missing <= 0 || rounds.length > 0) return null;
  const most = Math.ceil(options.poolSize / poolRoundDesigns) * poolPatience + poolRoundsMore;
  if (poolRounds.length >= most) return { kind: "no-pool" };
  const index = poolRounds.length;
  return {
    kind: "design-pool",
    roundId: `${id}p${index + 1}`,
    index,
    designs: Math.min(poolRoundDesigns, missing),
  };
}
