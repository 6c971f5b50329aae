/**
 * How much one person may ask of the lab: commands a minute, rounds an hour, tokens a day. Commands are counted in
 * memory, since a restart may forgive a minute; rounds and tokens are counted from the store.
 */
import { ChatError } from "../config/errors.ts";
import type { Config } from "../config/schema.ts";
import { ownRounds } from "../graph/campaigns/ids.ts";
import { designedIn, totalsOf } from "../graph/totals.ts";
import type { RoundRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { duration, grouped } from "./cards/numbers.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Rounds that are looked at in one go. */
const pageSize = 50;

export interface Limits {
  /** Counts one command or click. Throws `chat.too-fast`; a refused one does not count. */
  count(personId: string): void;
  /**
   * Starts a round of this person if their limits have room for one. Their starts wait for each other, so that two at
   * once can't both take the last place. Throws `chat.too-fast`, and what `start` throws.
   */
  startRound<T>(personId: string, store: Store, start: () => Promise<T>): Promise<T>;
}

const tooFast = (message: string): ChatError => new ChatError("chat.too-fast", message);

/** Moments of each person's latest commands. */
class Recent {
  readonly #moments = new Map<string, number[]>();

  /** How long until another one has room, milliseconds; 0 = now, and then it is counted. */
  add(personId: string, now: number, most: number): number {
    const kept = (this.#moments.get(personId) ?? []).filter((moment) => moment > now - minuteMs);
    const first = kept.at(-most);
    if (first !== undefined) return first + minuteMs - now;
    this.#moments.set(personId, [...kept, now]);
    this.#forget(now);
    return 0;
  }

  #forget(now: number): void {
    for (const [personId, moments] of this.#moments) {
      if ((moments.at(-1) ?? 0) <= now - minuteMs) this.#moments.delete(personId);
    }
  }
}

/** The rounds of their own that a person started in chat since a moment, newest first. */
async function startedBy(store: Store, personId: string, since: number): Promise<RoundRecord[]> {
  const found: RoundRecord[] = [];
  let after: string | undefined;
  do {
    const page = await store.rounds.list({ limit: pageSize, after }, ownRounds);
    for (const round of page.items) {
      if (round.startedAt <= since) continue;
      const post = await store.posts.get(`round:${round.id}`);
      if (post?.personId === personId) found.push(round);
    }
    // Newest first: once a whole page is older, so is the rest.
    const any = page.items.some(({ startedAt }) => startedAt > since);
    after = any ? (page.next ?? undefined) : undefined;
  } while (after !== undefined);
  return found;
}

/** Tokens that a person's campaigns used in rounds that were trained on, or measured by, since a moment. */
async function tokensOfCampaigns(store: Store, personId: string, since: number): Promise<number> {
  let tokens = 0;
  let after: string | undefined;
  do {
    const page = await store.posts.list("campaign:", { limit: pageSize, after });
    for (const post of page.items) {
      if (post.personId !== personId) continue;
      const campaign = await store.campaigns.get(post.id.slice("campaign:".length));
      const rounds = campaign?.rounds.filter(({ update }) => (update?.at ?? campaign.startedAt) > since);
      for (const { summary } of rounds ?? []) tokens += summary?.tokens ?? 0;
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  return tokens;
}

/** Tokens of a round; those of one that is not over are counted from what it stored. */
async function tokensOf(store: Store, round: RoundRecord): Promise<number> {
  const totals =
    round.totals ?? totalsOf(await designedIn(store, round.id), await store.episodes.ofRound(round.id), 0);
  return totals.inputTokens + totals.outputTokens;
}

/** The person's limits. `limits` is read at each check; `now` is in milliseconds since 1970. */
export function createLimits(limits: () => Config["limits"], now: () => number): Limits {
  const recent = new Recent();
  const starting = new Map<string, Promise<unknown>>();

  const requireRoom = async (personId: string, store: Store): Promise<void> => {
    const { roundsPerHour, tokensPerDay } = limits();
    const rounds = await startedBy(store, personId, now() - (tokensPerDay > 0 ? dayMs : hourMs));
    const hour = rounds.filter(({ startedAt }) => startedAt > now() - hourMs);
    const first = hour.at(roundsPerHour - 1);
    if (first !== undefined) {
      throw tooFast(
        `You started ${hour.length === 1 ? "1 round" : `${hour.length} rounds`} within an hour, and the lab allows ${roundsPerHour}: wait ${duration(first.startedAt + hourMs - now())}.`,
      );
    }
    if (tokensPerDay === 0) return;
    const tokens = await Promise.all(rounds.map((round) => tokensOf(store, round)));
    const ofRounds = tokens.reduce((sum, one) => sum + one, 0);
    const ofCampaigns = await tokensOfCampaigns(store, personId, now() - dayMs);
    const used = ofRounds + ofCampaigns;
    if (used < tokensPerDay) return;
    // Rounds leave the 24 hours oldest first; there is room again when enough of them have.
    let left = used;
    let oldest = rounds.length;
    while (left >= tokensPerDay && oldest > 0) {
      oldest -= 1;
      left -= tokens[oldest] ?? 0;
    }
    const free = (rounds[oldest]?.startedAt ?? now()) + dayMs - now();
    throw tooFast(
      `Your rounds of the last 24 hours used ${grouped(used)} tokens, and the lab allows ${grouped(tokensPerDay)}: wait ${duration(free)}.`,
    );
  };

  return {
    count(personId) {
      const { commandsPerMinute } = limits();
      const wait = recent.add(personId, now(), commandsPerMinute);
      if (wait === 0) return;
      throw tooFast(
        `You gave ${commandsPerMinute} commands within a minute, which is what the lab allows: wait ${duration(wait)}.`,
      );
    },
    async startRound(personId, store, start) {
      const before = starting.get(personId) ?? Promise.resolve();
      const turn = before.then(async () => {
        await requireRoom(personId, store);
        return start();
      });
      // The next in line starts whether this one did or not.
      const settled = turn.then(
        () => {},
        () => {},
      );
      starting.set(personId, settled);
      try {
        return await turn;
      } finally {
        if (starting.get(personId) === settled) starting.delete(personId);
      }
    },
  };
}
