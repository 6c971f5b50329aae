/**
 * How one campaign is shown in a room: a status message that is edited in place, and a new message at its end. What it
 * shows is read from the store, whoever works on it; what the room does not take is tried again later.
 */
import type { Logger } from "pino";
import type { Services } from "../../graph/services.ts";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import { type CampaignState, campaignCard } from "../cards/campaign-card.ts";
import type { Card } from "../cards/card.ts";
import { campaignChart } from "../charts/campaign-chart.ts";
import { editDueIn } from "./cadence.ts";
import type { CampaignPost } from "./campaign-post.ts";
import { Pump, within } from "./pump.ts";
import type { Posted, Room } from "./room.ts";
import { isChatError } from "./round-place.ts";

export interface CampaignShowOptions {
  readonly services: Services;
  readonly room: Room;
  readonly log: Logger;
  readonly post: CampaignPost;
  readonly record: CampaignRecord;
  /** How it stands; asked for each time it is drawn. */
  readonly stateOf: (record: CampaignRecord) => CampaignState;
  /** It was looked at anew. */
  readonly looked: (record: CampaignRecord) => void;
  /** Nothing is left to show. */
  readonly done: () => void;
}

/** Longest wait before a room that did not answer is tried again. */
const longestWaitMs = 60_000;
/** How often a campaign that does not run is looked at, milliseconds. */
const idleLookMs = 5_000;
const farewellMs = 4_000;
const lastStepMs = 1_000;

export class CampaignShow {
  readonly #options: CampaignShowOptions;
  readonly #pump: Pump;
  readonly #opened = Promise.withResolvers<void>();
  #record: CampaignRecord;
  #readAt = 0;
  #post: CampaignPost;
  /** What the store does not have yet. */
  #unsaved = true;
  #doing: string | null = null;
  #note: string | null = null;
  /** The card that the status message shows, as JSON without times; null while that is not known. */
  #shown: string | null = null;
  #shownAt = 0;
  #closing = false;

  constructor(options: CampaignShowOptions) {
    this.#options = options;
    this.#post = options.post;
    this.#record = options.record;
    this.#pump = new Pump({
      step: () => this.#step(),
      failed: (error, failures) => this.#failed(error, failures),
    });
  }

  /** Why nothing can be posted, in a sentence; null if all is well so far. */
  get problem(): string | null {
    const { lost } = this.#post.facts;
    return lost === null ? null : `${lost} The campaign goes on all the same; \`campaign status\` shows it.`;
  }

  /** Where it can be looked at, as the room writes it; null while nothing stands there. */
  get link(): string | null {
    const at = this.#posted();
    return at === null ? null : this.#options.room.linkTo(at);
  }

  /** Resolves when its status message stands or it is clear that none can, at the latest after `ms`. */
  opened(ms: number): Promise<void> {
    return within(this.#opened.promise, ms);
  }

  /** The record after a step. */
  take(record: CampaignRecord): void {
    this.#record = record;
    this.#readAt = Date.now();
    this.#pump.wake();
  }

  /** What it does now, in a few words: shown with the next edit. */
  does(doing: string | null): void {
    this.#doing = doing;
  }

  /** Looks at the store anew, at once. */
  look(): void {
    this.#readAt = 0;
    this.#pump.wake();
  }

  /** From a place that is lost to another; from one that is not, nowhere. */
  moveTo(channelId: string, personId: string): void {
    if (this.#post.facts.lost === null) return;
    this.#change({ channelId, personId, messageId: null }, { lost: null, unwanted: false });
    this.#pump.wake();
  }

  /** Says what is still to be said, as far as that is quickly done, and ends. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#doing = null;
    if (this.#record.status === "running") {
      this.#note = "The lab was stopped. It goes on with this campaign when it is started again.";
    }
    this.#readAt = 0;
    await this.#pump.settled(farewellMs);
    await this.#pump.close(lastStepMs);
  }

  /** Ends at once, without a word. */
  async abandon(): Promise<void> {
    await this.#pump.close(lastStepMs);
  }

  async #step(): Promise<number | null> {
    await this.#save();
    await this.#read();
    const { lost, unwanted } = this.#post.facts;
    if (this.#post.messageId === null && lost === null && !unwanted) {
      await this.#postStatus();
      return 0;
    }
    this.#opened.resolve();
    if (await this.#tellEnd()) return 0;
    const due = await this.#editStatus();
    if (due !== null) return due;
    if (this.#isOver()) {
      this.#change({}, { done: true });
      await this.#save();
      this.#options.done();
      return null;
    }
    return this.#closing ? null : this.#lookEveryMs();
  }

  /** Whoever works on it, and whatever people do to it, is seen in the store. */
  async #read(): Promise<void> {
    if (Date.now() - this.#readAt < this.#lookEveryMs()) return;
    const record = await this.#options.services.store.campaigns.get(this.#record.id);
    this.#readAt = Date.now();
    if (record === null) return;
    this.#record = record;
    if (!this.#closing) this.#options.looked(record);
  }

  async #postStatus(): Promise<void> {
    const { room, services } = this.#options;
    const { statuses } = this.#post.facts;
    const { card, key } = this.#statusCard();
    try {
      const posted = await room.post(this.#post.channelId, card, {
        once: this.#key(`status:${statuses + 1}`),
      });
      const now = services.now();
      this.#shown = key;
      this.#shownAt = now;
      this.#change({ messageId: posted.messageId }, { statuses: statuses + 1, statusAt: now });
    } catch (error) {
      this.#lose(error);
    }
  }

  /** Milliseconds until the next step of it; null if the message shows what there is. */
  async #editStatus(): Promise<number | null> {
    const at = this.#posted();
    const { card, key } = this.#statusCard();
    if (at === null || key === this.#shown) return null;
    const { services, room } = this.#options;
    const times = { postedAt: this.#post.facts.statusAt, shownAt: this.#shownAt };
    const due = this.#closing ? 0 : editDueIn(times, services.config.discord.progressMs, services.now());
    if (due > 0) return due;
    try {
      await room.edit(at, card);
      this.#shown = key;
    } catch (error) {
      if (!isChatError(error, "chat.gone")) throw error;
      // Who deletes it twice doesn't want it.
      this.#change({ messageId: null }, { unwanted: this.#post.facts.statuses > 1 });
    } finally {
      this.#shownAt = services.now();
    }
    return 0;
  }

  /** The message at the end, which calls whoever started it; false if none is due. */
  async #tellEnd(): Promise<boolean> {
    const { status, endedAt } = this.#record;
    const ending = `${status}:${endedAt}`;
    if (status === "running" || status === "paused" || this.#post.facts.told === ending) return false;
    const { services, room } = this.#options;
    const chart = await campaignChart(this.#record, services.store);
    const card = campaignCard(this.#record, { state: status, chart, detailed: true });
    const { personId, channelId, facts } = this.#post;
    const options = { mention: personId === null ? [] : [personId], once: this.#key(`end:${ending}`) };
    try {
      const isLost = facts.lost !== null;
      const to = isLost && personId !== null ? await room.direct(personId) : channelId;
      if (!isLost || personId !== null) await room.post(to, card, options);
      this.#change({}, { told: ending });
    } catch (error) {
      if (facts.lost === null) this.#lose(error);
      else if (!isChatError(error, "chat.gone", "chat.forbidden")) throw error;
      // Nobody can be told.
      else this.#change({}, { told: ending });
    }
    return true;
  }

  #lose(error: unknown): void {
    if (!isChatError(error, "chat.gone", "chat.forbidden")) throw error;
    this.#options.log.warn({ campaignId: this.#record.id, err: error }, "a campaign can't be shown any more");
    this.#change({ messageId: null }, { lost: error.message });
  }

  #statusCard(): { readonly card: Card; readonly key: string } {
    const { room, stateOf } = this.#options;
    const draw = (record: CampaignRecord): Card =>
      campaignCard(record, {
        state: stateOf(record),
        moment: (at) => room.moment(at, "relative"),
        doing: this.#doing,
        note: this.#note,
      });
    // Time alone is no news.
    return { card: draw(this.#record), key: JSON.stringify(draw({ ...this.#record, wallMs: 0 })) };
  }

  #posted(): Posted | null {
    const { messageId, channelId, facts } = this.#post;
    return messageId === null || facts.lost !== null ? null : { channelId, messageId };
  }

  #change(post: Partial<Omit<CampaignPost, "facts">>, facts: Partial<CampaignPost["facts"]>): void {
    const updatedAt = this.#options.services.now();
    this.#post = { ...this.#post, ...post, facts: { ...this.#post.facts, ...facts }, updatedAt };
    this.#unsaved = true;
  }

  async #save(): Promise<void> {
    if (!this.#unsaved) return;
    const { posts } = this.#options.services.store;
    const post = this.#post;
    if (!(await posts.insert(post))) await posts.update(post.id, () => post);
    if (this.#post === post) this.#unsaved = false;
  }

  #isOver(): boolean {
    return this.#record.status === "finished" || this.#record.status === "stopped";
  }

  #lookEveryMs(): number {
    const { progressMs } = this.#options.services.config.discord;
    return this.#record.status === "running" ? progressMs : Math.max(progressMs, idleLookMs);
  }

  /** Campaigns of another data directory have the same ids, but did not begin at the same moment. */
  #key(once: string): string {
    return `${this.#record.startedAt.toString(36)}:${this.#record.id}:${once}`;
  }

  #failed(error: unknown, failures: number): number {
    const { log, services } = this.#options;
    const level = isChatError(error, "chat.unavailable") ? "warn" : "error";
    log[level](
      { campaignId: this.#record.id, err: error },
      "a campaign could not be shown; it is tried again",
    );
    return Math.min(longestWaitMs, services.config.discord.progressMs * 2 ** Math.min(failures - 1, 10));
  }
}
