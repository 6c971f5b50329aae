/**
 * Where a round's messages go: a thread of its own, else the channel that it was asked for in, else nowhere. Each move is
 * kept as soon as it is made, so that the next process goes on in the same place.
 */
import type { Logger } from "pino";
import { ChatError } from "../../config/errors.ts";
import type { Services } from "../../graph/services.ts";
import type { RoundRecord } from "../../store/records.ts";
import { type Card, text } from "../cards/card.ts";
import type { Posted, PostOptions, Room } from "./room.ts";
import { channelOf, keepPost, type RoundFacts, type RoundPost, starterOf, statusOf } from "./round-post.ts";
import type { Place } from "./team.ts";

export const isChatError = (error: unknown, ...codes: ChatError["code"][]): error is ChatError =>
  error instanceof ChatError && codes.includes(error.code);

export interface RoundPlaceOptions {
  readonly services: Pick<Services, "store" | "now">;
  readonly room: Room;
  readonly log: Logger;
  readonly round: Pick<RoundRecord, "id" | "startedAt">;
  readonly post: RoundPost;
}

export class RoundPlace {
  readonly #options: RoundPlaceOptions;
  readonly #roundId: string;
  #post: RoundPost;
  /** What the store does not have yet. */
  #unsaved = false;
  #problem: string | null = null;

  constructor(options: RoundPlaceOptions) {
    this.#options = options;
    this.#post = options.post;
    this.#roundId = options.round.id;
  }

  get post(): RoundPost {
    return this.#post;
  }

  get facts(): RoundFacts {
    return this.#post.facts;
  }

  /** Why nothing can be posted, in a sentence; null if all is well so far. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Where the round can be looked at, as the room writes it; null while nothing stands there. */
  get link(): string | null {
    return linkOf(this.#options.room, this.#post);
  }

  change(post: Partial<Omit<RoundPost, "facts">>, facts: Partial<RoundFacts>): void {
    const updatedAt = this.#options.services.now();
    this.#post = { ...this.#post, ...post, facts: { ...this.#post.facts, ...facts }, updatedAt };
    this.#unsaved = true;
  }

  /** Keeps what changed. A store that does not take it is asked again the next time: people are told all the same. */
  async save(): Promise<void> {
    if (!this.#unsaved) return;
    this.#unsaved = false;
    try {
      await keepPost(this.#options.services.store.posts, this.#post);
    } catch (error) {
      this.#unsaved = true;
      const { log } = this.#options;
      log.error({ roundId: this.#roundId, err: error }, "where a round is shown could not be stored");
    }
  }

  /** One step towards a thread: the message that it hangs on, then the thread itself. Throws `chat.unavailable`. */
  async open(title: string, starterCard: Card): Promise<void> {
    const { room, log } = this.#options;
    const starter = starterOf(this.#post);
    if (starter === null) {
      const posted = await this.say(starterCard, { once: "start" });
      if (posted !== null) this.change({}, { starterId: posted.messageId });
      return;
    }
    try {
      const threadId = await room.openThread(this.#post.channelId, title, starter);
      this.change({ threadId }, { thread: "open" });
    } catch (error) {
      if (!isChatError(error, "chat.forbidden", "chat.gone")) throw error;
      log.warn({ roundId: this.#roundId, err: error }, "a round goes on without a thread");
      const why = error.code === "chat.forbidden" ? error.message : "Its first message was deleted.";
      this.change({}, { thread: "none", note: `There is no thread for it. ${why}` });
    }
  }

  /**
   * Posts where the round is shown; `once` names the message within the round. Null if that place is gone: from now on it is shown in the channel that it came
   * from, or, if that is gone too, nowhere. Throws `chat.unavailable`.
   */
  async say(
    card: Card,
    { once, ...options }: PostOptions & { readonly once: string },
  ): Promise<Posted | null> {
    const { room, log } = this.#options;
    const roundId = this.#roundId;
    const { threadId, channelId, messageId, facts } = this.#post;
    try {
      const posted = await room.post(channelOf(this.#post), card, { ...options, once: this.#key(once) });
      if (facts.before !== null) this.change({}, { before: null });
      return posted;
    } catch (error) {
      if (!isChatError(error, "chat.gone", "chat.forbidden")) throw error;
      if (threadId !== null && threadId !== channelId) {
        log.warn({ roundId, err: error }, "a round's thread can't be posted in; it goes on in the channel");
        const why = error.code === "chat.gone" ? "Its thread was deleted." : error.message;
        const note = `${why} The round goes on here.`;
        const before = facts.before ?? { thread: "open", threadId, messageId };
        this.change({ threadId: null, messageId: null }, { thread: "none", note, unwanted: false, before });
        return null;
      }
      log.warn({ roundId, err: error }, "a round can't be shown any more; it goes on unseen");
      this.#problem = `${error.message} The round goes on all the same; \`status\` shows it.`;
      const thread = facts.thread === "lost" ? "none" : facts.thread;
      const before = facts.before ?? { thread, threadId, messageId };
      this.change({ messageId: null }, { thread: "lost", note: error.message, before });
      return null;
    }
  }

  /** Its status message is gone, or all that it stood in: the next post tells which. */
  loseStatus(unwanted: boolean): void {
    const { threadId, messageId } = this.#post;
    const { thread } = this.facts;
    const before = this.facts.before ?? (thread === "lost" ? null : { thread, threadId, messageId });
    this.change({ messageId: null }, { unwanted, before });
  }

  /** From a lost place to where it stood before: if that is still lost, the next post tells. */
  comeBack(): void {
    if (this.facts.thread !== "lost") return;
    const { thread, ...post } = this.facts.before ?? { thread: "none", threadId: null, messageId: null };
    this.#problem = null;
    this.change(post, { thread, note: null, unwanted: false, before: null });
  }

  /** From a lost place to another, or back where that is the same. */
  moveTo({ channelId, shared }: Place, personId: string): void {
    if (this.facts.thread !== "lost") return;
    this.comeBack();
    this.change({ personId }, {});
    if (channelId === this.#post.channelId) return;
    const thread = shared ? "to-open" : "none";
    this.change({ channelId, threadId: null, messageId: null }, { thread, starterId: null });
  }

  /** Tells who started it directly, since its place is lost. False if they can't be written to either. */
  async tellPerson(card: Card, once: string): Promise<boolean> {
    const { room, log } = this.#options;
    const { personId, facts } = this.#post;
    if (personId === null) return false;
    try {
      const channelId = await room.direct(personId);
      const why = text(`It can't be shown where it was asked for. ${facts.note ?? ""}`);
      const told = { ...card, blocks: [why, ...card.blocks] };
      await room.post(channelId, told, { mention: [personId], once: this.#key(once) });
      return true;
    } catch (error) {
      if (!isChatError(error, "chat.gone", "chat.forbidden")) throw error;
      log.warn({ roundId: this.#roundId, err: error }, "whoever started a round can't be told of it");
      return false;
    }
  }

  /** Rounds of another data directory have the same ids, but did not begin at the same moment. */
  #key(once: string): string {
    return `${this.#options.round.startedAt.toString(36)}:${this.#roundId}:${once}`;
  }
}

/** Where a round can be looked at, as the room writes it; null if nothing of it stands anywhere. */
export function linkOf(room: Room, post: RoundPost): string | null {
  if (post.facts.thread === "lost") return null;
  const status = statusOf(post);
  if (status !== null) return room.linkTo(status);
  return post.threadId === null ? null : room.linkTo({ channelId: post.threadId });
}
