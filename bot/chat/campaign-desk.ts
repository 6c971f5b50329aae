/** The campaign desk: works on campaigns in the background, shows each in a message, and takes up after a restart. */
import type { Logger } from "pino";
import { asSpadeworkError, InputError } from "../../config/errors.ts";
import { campaignLease } from "../../graph/campaigns/held.ts";
import { campaignOf } from "../../graph/campaigns/ids.ts";
import { runCampaign } from "../../graph/campaigns/run.ts";
import type { CampaignEvent, RoundEvent } from "../../graph/events.ts";
import type { Services } from "../../graph/services.ts";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import type { Caller } from "../caller.ts";
import { campaignCard, campaignUnderWayCard } from "../cards/campaign-card.ts";
import type { Card } from "../cards/card.ts";
import {
  allCampaignPosts,
  type CampaignPost,
  campaignIdOf,
  campaignPostId,
  newCampaignPost,
  readCampaignPost,
} from "./campaign-post.ts";
import { CampaignShow } from "./campaign-show.ts";
import type { Desk } from "./desk.ts";
import type { Room } from "./room.ts";
import type { Place, Team } from "./team.ts";

export interface CampaignDeskOptions {
  readonly services: Services;
  readonly room: Room;
  readonly log: Logger;
  /** How long a campaign that should run has to be without anybody who works on it before this process does, milliseconds. */
  readonly takeUpAfterMs?: number;
}

export interface CampaignDesk extends Pick<Team, "startCampaign">, Required<Desk> {}

/** How long an answer waits for the status message, so that it can link to it. */
const openingMs = 2_000;
/** After a failure that could not be stored, milliseconds. */
const againAfterMs = 60_000;

const doings: Readonly<Partial<Record<CampaignEvent["doing"], string>>> = {
  "design-pool": "designing the pool",
  update: "training",
  evaluate: "evaluating on held-out environments",
};

export function createCampaignDesk(options: CampaignDeskOptions): CampaignDesk {
  return new BackgroundCampaigns(options);
}

class BackgroundCampaigns implements CampaignDesk {
  readonly #options: CampaignDeskOptions;
  readonly #shows = new Map<string, CampaignShow>();
  readonly #running = new Map<string, Promise<void>>();
  /** Campaigns that should run, since when nobody was seen to work on them, or when they may be tried again. */
  readonly #idleSince = new Map<string, number>();
  readonly #drain = new AbortController();

  constructor(options: CampaignDeskOptions) {
    this.#options = options;
  }

  listen(event: RoundEvent): void {
    if (event.type !== "stage" || event.total === 0) return;
    const id = campaignOf(event.roundId);
    if (id === null) return;
    this.#shows.get(id)?.does(`round ${event.roundId}: ${event.stage} ${event.done}/${event.total}`);
  }

  hear({ campaignId, doing }: CampaignEvent): void {
    this.#shows.get(campaignId)?.does(doings[doing] ?? null);
  }

  async startCampaign(campaignId: string, caller: Caller, place: Place): Promise<Card> {
    const { services } = this.#options;
    const { store } = services;
    const record = await store.campaigns.get(campaignId);
    if (record === null) throw new InputError("input.not-found", `There is no campaign ${campaignId}.`);
    if (record.status !== "running") return campaignCard(record, { state: record.status, detailed: true });
    const stored = await store.posts.get(campaignPostId(campaignId));
    const known = stored === null ? null : readCampaignPost(stored);
    const show = this.#showFor(
      record,
      known === null
        ? newCampaignPost(campaignId, caller, place, services.now())
        : { ...known, personId: caller.id, facts: { ...known.facts, done: false } },
    );
    show.moveTo(place.channelId, caller.id);
    show.take(record);
    const holder = await store.leases.holder(campaignLease(campaignId));
    if (holder === null) this.#work(campaignId);
    await show.opened(openingMs);
    const { link, problem } = show;
    return campaignUnderWayCard(record, { link, problem });
  }

  async resume(): Promise<void> {
    const { services, log } = this.#options;
    for (const stored of await allCampaignPosts(services.store.posts)) {
      const post = readCampaignPost(stored);
      if (post === null) {
        log.warn({ post: stored.id }, "what is kept of a campaign's messages can't be read");
        continue;
      }
      if (post.facts.done) continue;
      const record = await services.store.campaigns.get(campaignIdOf(post));
      if (record === null) continue;
      this.#showFor(record, post);
      const holder = await services.store.leases.holder(campaignLease(record.id));
      if (record.status === "running" && holder === null) this.#work(record.id);
    }
  }

  async close(): Promise<void> {
    this.#drain.abort();
    await Promise.all(this.#running.values());
    await Promise.all([...this.#shows.values()].map((show) => show.close()));
    this.#shows.clear();
  }

  #showFor(record: CampaignRecord, post: CampaignPost): CampaignShow {
    const { services, room, log } = this.#options;
    const known = this.#shows.get(record.id);
    if (known !== undefined) return known;
    const show: CampaignShow = new CampaignShow({
      services,
      room,
      log,
      post,
      record,
      stateOf: ({ id, status }) =>
        // One that another process works on is not interrupted: that is seen by and by.
        status === "running" && this.#drain.signal.aborted && !this.#running.has(id) ? "interrupted" : status,
      looked: (latest) => void this.#look(latest),
      done: () => {
        if (this.#shows.get(record.id) !== show) return;
        this.#shows.delete(record.id);
        void show.abandon();
      },
    });
    this.#shows.set(record.id, show);
    return show;
  }

  /** Takes up a campaign that should run and that nobody works on, e.g. since the process that did was killed. */
  async #look({ id, status }: CampaignRecord): Promise<void> {
    const { services, log, takeUpAfterMs = 10_000 } = this.#options;
    if (status !== "running" || this.#running.has(id)) {
      this.#idleSince.delete(id);
      return;
    }
    try {
      if ((await services.store.leases.holder(campaignLease(id))) !== null) {
        this.#idleSince.delete(id);
        return;
      }
    } catch (error) {
      log.warn({ campaignId: id, err: error }, "a campaign could not be looked at");
      return;
    }
    const now = Date.now();
    const since = this.#idleSince.get(id) ?? now;
    this.#idleSince.set(id, since);
    if (now - since >= takeUpAfterMs) this.#work(id);
  }

  #work(id: string): void {
    if (this.#running.has(id) || this.#drain.signal.aborted) return;
    this.#idleSince.delete(id);
    this.#running.set(id, this.#run(id));
  }

  async #run(id: string): Promise<void> {
    const { services, log } = this.#options;
    try {
      const record = await runCampaign(services, id, {
        drain: this.#drain.signal,
        onStep: (latest) => this.#shows.get(id)?.take(latest),
      });
      this.#shows.get(id)?.take(record);
    } catch (thrown) {
      const error = asSpadeworkError(thrown);
      if (error.code !== "round.busy") {
        log.error({ campaignId: id, err: thrown }, "a campaign could not be worked on");
        this.#idleSince.set(id, Date.now() + againAfterMs);
      }
    } finally {
      this.#running.delete(id);
      this.#shows.get(id)?.look();
    }
  }
}
