/** An alert: one thing that people asked to be told of. Its key says what it is about, so that it is told once. */
import { z } from "zod";

/** What people can watch, and what each is. */
export const watchEvents = {
  "round-finished": "a round is over, with its numbers",
  "round-failed": "a round failed or was cancelled",
  "frontier-lost": "mean regret under a threshold for several rounds in a row",
  "too-easy": "the agent solves a round's environments without a hint",
  "too-hard": "the agent gets nowhere in a round's environments",
  "gate-failures": "too many designs of a round were rejected",
  budget: "a round has used 50, 80 or 100 % of its budget",
  provider: "a model provider does not answer, and answers again",
  "approval-waiting": "an environment waits for a person",
  "queue-stuck": "a round that should run makes no progress",
  "campaign-milestone": "a campaign started, is well on its way, has a new best, or ended",
  "campaign-warning": "a campaign shows an early sign of going wrong",
} as const;
export type WatchEvent = keyof typeof watchEvents;

export const watchEvent = z.enum([
  "round-finished",
  "round-failed",
  "frontier-lost",
  "too-easy",
  "too-hard",
  "gate-failures",
  "budget",
  "provider",
  "approval-waiting",
  "queue-stuck",
  "campaign-milestone",
  "campaign-warning",
] as const satisfies readonly WatchEvent[]);

export const alert = z.object({
  /** `round-finished:r3`: an alert is told once a subscription. */
  key: z.string(),
  event: watchEvent,
  /** One sentence. */
  text: z.string(),
  /** Whether it is over one day, and then said to be. */
  resolves: z.boolean(),
  /** The round it is about; null if it is about none. */
  roundId: z.string().nullable(),
  at: z.number().int(),
  /** Milliseconds since 1970; null while it lasts. */
  resolvedAt: z.number().int().nullable(),
  /** How it ended, in a few words. */
  resolution: z.string().nullable(),
});
export type Alert = z.infer<typeof alert>;

/** What is told, before anyone is told it. */
export type Told = Pick<Alert, "key" | "event" | "text" | "roundId"> & {
  readonly resolves?: boolean;
  /** When it came up, if not just now: whoever subscribed later is not told. */
  readonly since?: number;
};
