/** What is kept of a round's messages in chat, so that the same ones go on after a restart and none is posted twice. */
import { z } from "zod";
import type { PostRecord } from "../../store/chat-records.ts";
import type { KeptStore } from "../../store/store.ts";
import type { Caller } from "../caller.ts";
import type { Posted } from "./room.ts";
import type { Place, RoundPurpose } from "./team.ts";

const prefix = "round:";

export function postIdOf(roundId: string): string {
  return `${prefix}${roundId}`;
}

const facts = z.object({
  purpose: z.enum(["round", "request"]),
  /**
   * `to-open` until it was tried; `open`; `none`: the round is shown in the channel itself. `lost`: nothing can be posted
   * any more.
   */
  thread: z.enum(["to-open", "open", "none", "lost"]),
  /** The message in the channel that the thread hangs on. */
  starterId: z.string().nullable(),
  /** Says in the status message why it stands where it stands. */
  note: z.string().nullable(),
  /** When the status message was posted, milliseconds since 1970. */
  statusAt: z.number(),
  /** How many status messages there were. */
  statuses: z.number().int(),
  /** Somebody deleted the status message again after it had been posted anew: people don't want one. */
  unwanted: z.boolean(),
  /** Keys of the voices that were posted. */
  voices: z.array(z.string()),
  /** Runs that began, over all processes. */
  runs: z.number().int(),
  /** The last ending that was told, as `run:status`. */
  told: z.string().nullable(),
  /** Nothing is left to say about it. */
  done: z.boolean(),
  /** Where it stood before nothing could be posted there any more: it comes back when it can. */
  before: z
    .object({
      thread: z.enum(["to-open", "open", "none"]),
      threadId: z.string().nullable(),
      messageId: z.string().nullable(),
    })
    .nullable()
    .default(null),
});
export type RoundFacts = z.infer<typeof facts>;

export interface RoundPost extends Omit<PostRecord, "facts"> {
  readonly facts: RoundFacts;
}

/** The post of a round that nothing was said about yet. Direct messages hold no threads. */
export function newPost(
  roundId: string,
  caller: Caller,
  place: Place,
  { purpose, now }: { readonly purpose: RoundPurpose; readonly now: number },
): RoundPost {
  return {
    id: postIdOf(roundId),
    channelId: place.channelId,
    messageId: null,
    threadId: null,
    personId: caller.id,
    facts: {
      purpose,
      thread: place.shared ? "to-open" : "none",
      starterId: null,
      note: null,
      statusAt: 0,
      statuses: 0,
      unwanted: false,
      voices: [],
      runs: 0,
      told: null,
      done: false,
      before: null,
    },
    updatedAt: now,
  };
}

/** Null for a record whose facts are not those of a round. */
export function readPost(record: PostRecord): RoundPost | null {
  const parsed = facts.safeParse(record.facts);
  return parsed.success ? { ...record, facts: parsed.data } : null;
}

export function roundIdOf(post: Pick<PostRecord, "id">): string {
  return post.id.slice(prefix.length);
}

/** Where the round's messages go now. */
export function channelOf(post: Pick<RoundPost, "channelId" | "threadId">): string {
  return post.threadId ?? post.channelId;
}

export function statusOf(post: RoundPost): Posted | null {
  return post.messageId === null ? null : { channelId: channelOf(post), messageId: post.messageId };
}

export function starterOf({ channelId, facts: { starterId } }: RoundPost): Posted | null {
  return starterId === null ? null : { channelId, messageId: starterId };
}

/** Every round's post, by id. */
export async function allPosts(posts: KeptStore<PostRecord>): Promise<PostRecord[]> {
  const found: PostRecord[] = [];
  let after: string | undefined;
  do {
    const page = await posts.list(prefix, { limit: 500, after });
    found.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}

/** Stores it, whether or not it is there already. */
export async function keepPost(posts: KeptStore<PostRecord>, post: RoundPost): Promise<void> {
  if (await posts.insert(post)) return;
  await posts.update(post.id, () => post);
}
