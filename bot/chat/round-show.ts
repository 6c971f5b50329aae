/**
 * How one round is shown in a room: a thread, a status message in it that is edited in place, the voices, and a new
 * message at its end. One thing after the other, each kept as soon as it stands, so that a restart repeats nothing; what
 * the room does not take is tried again later, and never holds the round up.
 */
import type { Logger } from "pino";
import type { RoundEvent } from "../../graph/events.ts";
import type { Services } from "../../graph/services.ts";
import type { RoundRecord } from "../../store/records.ts";
import type { Card } from "../cards/card.ts";
import { shorten } from "../cards/harmless.ts";
import { purposeOf } from "../cards/round-card.ts";
import { roundProgressCard, roundStarterCard } from "../cards/round-progress-card.ts";
import { editDueIn } from "./cadence.ts";
import type { JobState } from "./jobs.ts";
import { Pump, within } from "./pump.ts";
import type { Room } from "./room.ts";
import { isChatError, RoundPlace } from "./round-place.ts";
import { type RoundPost, starterOf, statusOf } from "./round-post.ts";
import { type RoundView, viewAfter, viewOfStore, viewWithJob } from "./round-view.ts";
import type { Place } from "./team.ts";
import { cardOf, voicesOf } from "./voices.ts";

export interface RoundShowOptions {
  readonly services: Services;
  readonly room: Room;
  readonly log: Logger;
  readonly round: RoundRecord;
  readonly post: RoundPost;
  readonly view: RoundView;
  /** The card of an ending. */
  readonly endCard: (job: JobState, post: RoundPost) => Promise<Card>;
  /** Nothing is left to show. */
  readonly done: () => void;
}

/** Longest wait before a room that did not answer is tried again. */
const longestWaitMs = 60_000;
/** Longest wait before a lost place is tried again, and how often it is: for about an hour. */
const longestLossMs = 600_000;
const mostLosses = 12;
/** How long the last words may take when the process ends. */
const farewellMs = 4_000;
const lastStepMs = 1_000;
const threadTitleCharacters = 90;

export class RoundShow {
  readonly #options: RoundShowOptions;
  readonly #place: RoundPlace;
  readonly #pump: Pump;
  readonly #opened = Promise.withResolvers<void>();
  #view: RoundView;
  /** The card that the status message shows, as JSON; null while that is not known. */
  #shown: string | null = null;
  #shownAt = 0;
  #closing = false;
  /** When a lost place is tried again, and how often it was. */
  #backAt: number | null = null;
  #losses = 0;

  constructor(options: RoundShowOptions) {
    this.#options = options;
    this.#place = new RoundPlace(options);
    this.#view = options.view;
    this.#pump = new Pump({
      step: () => this.#step(),
      failed: (error, failures) => this.#failed(error, failures),
    });
  }

  get job(): JobState {
    return this.#view.job;
  }

  get place(): Pick<RoundPlace, "post" | "link" | "problem"> {
    return this.#place;
  }

  /** Resolves when its status message stands or it is clear that none can, at the latest after `ms`. */
  opened(ms: number): Promise<void> {
    return within(this.#opened.promise, ms);
  }

  take(event: RoundEvent): void {
    const next = viewAfter(this.#view, event, this.#options.services.now());
    if (next === this.#view) return;
    this.#view = next;
    this.#pump.wake();
  }

  setJob(job: JobState): void {
    if (job.type === "queued") this.#place.change({}, { done: false });
    if (job.type === "running") this.#place.change({}, { runs: this.#place.facts.runs + 1, done: false });
    this.#view = viewWithJob(this.#view, job, this.#options.services.now());
    this.#pump.wake();
  }

  /** Goes on elsewhere if its place is lost. */
  moveTo(place: Place, personId: string): void {
    this.#place.moveTo(place, personId);
    this.#shown = null;
    this.#backAt = null;
    this.#pump.wake();
  }

  /** Says what is still to be said, as far as that is quickly done, and ends. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#pump.settled(farewellMs);
    await this.#pump.close(lastStepMs);
  }

  /** Ends at once, without a word. */
  async abandon(): Promise<void> {
    await this.#pump.close(lastStepMs);
  }

  /** Does the next thing that is to be done. */
  async #step(): Promise<number | null> {
    await this.#place.save();
    const { thread, unwanted } = this.#place.facts;
    if (thread === "lost") {
      this.#opened.resolve();
      if (await this.#tellEnd()) return 0;
      const back = this.#comeBackIn();
      if (back === null && this.#isOver()) await this.#finish();
      return back;
    }
    if (thread === "to-open") {
      await this.#open();
      return 0;
    }
    if (this.#place.post.messageId === null && !unwanted) {
      await this.#postStatus();
      return 0;
    }
    this.#opened.resolve();
    if (this.#view.job.type === "elsewhere") await this.#readAnew();
    if ((await this.#speak()) || (await this.#tellEnd())) return 0;
    const due = await this.#editStatus();
    if (due !== null) return due;
    if (this.#isOver()) await this.#finish();
    return this.#view.job.type === "elsewhere" && !this.#closing ? this.#everyMs() : null;
  }

  async #open(): Promise<void> {
    const { round } = this.#options;
    const title = shorten(`Round ${round.id}: ${purposeOf(round)}`, threadTitleCharacters);
    await this.#place.open(title, roundStarterCard(round, this.#view.job));
  }

  async #postStatus(): Promise<void> {
    const { statuses } = this.#place.facts;
    const { card, key } = this.#statusCard();
    const posted = await this.#place.say(card, { once: `status:${statuses + 1}` });
    if (posted === null) return;
    const now = this.#options.services.now();
    this.#shown = key;
    this.#shownAt = now;
    this.#place.change({ messageId: posted.messageId }, { statuses: statuses + 1, statusAt: now });
  }

  /** Milliseconds until the next step of it; null if the message shows what there is. */
  async #editStatus(): Promise<number | null> {
    const status = statusOf(this.#place.post);
    const { card, key } = this.#statusCard();
    if (status === null || key === this.#shown) return null;
    const { services, room, log } = this.#options;
    const times = { postedAt: this.#place.facts.statusAt, shownAt: this.#shownAt };
    const due = this.#closing ? 0 : editDueIn(times, this.#everyMs(), services.now());
    if (due > 0) return due;
    try {
      await room.edit(status, card);
      this.#shown = key;
    } catch (error) {
      if (!isChatError(error, "chat.gone")) throw error;
      // Who deletes it twice doesn't want it.
      const again = this.#place.facts.statuses > 1;
      log.info({ roundId: this.#view.roundId, again }, "a status message was deleted");
      this.#place.loseStatus(again);
    } finally {
      // From its end: a limit may have held it up.
      this.#shownAt = services.now();
    }
    return 0;
  }

  /** One voice that is due; false if none is. */
  async #speak(): Promise<boolean> {
    const { voices } = this.#place.facts;
    const { roundId } = this.#view;
    const next = voicesOf(this.#view).find(({ key }) => !voices.includes(key));
    if (next === undefined) return false;
    let card: Card | null = null;
    try {
      card = await cardOf(this.#options.services.store, roundId, next);
    } catch (error) {
      // What can't be told must not keep back what can, the result above all.
      this.#options.log.error({ roundId, voice: next.key, err: error }, "a voice could not be told");
    }
    const said = card === null || (await this.#place.say(card, { once: next.key })) !== null;
    if (said) this.#place.change({}, { voices: [...voices, next.key] });
    return true;
  }

  /** The message at the end of a run; false if none is due. */
  async #tellEnd(): Promise<boolean> {
    const { job } = this.#view;
    const word = endingOf(job);
    const { runs, told } = this.#place.facts;
    const ending = `${runs}:${word}`;
    if (word === null || told === ending) return false;
    const { post } = this.#place;
    const card = await this.#options.endCard(job, post);
    const once = `end:${ending}`;
    if (this.#place.facts.thread === "lost") {
      if (!(await this.#place.tellPerson(card, once))) return false;
      this.#place.change({}, { told: ending });
      return true;
    }
    const mention = post.personId === null ? [] : [post.personId];
    const posted = await this.#place.say(card, { mention, once });
    if (posted !== null) this.#place.change({}, { told: ending });
    return true;
  }

  /**
   * A lost place is tried again: a bot is invited again, a permission given back. Milliseconds until then, 0 when it was
   * taken up just now; null when it is not: there is nothing left to say, or it was tried often enough.
   */
  #comeBackIn(): number | null {
    const { told, runs } = this.#place.facts;
    const word = endingOf(this.#view.job);
    const isSaid = this.#isOver() && told === `${runs}:${word}`;
    if (this.#closing || isSaid || this.#losses >= mostLosses) return null;
    const now = this.#options.services.now();
    this.#backAt ??= now + Math.min(longestLossMs, this.#everyMs() * 2 ** (this.#losses + 1));
    if (now < this.#backAt) return this.#backAt - now;
    this.#backAt = null;
    this.#losses += 1;
    this.#shown = null;
    this.#place.comeBack();
    return 0;
  }

  /** The last that is done: the message in the channel says how it ended. */
  async #finish(): Promise<void> {
    const { facts, post } = this.#place;
    const starter = starterOf(post);
    if (!facts.done && starter !== null && facts.thread !== "lost") {
      try {
        await this.#options.room.edit(starter, roundStarterCard(this.#options.round, this.#view.job));
      } catch (error) {
        if (!isChatError(error, "chat.gone", "chat.forbidden")) throw error;
      }
    }
    // A round that could not be worked on is taken up by the next process.
    if (!facts.done) this.#place.change({}, { done: this.#view.job.type === "ended" });
    await this.#place.save();
    if (this.#isOver()) this.#options.done();
  }

  #statusCard(): { readonly card: Card; readonly key: string } {
    const { room } = this.#options;
    const moment = (at: number, style?: "full" | "relative"): string => room.moment(at, style);
    const card = roundProgressCard(this.#view, { moment, note: this.#place.facts.note });
    return { card, key: JSON.stringify(card) };
  }

  async #readAnew(): Promise<void> {
    const { services, round } = this.#options;
    const read = await viewOfStore(services.store, round, this.#view.job, this.#view.at);
    if (this.#view.job.type === "elsewhere") this.#view = { ...read, job: this.#view.job };
  }

  #isOver(): boolean {
    return this.#view.job.type === "ended" || this.#view.job.type === "broken";
  }

  #everyMs(): number {
    return this.#options.services.config.discord.progressMs;
  }

  #failed(error: unknown, failures: number): number {
    const { log } = this.#options;
    const { roundId } = this.#view;
    const level = isChatError(error, "chat.unavailable") ? "warn" : "error";
    log[level]({ roundId, err: error }, "a round could not be shown; it is tried again");
    return Math.min(longestWaitMs, this.#everyMs() * 2 ** Math.min(failures - 1, 10));
  }
}

/** What is told of a round that stopped, in one word; null while it goes on by itself. */
function endingOf(job: JobState): string | null {
  if (job.type === "ended") return job.record.status;
  if (job.type === "waiting") return "waiting";
  return job.type === "broken" ? "broken" : null;
}
