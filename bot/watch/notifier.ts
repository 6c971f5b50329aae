/**
 * The notifier: brings alerts to those who subscribed. Alerts of one kind are gathered for a while and become one
 * message, which is edited when one of them is over; in quiet hours they wait. Everything is in the store before it is
 * told, so that a restart loses nothing and tells nothing twice.
 */
import type { Logger } from "pino";
import { z } from "zod";
import { ChatError } from "../../config/errors.ts";
import type { PostRecord, SubscriptionRecord } from "../../store/chat-records.ts";
import type { Page, PageRequest, Store } from "../../store/store.ts";
import { alertCard } from "../cards/alert-card.ts";
import { createRefusals } from "../chat/refusals.ts";
import type { Room } from "../chat/room.ts";
import { type Alert, alert, type Told, type WatchEvent } from "./alert.ts";

export interface NotifierOptions {
  readonly store: Pick<Store, "posts" | "subscriptions">;
  readonly room: Room;
  readonly log: Logger;
  readonly now: () => number;
  /** How long alerts of one kind are gathered, milliseconds. */
  readonly debounceMs: number;
}

export interface Notifier {
  /** Stores the alert for everyone who watches its event and has not been told it. */
  tell(told: Told): Promise<void>;
  /** Says of an alert that it is over, where it was told. */
  resolve(key: string, how: string): Promise<void>;
  /** Posts what is due and edits what changed. To be called often. */
  deliver(): Promise<void>;
}

/** Alerts that gather under one message at most; more become another. */
const mostTogether = 20;
/** How long a told alert is remembered, so that it is not told again, milliseconds. */
const rememberedMs = 14 * 24 * 3_600_000;
const pageSize = 500;
/** In place of a message's id, once the message or its channel is gone. */
const deleted = "deleted";

const groupFacts = z.object({
  event: z.string(),
  alerts: z.array(alert),
  /** What of it was posted last, so that an edit that failed is made later. */
  shown: z.string().nullable(),
});
type GroupFacts = z.infer<typeof groupFacts>;

interface Group extends GroupFacts {
  readonly post: PostRecord;
}

/** Whether an hour of the day is within quiet hours, which may go over midnight. */
export function isQuiet(quiet: SubscriptionRecord["quiet"], at: number): boolean {
  if (quiet === null || quiet.from === quiet.to) return false;
  const hour = new Date(at).getUTCHours();
  return quiet.from < quiet.to
    ? hour >= quiet.from && hour < quiet.to
    : hour >= quiet.from || hour < quiet.to;
}

async function all<T>(list: (page: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  let after: string | undefined;
  do {
    const page = await list({ limit: pageSize, after });
    items.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return items;
}

const stateOf = (alerts: readonly Alert[]): string =>
  alerts.map(({ key, resolvedAt }) => `${key}=${resolvedAt ?? ""}`).join(" ");

export function createNotifier({ store, room, log, now, debounceMs }: NotifierOptions): Notifier {
  const refusals = createRefusals(now);
  const groupsOf = async (subscriptionId: string): Promise<Group[]> => {
    const posts = await all((page) => store.posts.list(`alert:${subscriptionId}:`, page));
    return posts.map((post) => ({ ...groupFacts.parse(post.facts), post }));
  };
  const write = (id: string, change: (facts: GroupFacts) => GroupFacts, more: Partial<PostRecord> = {}) =>
    store.posts.update(id, (post) => ({
      ...post,
      ...more,
      facts: change(groupFacts.parse(post.facts)),
      updatedAt: now(),
    }));

  const put = async (subscription: SubscriptionRecord, told: Alert): Promise<void> => {
    const groups = await groupsOf(subscription.id);
    const known = groups.some(({ alerts }) =>
      // One that is over may come up anew; one that can't be over is told once.
      alerts.some((one) => one.key === told.key && (one.resolvedAt === null || !one.resolves)),
    );
    if (known) return;
    const gathering = groups.find(
      ({ post, event, alerts }) =>
        post.messageId === null && event === told.event && alerts.length < mostTogether,
    );
    if (gathering !== undefined) {
      await write(gathering.post.id, (facts) => ({ ...facts, alerts: [...facts.alerts, told] }));
      return;
    }
    const facts: GroupFacts = { event: told.event, alerts: [told], shown: null };
    await store.posts.insert({
      id: `alert:${subscription.id}:${String(now()).padStart(15, "0")}:${told.event}:${groups.length}`,
      channelId: subscription.target.id,
      messageId: null,
      threadId: null,
      personId: null,
      facts,
      updatedAt: now(),
    });
  };

  /** Null if the room said no; then it is tried again, unless it said so for good. */
  const show = async (subscription: SubscriptionRecord, group: Group): Promise<void> => {
    const { post, alerts } = group;
    const place = `${subscription.target.kind} ${subscription.target.id}`;
    if (!refusals.mayAsk(place)) return;
    const drawn = alertCard(alerts, (at) => room.moment(at));
    const shown = stateOf(alerts);
    try {
      if (post.messageId === null) {
        const { kind, id } = subscription.target;
        const channelId = kind === "person" ? await room.direct(id) : id;
        const posted = await room.post(channelId, drawn, { once: post.id });
        await write(post.id, (facts) => ({ ...facts, shown }), posted);
      } else {
        await room.edit({ channelId: post.channelId, messageId: post.messageId }, drawn);
        await write(post.id, (facts) => ({ ...facts, shown }));
      }
      refusals.allowed(place);
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      log.warn({ err: error, subscription: subscription.id }, "an alert can't be shown");
      if (error.code === "chat.forbidden") refusals.refused(place);
      if (error.code !== "chat.gone") return;
      // Somebody deleted it, or the channel: there is nothing left to bring up to date.
      await write(post.id, (facts) => ({ ...facts, shown }), { messageId: deleted });
    }
  };

  return {
    async tell({ resolves = false, since, ...told }) {
      const at = since ?? now();
      const whole: Alert = { ...told, resolves, at, resolvedAt: null, resolution: null };
      for (const subscription of await all((page) => store.subscriptions.list("", page))) {
        const wanted = subscription.events.includes(told.event satisfies WatchEvent);
        if (wanted && subscription.createdAt <= at) await put(subscription, whole);
      }
    },

    async resolve(key, how) {
      for (const subscription of await all((page) => store.subscriptions.list("", page))) {
        for (const { post, alerts } of await groupsOf(subscription.id)) {
          if (!alerts.some((one) => one.key === key && one.resolvedAt === null && one.resolves)) continue;
          await write(post.id, (facts) => ({
            ...facts,
            alerts: facts.alerts.map((one) =>
              one.key === key && one.resolvedAt === null
                ? { ...one, resolvedAt: now(), resolution: how }
                : one,
            ),
          }));
        }
      }
    },

    async deliver() {
      for (const subscription of await all((page) => store.subscriptions.list("", page))) {
        for (const group of await groupsOf(subscription.id)) {
          const { post, alerts, shown } = group;
          const oldest = alerts[0]?.at ?? 0;
          const settled = alerts.every(({ resolves, resolvedAt }) => !resolves || resolvedAt !== null);
          if (post.messageId !== null && settled && now() - oldest > rememberedMs) {
            await store.posts.remove(post.id);
          } else if (post.messageId !== null) {
            const isThere = post.messageId !== deleted;
            if (isThere && shown !== stateOf(alerts)) await show(subscription, group);
          } else if (now() - oldest >= debounceMs && !isQuiet(subscription.quiet, now())) {
            await show(subscription, group);
          }
        }
      }
    },
  };
}
