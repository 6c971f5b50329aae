/** A transcript: everything that was said in an episode, turn by turn, as the store keeps it. */
import { z } from "zod";
import { json } from "../config/words.ts";
import { decision, usage } from "../store/records.ts";
import { answerTokens } from "./models/answer-tokens.ts";

export const turn = z.object({
  /** What the player said, whole. */
  said: z.string(),
  /** What of it reached `step`. */
  action: z.string(),
  observation: z.string(),
  reward: z.number(),
  terminated: z.boolean(),
  truncated: z.boolean(),
  info: z.record(z.string(), json),
  /** Choices of the embedded policy in this turn; null for other players. */
  decisions: z.array(decision).nullable(),
  /** What the player sampled in this turn, of models that report tokens; missing for other players. */
  tokens: answerTokens.optional(),
  usage,
  /** Thinking and waiting time of the player, milliseconds. */
  ms: z.number(),
});
export type Turn = z.infer<typeof turn>;

export const transcript = z.object({
  /** The system message, empty for a person. */
  system: z.string(),
  /** The first observation as the player saw it, the hint included if the arm has one. */
  firstObservation: z.string(),
  turns: z.array(turn),
});
export type Transcript = z.infer<typeof transcript>;
