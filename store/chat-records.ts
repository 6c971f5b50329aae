/** What chat keeps, as schemas: its messages, subscriptions, plays in progress and changed settings. */
import { z } from "zod";
import { json } from "../config/words.ts";

const id = z.string().min(1).max(200);
const time = z.number().int().nonnegative();

/** A message in chat that is about something of the lab, so that it goes on after a restart. Id: `round:r3`, `approval:r3:r3-1`. */
export const postRecord = z.object({
  id,
  channelId: z.string(),
  /** Null before it was posted, and after it was deleted. */
  messageId: z.string().nullable(),
  /** The thread that was opened for it. */
  threadId: z.string().nullable(),
  /** Whoever caused it, by the id of the surface. */
  personId: z.string().nullable(),
  /** What else its owner has to know of it after a restart. */
  facts: z.record(z.string(), json),
  updatedAt: time,
});
export type PostRecord = z.infer<typeof postRecord>;

/** Who wants to be told of which events, where, and when not. */
export const subscriptionRecord = z.object({
  id,
  /** A channel's id, or a person's for direct messages. */
  target: z.object({ kind: z.enum(["channel", "person"]), id: z.string() }),
  events: z.array(z.string()).min(1),
  /** Hours of the day (UTC) in which it stays silent; what came up meanwhile is told afterwards. */
  quiet: z.object({ from: z.number().int().min(0).max(23), to: z.number().int().min(0).max(23) }).nullable(),
  createdBy: z.string(),
  createdAt: time,
});
export type SubscriptionRecord = z.infer<typeof subscriptionRecord>;

/** A person's play in chat, turn by turn, so that a restart can take it up: it is played again from its actions. */
export const sessionRecord = z.object({
  id,
  environmentId: id,
  seed: z.number().int(),
  player: z.object({ id: z.string(), name: z.string() }),
  /** Whether others see it. */
  shared: z.boolean(),
  channelId: z.string(),
  messageId: z.string().nullable(),
  /** What was typed, in order. */
  actions: z.array(z.string()),
  /** How long each action was thought about, milliseconds. */
  took: z.array(z.number().nonnegative()).optional(),
  startedAt: time.optional(),
  /** Turns taken when the hint was shown; null if it was not. */
  hintAfter: z.number().int().nonnegative().nullable(),
  status: z.enum(["open", "finished", "given-up"]),
  episodeId: z.string().nullable(),
  updatedAt: time,
});
export type SessionRecord = z.infer<typeof sessionRecord>;

/** A setting that an admin changed in chat; it stands above the configuration. */
export const settingRecord = z.object({ id, value: json, setBy: z.string(), setAt: time });
export type SettingRecord = z.infer<typeof settingRecord>;
