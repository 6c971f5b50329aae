/** Rounds on Discord for tests: started by people, found again by their threads, and counted when all is said. */
import { expect, vi } from "vitest";
import type { Store } from "../../store/store.ts";
import type { Person } from "./discord/people.ts";
import { controlsOf, type DiscordServer, textOf } from "./discord/server.ts";
import type { Channel, Message } from "./discord/world.ts";

/** For what takes a round's time. */
export const wait = { timeoutMs: 60_000 } as const;
const patience = { timeout: 60_000, interval: 25 } as const;

/** Resolves when the round has the status in the store. */
export async function hasStatus({ rounds }: Store, roundId: string, status: string): Promise<void> {
  await vi.waitFor(async () => expect((await rounds.get(roundId))?.status).toBe(status), patience);
}

/** Resolves when the round has the status and nothing is left to say about it. */
export async function isTold(store: Store, roundId: string, status = "finished"): Promise<void> {
  await hasStatus(store, roundId, status);
  await vi.waitFor(
    async () => expect((await store.posts.get(`round:${roundId}`))?.facts.done).toBe(true),
    patience,
  );
}

/** Resolves when the round plays; one of many plays is far from done then. */
export async function isPlaying({ episodes }: Store, roundId: string): Promise<void> {
  await vi.waitFor(async () => expect((await episodes.ofRound(roundId)).length).toBeGreaterThan(2), patience);
}

export function threadOf(discord: DiscordServer, channel: string, roundId: string): Promise<Channel> {
  return discord.threadIn(channel, new RegExp(`^Round ${roundId}:`), wait);
}

/** Status messages among others. */
export function statusesIn(messages: readonly Message[]): Message[] {
  return messages.filter((message) => textOf(message).includes("**started**"));
}

/** Messages that ask or asked for an approval. */
export function requestsIn(messages: readonly Message[]): Message[] {
  return messages.filter(({ history }) => history[0]?.text.includes(": approve it?"));
}

export const labelsOf = (message: Message | null | undefined): string[] =>
  controlsOf(message ?? null).map(({ label }) => label);

/** A round's thread when all is over holds one status message and one end, which calls who started it. */
export function expectToldOnce(
  messages: readonly Message[],
  { roundId, by, status = "finished" }: { roundId: string; by: Person; status?: string },
): void {
  const ends = messages.filter(
    (message) => message.pings.includes(by.id) && textOf(message).includes(`Round ${roundId}: ${status}`),
  );
  expect(ends, `ends of ${roundId}`).toHaveLength(1);
  const statuses = statusesIn(messages).filter((message) => textOf(message).includes(`Round ${roundId}:`));
  expect(statuses, `status messages of ${roundId}`).toHaveLength(1);
  expect(textOf(statuses[0])).toContain(`Round ${roundId}: ${status}`);
}
