/** The round desk: works on rounds in the background, shows each in a place of its own, and takes up after a restart. */
import type { Logger } from "pino";
import { InputError } from "../../config/errors.ts";
import type { RoundEvent } from "../../graph/events.ts";
import { roundResult } from "../../graph/result.ts";
import type { Services } from "../../graph/services.ts";
import type { RoundRecord } from "../../store/records.ts";
import type { Caller } from "../caller.ts";
import type { Card } from "../cards/card.ts";
import { roundAskedCard, roundCard } from "../cards/round-card.ts";
import { roundBrokenCard, roundUnderWayCard } from "../cards/round-progress-card.ts";
import { roundChart } from "../charts/round-chart.ts";
import type { Desk } from "./desk.ts";
import { createJobs, type JobState, type Jobs } from "./jobs.ts";
import type { Room } from "./room.ts";
import { linkOf } from "./round-place.ts";
import { allPosts, newPost, postIdOf, type RoundPost, readPost, roundIdOf } from "./round-post.ts";
import { RoundShow } from "./round-show.ts";
import { viewOfStore } from "./round-view.ts";
import type { Place, RoundPurpose, Team, Whereabouts } from "./team.ts";

export interface RoundDeskOptions {
  readonly services: Services;
  readonly room: Room;
  readonly log: Logger;
  /** The card of a finished `request`; the round's own if not given, or if it is null. */
  readonly requestCard?: (services: Services, round: RoundRecord) => Promise<Card | null>;
}

export interface RoundDesk extends Pick<Team, "startRound" | "whereabouts">, Required<Omit<Desk, "hear">> {
  /** Lets a round go on that people have decided about; it would notice by itself within a second. */
  decided(roundId: string): Promise<void>;
}

/** How long an answer waits for the round's first message, so that it can link to it. */
const openingMs = 2_000;

export function createRoundDesk(options: RoundDeskOptions): RoundDesk {
  return new Desks(options);
}

class Desks implements RoundDesk {
  readonly #options: RoundDeskOptions;
  readonly #jobs: Jobs;
  readonly #shows = new Map<string, RoundShow>();
  readonly #making = new Map<string, Promise<RoundShow>>();

  constructor(options: RoundDeskOptions) {
    this.#options = options;
    const { services } = options;
    this.#jobs = createJobs({
      services,
      atOnce: services.config.limits.roundsAtOnce,
      changed: (roundId, state) => this.#shows.get(roundId)?.setJob(state),
    });
  }

  listen(event: RoundEvent): void {
    this.#shows.get(event.roundId)?.take(event);
  }

  async startRound(
    roundId: string,
    caller: Caller,
    place: Place,
    purpose: RoundPurpose = "round",
  ): Promise<Card> {
    const { services } = this.#options;
    const round = await services.store.rounds.get(roundId);
    if (round === null) throw new InputError("input.not-found", `There is no round ${roundId}.`);
    if (round.status === "finished" || round.status === "cancelled") {
      return this.#endCard(round.id, { type: "ended", record: round }, purpose);
    }
    const postOf = async (): Promise<RoundPost> => {
      const stored = await services.store.posts.get(postIdOf(roundId));
      const known = stored === null ? null : readPost(stored);
      const fresh = newPost(roundId, caller, place, { purpose, now: services.now() });
      if (known === null) return fresh;
      if (known.facts.thread !== "lost") return { ...known, personId: caller.id };
      // It was shown where nothing can be shown any more: it goes on here.
      const { runs, told, voices } = known.facts;
      return { ...fresh, facts: { ...fresh.facts, runs, told, voices } };
    };
    const job: JobState = round.status === "waiting" ? { type: "waiting" } : { type: "queued", ahead: 0 };
    let show = await this.#showFor(round, job, postOf);
    // It may have come to its end just now.
    if (this.#shows.get(round.id) !== show) show = await this.#showFor(round, job, postOf);
    if (show.place.post.facts.thread === "lost") show.moveTo(place, caller.id);
    this.#work(round);
    await show.opened(openingMs);
    const { link, problem } = show.place;
    return roundUnderWayCard(round, show.job, { link, problem });
  }

  async whereabouts(roundId: string): Promise<Whereabouts> {
    const { services, room } = this.#options;
    const job = this.#jobs.stateOf(roundId);
    const ahead = job?.type === "queued" ? job.ahead : null;
    const shown = this.#shows.get(roundId);
    if (shown !== undefined) return { link: shown.place.link, ahead };
    const stored = await services.store.posts.get(postIdOf(roundId));
    const post = stored === null ? null : readPost(stored);
    return { link: post === null ? null : linkOf(room, post), ahead };
  }

  decided(roundId: string): Promise<void> {
    return this.#jobs.look(roundId);
  }

  async resume(): Promise<void> {
    const { services, log } = this.#options;
    const posts = await allPosts(services.store.posts);
    for (const stored of posts) {
      const post = readPost(stored);
      if (post === null) {
        log.warn({ post: stored.id }, "what is kept of a round's messages can't be read");
        continue;
      }
      if (post.facts.done) continue;
      try {
        const round = await services.store.rounds.get(roundIdOf(post));
        if (round === null) continue;
        await this.#showFor(round, stateOf(round), async () => post);
        if (round.status === "running" || round.status === "waiting") this.#work(round);
      } catch (error) {
        log.error({ post: stored.id, err: error }, "a round could not be taken up");
      }
    }
  }

  async close(): Promise<void> {
    await this.#jobs.close();
    await Promise.allSettled(this.#making.values());
    await Promise.all([...this.#shows.values()].map((show) => show.close()));
    this.#shows.clear();
  }

  /** Puts a round that is not over to work, or keeps an eye on it while people have to decide. */
  #work({ id, status }: RoundRecord): void {
    if (status === "waiting") {
      this.#jobs.watch(id, "waiting");
      void this.#jobs.look(id);
    } else this.#jobs.start(id);
  }

  /** The round's show; there is one of it at most, whoever asks. */
  async #showFor(round: RoundRecord, job: JobState, postOf: () => Promise<RoundPost>): Promise<RoundShow> {
    const there = this.#shows.get(round.id) ?? this.#making.get(round.id);
    if (there !== undefined) return there;
    const making = this.#makeShow(round, job, postOf);
    this.#making.set(round.id, making);
    try {
      return await making;
    } finally {
      this.#making.delete(round.id);
    }
  }

  async #makeShow(round: RoundRecord, job: JobState, postOf: () => Promise<RoundPost>): Promise<RoundShow> {
    const { services, room, log } = this.#options;
    const post = await postOf();
    const present = this.#jobs.stateOf(round.id) ?? job;
    const show: RoundShow = new RoundShow({
      services,
      room,
      log,
      round,
      post,
      view: await viewOfStore(services.store, round, present, services.now()),
      endCard: (ended, { facts }) => this.#endCard(round.id, ended, facts.purpose),
      done: () => {
        if (this.#shows.get(round.id) !== show) return;
        this.#shows.delete(round.id);
        void show.abandon();
      },
    });
    this.#shows.set(round.id, show);
    return show;
  }

  async #endCard(roundId: string, job: JobState, purpose: RoundPurpose): Promise<Card> {
    if (job.type === "broken") return roundBrokenCard(roundId, job.error);
    const { services, requestCard } = this.#options;
    const { approvals } = services.store;
    if (purpose === "request" && job.type === "ended" && job.record.status === "finished") {
      const own = (await requestCard?.(services, job.record)) ?? null;
      if (own !== null) return own;
    }
    const result = await roundResult(services.store, roundId);
    const asked = result.status === "waiting" ? await approvals.ofRound(roundId) : [];
    const waiting = asked.filter(({ status }) => status === "waiting").map((one) => one.environmentId);
    const chart = roundChart(result);
    const card = roundCard(result, waiting);
    if (result.status === "waiting") return roundAskedCard(roundId, waiting.length);
    return { ...card, ...(chart === null ? {} : { chart }) };
  }
}

/** A round that this process has not begun to work on. */
function stateOf(round: RoundRecord): JobState {
  if (round.status === "waiting") return { type: "waiting" };
  return round.status === "running" ? { type: "queued", ahead: 0 } : { type: "ended", record: round };
}
