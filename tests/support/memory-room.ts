/**
 * A room that keeps its messages in memory, for tests of what the lab says in a chat. It outlives the team that posts
 * in it, as a platform does; a test can delete what stands in it, and let calls fail or wait.
 */
import type { Card } from "../../bot/cards/card.ts";
import type { Posted, PostOptions, Room } from "../../bot/chat/room.ts";
import { renderCard } from "../../bot/cli/render.ts";
import { ChatError } from "../../config/errors.ts";

export interface RoomMessage extends Posted {
  /** As it stands now. */
  readonly card: Card;
  readonly mention: readonly string[];
  readonly once: string | null;
  /** Every card it has shown, with the time of the post or edit (milliseconds since 1970), oldest first. */
  readonly history: readonly { readonly card: Card; readonly at: number }[];
  /** Deleted by somebody, or with its thread or channel. */
  readonly gone: boolean;
}

export interface RoomThread {
  readonly id: string;
  readonly channelId: string;
  readonly title: string;
  readonly from: Posted | null;
}

/** A call as it comes in, before it has done anything. */
export interface RoomCall {
  readonly method: "post" | "edit" | "remove" | "openThread" | "direct";
  readonly channelId: string;
  readonly card: Card | null;
}

export interface MemoryRoom extends Room {
  /** Everything that was ever posted, in order. */
  readonly messages: readonly RoomMessage[];
  readonly threads: readonly RoomThread[];
  /** What stands in a channel or thread now, oldest first. */
  standing(channelId: string): readonly RoomMessage[];
  /** As `standing`, with every card drawn as text. */
  read(channelId: string): readonly string[];
  /** Deletes a message, thread or channel, as a person does. */
  destroy(id: string): void;
  /**
   * Asked before each call that it takes: what it throws is what the call throws, and the call waits for it. Null again
   * to let all calls through.
   */
  before: ((call: RoomCall) => void | Promise<void>) | null;
}

export const gone = (): ChatError => new ChatError("chat.gone", "It was deleted.");
export const forbidden = (permission = "Send Messages"): ChatError =>
  new ChatError("chat.forbidden", `The bot lacks the permission "${permission}" here.`);
export const unavailable = (): ChatError => new ChatError("chat.unavailable", "The chat does not answer.");

/** What a card says, as text. */
export const drawn = (card: Card): string => renderCard(card, { width: 100, color: false, commands: [] });

type Writable = { -readonly [K in keyof RoomMessage]: RoomMessage[K] } & {
  history: { readonly card: Card; readonly at: number }[];
};

/** Every channel exists until it is destroyed. Ids are counted: `m1`, `t2`. */
export function memoryRoom(): MemoryRoom {
  const messages: Writable[] = [];
  const threads: RoomThread[] = [];
  const destroyed = new Set<string>();
  let ids = 0;

  const isGone = (channelId: string): boolean => {
    const thread = threads.find(({ id }) => id === channelId);
    return destroyed.has(channelId) || (thread !== undefined && destroyed.has(thread.channelId));
  };
  const find = ({ channelId, messageId }: Posted): Writable => {
    const message = messages.find((one) => one.messageId === messageId && one.channelId === channelId);
    if (message === undefined || message.gone || isGone(channelId)) throw gone();
    return message;
  };
  const standing = (channelId: string): readonly RoomMessage[] =>
    isGone(channelId) ? [] : messages.filter((one) => one.channelId === channelId && !one.gone);

  const room: MemoryRoom = {
    messages,
    threads,
    before: null,
    standing,
    read: (channelId) => standing(channelId).map(({ card }) => drawn(card)),
    destroy(id) {
      destroyed.add(id);
      for (const message of messages) {
        if (message.messageId === id || isGone(message.channelId)) message.gone = true;
      }
    },
    async post(channelId: string, card: Card, { mention = [], once }: PostOptions = {}) {
      await room.before?.({ method: "post", channelId, card });
      if (isGone(channelId)) throw gone();
      const key = once ?? null;
      const same = key === null ? undefined : messages.find((one) => one.once === key && !one.gone);
      if (same !== undefined && same.channelId === channelId) return { channelId, messageId: same.messageId };
      ids += 1;
      const messageId = `m${ids}`;
      const history = [{ card, at: Date.now() }];
      messages.push({ channelId, messageId, card, mention, once: key, history, gone: false });
      return { channelId, messageId };
    },
    async edit(posted, card) {
      await room.before?.({ method: "edit", channelId: posted.channelId, card });
      const message = find(posted);
      message.card = card;
      message.history.push({ card, at: Date.now() });
    },
    async remove(posted) {
      await room.before?.({ method: "remove", channelId: posted.channelId, card: null });
      find(posted).gone = true;
    },
    async openThread(channelId, title, from) {
      await room.before?.({ method: "openThread", channelId, card: null });
      if (isGone(channelId)) throw gone();
      if (threads.some(({ id }) => id === channelId)) return channelId;
      if (from !== undefined) find(from);
      const opened =
        from === undefined ? undefined : threads.find((one) => one.from?.messageId === from.messageId);
      if (opened !== undefined) return opened.id;
      ids += 1;
      threads.push({ id: `t${ids}`, channelId, title, from: from ?? null });
      return `t${ids}`;
    },
    async direct(personId) {
      await room.before?.({ method: "direct", channelId: personId, card: null });
      return `direct-${personId}`;
    },
    linkTo: ({ channelId, messageId }) =>
      `room:${channelId}${messageId === undefined ? "" : `/${messageId}`}`,
    moment: (at, style = "full") => `<${style} ${at}>`,
  };
  return room;
}
