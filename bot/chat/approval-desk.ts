/**
 * The approval desk: posts a request for every environment that waits for people, keeps each up to date, whoever
 * decides and wherever, and lets nothing wait beyond its time. What it posted is in the store, so a restart goes on.
 */
import type { Logger } from "pino";
import { ChatError } from "../../config/errors.ts";
import { campaignOf } from "../../graph/campaigns/ids.ts";
import { approvalDeadline, expireApprovals } from "../../graph/decisions.ts";
import type { RoundEvent } from "../../graph/events.ts";
import type { Services } from "../../graph/services.ts";
import type { PostRecord } from "../../store/chat-records.ts";
import type { ApprovalRecord } from "../../store/records.ts";
import { approvalCard } from "../cards/approval-card.ts";
import type { Card } from "../cards/card.ts";
import { createRefusals } from "./refusals.ts";
import type { Room } from "./room.ts";

export interface ApprovalDeskOptions {
  readonly services: Services;
  readonly room: Room;
  readonly log: Logger;
  /** A round that people have decided about goes on. */
  readonly goOn: (roundId: string) => Promise<void>;
  /** How often decisions made elsewhere and times run out are looked for, milliseconds. */
  readonly lookEveryMs?: number;
}

export interface ApprovalDesk {
  listen(event: RoundEvent): void;
  /** Takes up what waits, after a start. */
  resume(): Promise<void>;
  /** Ends; what is being posted is posted. */
  close(): Promise<void>;
}

const prefix = "approval:";
const pageSize = 500;
const idOf = ({ roundId, environmentId }: Pick<ApprovalRecord, "roundId" | "environmentId">): string =>
  `${prefix}${roundId}:${environmentId}`;

/** The request for one environment as it stands: the card that a decision leaves behind, too. */
export async function approvalCardOf(
  services: Services,
  approval: ApprovalRecord,
  moment: (at: number, style: "full" | "relative") => string,
): Promise<Card | null> {
  const { store } = services;
  const record = await store.environments.get(approval.environmentId);
  if (record === null) return null;
  return approvalCard({
    record,
    approval,
    source: record.sourceId === null ? null : await store.texts.get(record.sourceId),
    hint: record.hintId === null ? null : await store.texts.get(record.hintId),
    documentTitle:
      record.documentId === null ? null : ((await store.documents.get(record.documentId))?.title ?? null),
    until: moment(approvalDeadline(services, approval.askedAt), "relative"),
    decidedAt: approval.decidedAt === null ? null : moment(approval.decidedAt, "full"),
  });
}

export function createApprovalDesk({
  services,
  room,
  log,
  goOn,
  lookEveryMs = 5_000,
}: ApprovalDeskOptions): ApprovalDesk {
  const { store, now } = services;
  const refusals = createRefusals(now);
  let closed = false;
  let looking: Promise<void> = Promise.resolve();
  let wanted = false;

  /** One look after another, and at most one more waits: each sees everything that came before it. */
  const look = (): void => {
    if (wanted || closed) return;
    wanted = true;
    looking = looking.then(async () => {
      wanted = false;
      try {
        await lookNow();
      } catch (error) {
        log.error({ err: error }, "looking after approvals failed");
      }
    });
  };

  const lookNow = async (): Promise<void> => {
    const rounds = new Set((await expireApprovals(services)).map(({ roundId }) => roundId));
    for (const approval of await store.approvals.waiting()) await show(approval);
    for (const post of await openPosts()) {
      const roundId = await settle(post);
      if (roundId !== null) rounds.add(roundId);
    }
    for (const roundId of rounds) await wake(roundId);
  };

  /** Posts a request that has no message yet. */
  const show = async (approval: ApprovalRecord): Promise<void> => {
    const id = idOf(approval);
    const known = await store.posts.get(id);
    if (known !== null && (known.messageId !== null || known.facts.lost === true)) return;
    const campaignId = campaignOf(approval.roundId);
    const shown = campaignId === null ? `round:${approval.roundId}` : `campaign:${campaignId}`;
    const place = await store.posts.get(shown);
    // A round or campaign that was started at the command line has no place in chat.
    if (place === null) return;
    const record: PostRecord = known ?? {
      id,
      channelId: place.threadId ?? place.channelId,
      messageId: null,
      threadId: null,
      personId: place.personId,
      facts: {},
      updatedAt: now(),
    };
    if (known === null) await store.posts.insert(record);
    const drawn = await approvalCardOf(services, approval, room.moment);
    if (drawn === null) return;
    const posted = await inRoom(record, async () => {
      const options = { once: `a${approval.roundId}.${approval.environmentId}` };
      try {
        return await room.post(record.channelId, drawn, options);
      } catch (error) {
        // The thread is gone or closed to the bot, the channel may still be there.
        const refused = error instanceof ChatError && ["chat.gone", "chat.forbidden"].includes(error.code);
        if (!refused || place.threadId === null) throw error;
        return room.post(place.channelId, drawn, options);
      }
    });
    if (posted === null) return;
    await store.posts.update(id, (post) => ({ ...post, ...posted, updatedAt: now() }));
  };

  const openPosts = async (): Promise<PostRecord[]> => {
    const posts: PostRecord[] = [];
    let after: string | undefined;
    do {
      const page = await store.posts.list(prefix, { limit: pageSize, after });
      posts.push(...page.items.filter(({ facts }) => facts.settled !== true));
      after = page.next ?? undefined;
    } while (after !== undefined);
    return posts;
  };

  /** Brings a request up to date. The round's id if it was just decided. */
  const settle = async (post: PostRecord): Promise<string | null> => {
    const [, roundId = "", environmentId = ""] = /^approval:([^:]+):(.+)$/.exec(post.id) ?? [];
    const approval = await store.approvals.get(roundId, environmentId);
    if (approval === null) return null;
    const environment = await store.environments.get(environmentId);
    const state = `${approval.status} ${environment?.hintId ?? ""}`;
    if (post.facts.state === state) return null;
    const drawn = await approvalCardOf(services, approval, room.moment);
    const { channelId, messageId } = post;
    const decided = approval.status !== "waiting";
    if (drawn !== null && messageId !== null && (decided || post.facts.state !== undefined)) {
      const edited = await inRoom(post, async () => {
        await room.edit({ channelId, messageId }, drawn);
        return true;
      });
      // It is tried again at the next look, unless the message is gone for good.
      if (edited === null && (await store.posts.get(post.id))?.facts.lost !== true) return null;
    }
    await store.posts.update(post.id, (current) => ({
      ...current,
      facts: { ...current.facts, state, ...(decided ? { settled: true } : {}) },
      updatedAt: now(),
    }));
    return decided ? roundId : null;
  };

  /** What the room says no to for good is marked as lost, so that it isn't tried for ever. Null if it did not work. */
  const inRoom = async <T>({ id, channelId }: PostRecord, call: () => Promise<T>): Promise<T | null> => {
    if (!refusals.mayAsk(channelId)) return null;
    try {
      const done = await call();
      refusals.allowed(channelId);
      return done;
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      if (error.code === "chat.forbidden") refusals.refused(channelId);
      log.warn({ err: error, post: id }, "an approval can't be shown");
      if (error.code === "chat.gone") {
        await store.posts.update(id, (post) => ({ ...post, facts: { ...post.facts, lost: true } }));
      }
      return null;
    }
  };

  const wake = async (roundId: string): Promise<void> => {
    const round = await store.rounds.get(roundId);
    if (round?.status !== "waiting") return;
    const asked = await store.approvals.ofRound(roundId);
    if (asked.some(({ status }) => status === "waiting")) return;
    await goOn(roundId);
  };

  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  return {
    listen(event) {
      if (event.type === "approval-asked" || event.type === "approval-decided") look();
    },
    async resume() {
      look();
      await looking;
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await looking;
    },
  };
}
