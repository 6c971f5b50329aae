/** What a comparison's worker process is told, and what it tells: parsed on both sides. */
import { z } from "zod";
import { armNames } from "../../graph/comparison/arms.ts";
import { runOutcome } from "../../graph/comparison/lab.ts";

const count = z.number().int().nonnegative();

export const job = z.object({
  /** The run's own data directory. */
  dir: z.string(),
  run: z.object({ arm: z.enum(armNames), poolSize: count, seed: count }),
  sizes: z.object({
    rounds: count,
    envs: count,
    plays: count,
    hintedPlays: count,
    evaluateEvery: count,
    evaluations: count,
  }),
});
export type Job = z.infer<typeof job>;

export const report = z.discriminatedUnion("type", [
  /** Rounds done. */
  z.object({ type: z.literal("progress"), done: count }),
  z.object({ type: z.literal("done"), outcome: runOutcome }),
  /** It was asked to stop, and can be gone on with. */
  z.object({ type: z.literal("stopped") }),
  z.object({ type: z.literal("failed"), code: z.string(), message: z.string() }),
]);
export type Report = z.infer<typeof report>;
