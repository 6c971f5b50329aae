/** What the lab keeps of a campaign, as a schema: what it was asked for, and every round, update and evaluation so far. */
import { z } from "zod";
import { json } from "../config/words.ts";
import { roundOptions } from "./records.ts";

const id = z.string().min(1).max(200);
const time = z.number().int().nonnegative();

export const campaignStatus = z.enum(["running", "paused", "stopped", "finished", "failed"]);
export type CampaignStatus = z.infer<typeof campaignStatus>;

/** Everything a campaign was asked to do; it restarts from this and from what it has done. */
export const campaignOptions = z.object({
  /** Rounds that are played and trained on. */
  rounds: z.number().int().positive(),
  /** Rounds that environments are played for before new ones are designed; 1 = new ones every round. */
  every: z.number().int().positive(),
  /** `none` measures without learning. */
  trainer: z.enum(["embedded", "tinker", "none"]),
  /** Which of the agent's episodes are compared with each other (graph/rewards/agent.ts). */
  groups: z.enum(["plain", "cross-arm"]),
  /** What trains the designer: its reward; an entropy bonus alone; nothing. */
  designer: z.enum(["reward", "entropy-only", "frozen"]),
  /** Rounds between two evaluations on the held-out environments; 0 = none at all. One more comes at the end. */
  evaluateEvery: z.number().int().nonnegative(),
  /** Held-out environments of one evaluation. */
  evaluations: z.number().int().positive(),
  /** Environments of a fixed pool that are designed before the first round; 0 = rounds design their own. */
  poolSize: z.number().int().nonnegative(),
  /** Each round's options; its seed is the campaign's, of which each round has its own. */
  round: roundOptions,
});
export type CampaignOptions = z.infer<typeof campaignOptions>;

/** What came of training on a round. */
export const campaignUpdate = z.object({
  /** The version that the update made; the one before if there was nothing to learn from. */
  version: id,
  batchId: z.string(),
  /** As the trainer reports them (graph/trainers/trainer.ts); `{skipped}`, with why, if it could not be trained on. */
  statistics: json,
  at: time,
});
export type CampaignUpdate = z.infer<typeof campaignUpdate>;

/** A round's numbers, so that charts and warnings need no other record. Means over environments; null without any. */
export const campaignRoundSummary = z.object({
  admitted: z.number().int().nonnegative(),
  rejected: z.number().int().nonnegative(),
  plainReturn: z.number().nullable(),
  hintedReturn: z.number().nullable(),
  regret: z.number().nullable(),
  designerReward: z.number().nullable(),
  /** The designer's mean reward by skill. */
  rewardBySkill: z.record(z.string(), z.number()),
  /** exp of the entropy of the environments over their first tags: how many mechanics are in use. */
  mechanics: z.number().nullable(),
  keptGroups: z.number().int().nonnegative(),
  droppedGroups: z.number().int().nonnegative(),
  episodes: z.number().int().nonnegative(),
  /** Share of plain episodes that ended with the highest return, 1. */
  atCap: z.number().nullable(),
  costUsd: z.number().nonnegative(),
  tokens: z.number().nonnegative(),
});
export type CampaignRoundSummary = z.infer<typeof campaignRoundSummary>;

export const campaignRound = z.object({
  roundId: id,
  /** The regeneration window that it belongs to, from 0. */
  window: z.number().int().nonnegative(),
  /** Whether it designed the window's environments. */
  designs: z.boolean(),
  /** By skill, what was known before the window's first play: its designs are judged by it when the window closes. */
  before: z
    .record(z.string(), z.object({ slow: z.number().nullable(), meanReward: z.number().nullable() }))
    .optional(),
  policyVersion: id.nullable(),
  /** Null until the round is over. */
  summary: campaignRoundSummary.nullable(),
  /** Null until it was trained on. */
  update: campaignUpdate.nullable(),
});
export type CampaignRound = z.infer<typeof campaignRound>;

export const campaignEvaluation = z.object({
  /** Rounds that were trained on before it. */
  after: z.number().int().nonnegative(),
  policyVersion: id.nullable(),
  /** Which held-out environments (graph/evaluation/held-out-set.ts). */
  setId: z.string(),
  /** Fraction of them that were won, in [0, 1]. */
  success: z.number(),
  meanReturn: z.number(),
  episodes: z.number().int().nonnegative(),
  /** Left out for our own reasons. */
  failed: z.number().int().nonnegative(),
  at: time,
});
export type CampaignEvaluation = z.infer<typeof campaignEvaluation>;

export const campaignWarning = z.object({
  /** What it warns of, e.g. `diversity`; graph/campaigns/warnings.ts names them. */
  kind: z.string(),
  /** Rounds done when it was seen first. */
  since: z.number().int().nonnegative(),
  /** Rounds done when it was no longer seen; null while it lasts. */
  until: z.number().int().nonnegative().nullable(),
  message: z.string(),
});
export type CampaignWarning = z.infer<typeof campaignWarning>;

export const campaignRecord = z.object({
  id,
  status: campaignStatus,
  options: campaignOptions,
  startedBy: z.string(),
  startedAt: time,
  /** When it was over, failed or was paused; null while it runs. */
  endedAt: time.nullable(),
  /** Time spent at work, over all processes that worked on it. */
  wallMs: z.number().nonnegative(),
  /** Rounds that designed the fixed pool, and the environments that they gave. */
  poolRounds: z.array(id),
  pool: z.array(id),
  rounds: z.array(campaignRound),
  evaluations: z.array(campaignEvaluation),
  warnings: z.array(campaignWarning),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type CampaignRecord = z.infer<typeof campaignRecord>;
