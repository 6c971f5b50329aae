/**
 * A trainer turns scored episodes into new weights. The seam: a batch of both roles' trajectories goes in, a new version
 * of the policy comes out. A batch trains the version that it was played with, once.
 */
import { z } from "zod";
import { decision } from "../../store/records.ts";
import { answerTokens } from "../models/answer-tokens.ts";

/** One trajectory of the agent in one group. With cross-arm groups a hinted episode appears twice, under two prompts. */
export const agentTrajectory = z.object({
  episodeId: z.string(),
  environmentId: z.string(),
  groupId: z.string(),
  /** Which prompt it is scored under; under `plain` the hint is taken off the first observation. */
  prompt: z.enum(["plain", "hinted"]),
  /** As the player saw it. */
  firstObservation: z.string(),
  /** Turn by turn, as they were made. */
  decisions: z.array(z.array(decision)),
  /**
   * Turn by turn, of models that report tokens. Missing for the others, and where the player saw another prompt than the
   * one that the trajectory is scored under: tokens can't be taken from under their prompt.
   */
  tokens: z.array(answerTokens).optional(),
  advantage: z.number(),
  /** What it counts beside the others, in [0, 1]. */
  weight: z.number().min(0).max(1),
});
export type AgentTrajectory = z.infer<typeof agentTrajectory>;

/** One first answer of the designer. */
export const designerTrajectory = z.object({
  environmentId: z.string(),
  /** What it answered to. */
  messages: z.array(z.object({ by: z.enum(["system", "lab"]), text: z.string() })),
  decisions: z.array(decision),
  /** Of models that report tokens. */
  tokens: answerTokens.optional(),
  advantage: z.number(),
  weight: z.number().min(0).max(1),
});
export type DesignerTrajectory = z.infer<typeof designerTrajectory>;

export const batch = z.object({
  /** Says what is in it: the same batch has the same id, whoever gathers it. */
  id: z.string().min(1),
  /** The version that played all of it, and that it trains. Designs may be an earlier one's: their reward comes late. */
  policyVersion: z.string(),
  /** The rounds that it comes from. */
  roundIds: z.array(z.string()).min(1),
  agent: z.array(agentTrajectory),
  designer: z.array(designerTrajectory),
});
export type Batch = z.infer<typeof batch>;

/** What an update did, for charts and early warnings. */
export const updateStatistics = z.object({
  agentTrajectories: z.number().int(),
  designerTrajectories: z.number().int(),
  /** Share of decisions whose ratio was clipped in the last epoch, in [0, 1]; null without decisions. */
  clipFraction: z.number().nullable(),
  /**
   * Mean entropy of the agent's choice of a strategy before the update, nats; of models that report tokens, minus the mean
   * log-probability of what it sampled. Null without trajectories.
   */
  agentEntropy: z.number().nullable(),
  /** The same of the designer's choices, or of what it sampled. */
  designerEntropy: z.number().nullable(),
  /** Euclidean length of the change of all weights; null where the weights are elsewhere. */
  changed: z.number().nullable(),
  /** Whatever else a training server measured, by name; null for the embedded policy. */
  metrics: z.record(z.string(), z.number()).nullable().default(null),
});
export type UpdateStatistics = z.infer<typeof updateStatistics>;

export interface PolicyUpdate {
  readonly version: string;
  readonly parent: string;
  readonly statistics: UpdateStatistics;
}

export interface Trainer {
  readonly name: string;
  /**
   * Trains on a batch and stores the new version, which is then the newest. Throws TrainerError: `trainer.stale` if the
   * batch was not made by the newest version, `trainer.duplicate` if it was trained on before (`data.version` names what
   * came of it), `trainer.bad-batch` if it fits no policy of this trainer; trainers elsewhere also `trainer.unreachable`,
   * `.refused`, `.lost` and `.bad-answer`. An update that throws has changed no version. Throws the signal's reason when
   * aborted.
   */
  update(batch: Batch, signal?: AbortSignal): Promise<PolicyUpdate>;
  /** Lets go of what it holds elsewhere; an update after it takes hold anew. */
  close?(): Promise<void>;
}
