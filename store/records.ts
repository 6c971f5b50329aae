/**
 * What the lab keeps, as schemas: one record type a noun. Long texts (source, hints, transcripts, documents) are not in
 * the records; a record names them by their content hash. Times are milliseconds since 1970.
 */
import { z } from "zod";
import {
  arm,
  difficulty,
  environmentKind,
  environmentStatus,
  gateResult,
  json,
  language,
  rewardVariant,
  role,
  roundStatus,
  skill,
} from "../config/words.ts";

/** SHA-256 of a text, in hex. */
export const textId = z.string().regex(/^[0-9a-f]{64}$/);
export type TextId = z.infer<typeof textId>;

const id = z.string().min(1).max(200);
const time = z.number().int().nonnegative();

/** Tokens and money a model took. `inputTokens` and `outputTokens` as the provider counts them. */
export const usage = z.object({
  calls: z.number().int().nonnegative(),
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  costUsd: z.number().nonnegative(),
});
export type Usage = z.infer<typeof usage>;

/** A softmax choice of the embedded policy: what was chosen, among what, and its log-probability when it was sampled. */
export const decision = z.object({
  site: z.string(),
  choice: z.string(),
  options: z.array(z.string()),
  logprob: z.number(),
});
export type Decision = z.infer<typeof decision>;

/** One arm of an environment, over the plays of one round or of its whole life. */
export const armStatistics = z.object({
  plays: z.number().int().nonnegative(),
  meanReturn: z.number().nullable(),
  stderr: z.number().nullable(),
  returns: z.array(z.number().nullable()),
  failed: z.number().int().nonnegative(),
});
export type ArmStatistics = z.infer<typeof armStatistics>;

/** What a round found out about one environment. Null where it can't be said (no hint, under two plays, …). */
export const environmentScore = z.object({
  plain: armStatistics,
  hinted: armStatistics,
  hintedHuman: armStatistics.nullable(),
  regret: z.number().nullable(),
  regretStderr: z.number().nullable(),
  humanRegret: z.number().nullable(),
  humanRegretStderr: z.number().nullable(),
  /** Mean plain return clamped to [0, 1]. */
  winRate: z.number().nullable(),
  designerReward: z.number().nullable(),
  designerAdvantage: z.number().nullable(),
});
export type EnvironmentScore = z.infer<typeof environmentScore>;

export const environmentRecord = z.object({
  id,
  /** The round that designed it; null if it came from a file. */
  roundId: id.nullable(),
  slot: z.number().int().nonnegative().nullable(),
  name: z.string(),
  kind: environmentKind,
  language,
  skill: skill.nullable(),
  difficulty: difficulty.nullable(),
  documentId: id.nullable(),
  brief: z.string().nullable(),
  status: environmentStatus,
  /** Why it was rejected or retired; null otherwise. One sentence. */
  reason: z.string().nullable(),
  /** Null if the designer's answer held no code. */
  sourceId: textId.nullable(),
  gates: z.array(gateResult),
  repairs: z.number().int().nonnegative(),
  /** Whether the designer's first answer passed admission: it alone trains the designer. */
  firstAnswerAdmitted: z.boolean(),
  hintId: textId.nullable(),
  /** Who changed the designer's hint while the environment waited for approval. */
  hintEditedBy: z.string().optional(),
  /** The first observation of a fixed seed, cut to 2,000 characters; empty if there was none. */
  firstObservation: z.string(),
  maxTurns: z.number().int().positive().nullable(),
  /** Tags the designer gave in its `// tags:` line, e.g. `interval-search`, `interval-search/size-7`. */
  tags: z.array(z.string()),
  /** Structure and literals of the source (sandbox/admission/fingerprint.ts), as JSON; null if it did not parse. */
  fingerprint: json,
  designer: z.object({
    model: z.string(),
    policyVersion: z.string().nullable(),
    decisions: z.array(decision).nullable(),
    /** The whole conversation that led to the source: text hash of a JSON list of messages. */
    conversationId: textId.nullable(),
    /** The conversation that led to the hint, kept or refused; missing until the designer was asked for one. */
    hintConversationId: textId.optional(),
    /** What each of its answers took, by `design.<attempt>` and `hint.<attempt>`; written together with the answer. */
    usage: z.record(z.string(), usage).optional(),
  }),
  /** Over all rounds that played it; null until one did. */
  score: environmentScore.nullable(),
  createdAt: time,
});
export type EnvironmentRecord = z.infer<typeof environmentRecord>;

/** Why an episode has no return. `ours` says that the environment and the player are innocent. */
export const episodeFailure = z.object({
  code: z.string(),
  detail: z.string(),
  ours: z.boolean(),
});

export const episodeRecord = z.object({
  /** `<roundId>.<environmentId>.<arm>.<index>`, see episodeId(). */
  id,
  roundId: id,
  environmentId: id,
  arm,
  index: z.number().int().nonnegative(),
  seed: z.number().int().nonnegative(),
  /** The model's name, or the person for arm `human`. */
  player: z.string(),
  policyVersion: z.string().nullable(),
  /** In [−1, 1]; null if it failed for our own reasons. */
  return: z.number().nullable(),
  terminated: z.boolean(),
  truncated: z.boolean(),
  turns: z.number().int().nonnegative(),
  failure: episodeFailure.nullable(),
  hintId: textId.nullable(),
  /** Text hash of the transcript (graph/transcript.ts), decisions and log-probabilities included. */
  transcriptId: textId,
  usage,
  startedAt: time,
  endedAt: time,
});
export type EpisodeRecord = z.infer<typeof episodeRecord>;

/** The identity of an episode: what makes it the same one after a crash. */
export function episodeId(key: Pick<EpisodeRecord, "roundId" | "environmentId" | "arm" | "index">): string {
  return `${key.roundId}.${key.environmentId}.${key.arm}.${key.index}`;
}

/** Everything a round was asked to do; it restarts from this alone. */
export const roundOptions = z.object({
  /**
   * `self-play` designs environments and plays them; `design` only designs them, for a pool; `pool` plays environments
   * that exist; `measure` is a pool round of one.
   */
  mode: z.enum(["self-play", "pool", "measure", "design"]),
  envs: z.number().int().positive(),
  plays: z.number().int().positive(),
  playsPerSeed: z.number().int().positive(),
  kind: z.enum(["mixed", "game", "tool-use"]),
  skill: skill.nullable(),
  difficulty: difficulty.nullable(),
  language,
  model: z.string(),
  brief: z.string().nullable(),
  /** Documents this round is grounded on; empty = the whole corpus. */
  documentIds: z.array(id),
  /** Environments to play, in order; empty unless mode is pool or measure. */
  pool: z.array(id),
  preset: z.string().nullable(),
  reward: rewardVariant,
  seed: z.number().int().nonnegative(),
  approve: z.boolean(),
  /** Which admitted environments wait for people, if `approve` is set: all, or those that were never used. Missing: all. */
  asks: z.enum(["always", "first-use"]).optional(),
  repairs: z.number().int().nonnegative(),
  turnCap: z.number().int().positive(),
  contextTokens: z.number().int().positive(),
  temperature: z.number().nonnegative(),
  maxOutputTokens: z.number().int().positive(),
  /** The version of the weights that does everything in the round; missing where a provider tells none. */
  policyVersion: id.optional(),
  /** The campaign that the round belongs to. */
  campaignId: id.optional(),
  /** Plays of each environment in the hinted arm, at most `plays`. Missing: `plays`. */
  hintedPlays: z.number().int().positive().optional(),
  /** True: what rejected designs would have played goes to the others, so that every round has as many episodes. */
  fill: z.boolean().optional(),
  /**
   * True: plays of an environment may follow each other in one isolate. Cheaper, and the same for environments that
   * `reset` wholly; for sources that the lab itself trusts to do so.
   */
  sharedIsolates: z.boolean().optional(),
  /** False: the designer writes no hint, and none is played with. */
  hints: z.boolean().optional(),
  /** False: the designer is shown nothing of the environment memory. */
  memory: z.boolean().optional(),
  /** False: designs are grounded on no document. */
  grounding: z.boolean().optional(),
});
export type RoundOptions = z.infer<typeof roundOptions>;

export const roundTotals = usage.omit({ calls: true }).extend({
  episodes: z.number().int().nonnegative(),
  steps: z.number().int().nonnegative(),
  modelCalls: z.number().int().nonnegative(),
  droppedGroups: z.number().int().nonnegative(),
});
export type RoundTotals = z.infer<typeof roundTotals>;

export const roundRecord = z.object({
  id,
  status: roundStatus,
  options: roundOptions,
  startedBy: z.string(),
  startedAt: time,
  endedAt: time.nullable(),
  /** Time spent at work, over all processes that worked on it; waiting for people is not in it. */
  wallMs: z.number().nonnegative(),
  /** The environments of the round in slot order, filled in as they come to be. */
  environmentIds: z.array(id),
  /** What each environment scored in this round (an environment's own record holds its whole life). */
  scores: z.record(id, environmentScore),
  totals: roundTotals.nullable(),
  /** What the trainer learns from (graph/nodes/learn.ts): text hash; missing until the round is scored. */
  lessonsId: textId.optional(),
  /** Code and sentence of what ended a failed round. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type RoundRecord = z.infer<typeof roundRecord>;

export const documentRecord = z.object({
  id,
  title: z.string(),
  /** The path or URL it came from. */
  origin: z.string(),
  /** Which piece of the origin it is, from 0. */
  part: z.number().int().nonnegative(),
  parts: z.number().int().positive(),
  textId,
  characters: z.number().int().nonnegative(),
  addedBy: z.string(),
  addedAt: time,
});
export type DocumentRecord = z.infer<typeof documentRecord>;

/** A hint that a person wrote for an environment. */
export const hintRecord = z.object({
  id,
  environmentId: id,
  author: z.string(),
  textId,
  createdAt: time,
});
export type HintRecord = z.infer<typeof hintRecord>;

/** A person's approval of an environment in a round. It changes by compare-and-set only. */
export const approvalRecord = z.object({
  roundId: id,
  environmentId: id,
  status: z.enum(["waiting", "approved", "rejected"]),
  decidedBy: z.string().nullable(),
  reason: z.string().nullable(),
  askedAt: time,
  decidedAt: time.nullable(),
});
export type ApprovalRecord = z.infer<typeof approvalRecord>;

/** One version of the weights behind both roles. The weights are a text under their hash. */
export const policyRecord = z.object({
  version: id,
  parent: id.nullable(),
  provider: z.string(),
  weightsId: textId,
  /** The batch that made it of its parent (graph/trainers/trainer.ts); missing for one that no batch made. */
  batchId: z.string().optional(),
  /** What the update did, as JSON; missing with the batch. */
  statistics: json.optional(),
  /** The version whose weights it has again, if somebody went back to those; its parent is the newest one before. */
  restores: id.optional(),
  note: z.string(),
  createdAt: time,
});
export type PolicyRecord = z.infer<typeof policyRecord>;

/** Running numbers of one skill (rewards need them across rounds), by role and skill. */
export const skillAverages = z.object({
  role,
  skill: z.string(),
  fast: z.number().nullable(),
  slow: z.number().nullable(),
  /** Running mean of the designer's u and how many went in. */
  meanReward: z.number().nullable(),
  count: z.number().int().nonnegative(),
  /** The latest rounds that went in, so that a round that is resumed does not go in twice. */
  rounds: z.array(id).optional(),
});
export type SkillAverages = z.infer<typeof skillAverages>;

/** Who did what, when: one line of the audit log. */
export const auditRecord = z.object({
  at: time,
  who: z.string(),
  what: z.string(),
  subject: z.string(),
  detail: z.string(),
});
export type AuditRecord = z.infer<typeof auditRecord>;
