/** What is kept of a campaign's messages in chat, so that the same ones go on after a restart and none is posted twice. */
import { z } from "zod";
import type { PostRecord } from "../../store/chat-records.ts";
import type { KeptStore } from "../../store/store.ts";
import type { Caller } from "../caller.ts";
import type { Place } from "./team.ts";

const prefix = "campaign:";

const facts = z.object({
  /** When the status message was posted, milliseconds since 1970. */
  statusAt: z.number(),
  /** How many status messages there were. */
  statuses: z.number().int(),
  /** Somebody deleted the status message again after it had been posted anew: people don't want one. */
  unwanted: z.boolean(),
  /** The last ending that was told, as `status:endedAt`. */
  told: z.string().nullable(),
  /** Why nothing can be posted in its channel any more, in a sentence. */
  lost: z.string().nullable(),
  /** Nothing is left to say about it. */
  done: z.boolean(),
});

export interface CampaignPost extends Omit<PostRecord, "facts"> {
  readonly facts: z.infer<typeof facts>;
}

export function campaignPostId(campaignId: string): string {
  return `${prefix}${campaignId}`;
}

export function campaignIdOf({ id }: Pick<PostRecord, "id">): string {
  return id.slice(prefix.length);
}

/** The post of a campaign that nothing was said about yet. */
export function newCampaignPost(campaignId: string, caller: Caller, place: Place, now: number): CampaignPost {
  return {
    id: campaignPostId(campaignId),
    channelId: place.channelId,
    messageId: null,
    threadId: null,
    personId: caller.id,
    facts: { statusAt: 0, statuses: 0, unwanted: false, told: null, lost: null, done: false },
    updatedAt: now,
  };
}

/** Null for a record whose facts are not those of a campaign. */
export function readCampaignPost(record: PostRecord): CampaignPost | null {
  const parsed = facts.safeParse(record.facts);
  return parsed.success ? { ...record, facts: parsed.data } : null;
}

/** Every campaign's post, by id. */
export async function allCampaignPosts(posts: KeptStore<PostRecord>): Promise<PostRecord[]> {
  const found: PostRecord[] = [];
  let after: string | undefined;
  do {
    const page = await posts.list(prefix, { limit: 200, after });
    found.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}
