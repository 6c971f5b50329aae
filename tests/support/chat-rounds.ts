/** A round desk over a room in memory, with real services and a model of the test's: what the tests of rounds in chat share. */
import { expect, vi } from "vitest";
import type { Caller } from "../../bot/caller.ts";
import { createHub } from "../../bot/chat/hub.ts";
import type { Room } from "../../bot/chat/room.ts";
import { createRoundDesk, type RoundDesk, type RoundDeskOptions } from "../../bot/chat/round-desk.ts";
import type { Place } from "../../bot/chat/team.ts";
import { type Config, configSchema } from "../../config/schema.ts";
import { createRound } from "../../graph/control.ts";
import type { RoundEvent } from "../../graph/events.ts";
import type { Model } from "../../graph/models/model.ts";
import type { Services } from "../../graph/services.ts";
import type { RoundOptions, RoundRecord } from "../../store/records.ts";
import type { RoomMessage } from "./memory-room.ts";
import { scriptedModel } from "./scripted-model.ts";
import { roundOptionsOf, silent, type TestServicesOptions, testServices } from "./services.ts";

export const ann: Caller = { id: "ann-1", name: "Ann", role: "researcher", surface: "discord" };
export const ben: Caller = { id: "ben-2", name: "Ben", role: "researcher", surface: "discord" };
export const lab: Place = { channelId: "lab", shared: true };

export interface DeskSetting {
  readonly services: Services;
  readonly desk: RoundDesk;
  /** Everything that happened in rounds, in order. */
  readonly events: readonly RoundEvent[];
  /** Stores a round and starts it in a place; resolves with its id. */
  start(change?: Partial<RoundOptions>, caller?: Caller, place?: Place): Promise<string>;
  /** Resolves when the round has a status that fits. */
  until(roundId: string, ...statuses: readonly RoundRecord["status"][]): Promise<void>;
  /** Closes desk and services. */
  close(): Promise<void>;
}

export interface DeskSettingOptions extends TestServicesOptions, Pick<RoundDeskOptions, "requestCard"> {
  readonly room: Room;
  /** Least time between edits, milliseconds: shorter than people could set it. */
  readonly progressMs?: number;
  readonly limits?: Partial<Config["limits"]>;
}

/** Resolves when nothing is left to say about a round. */
export async function untilDone({ services }: DeskSetting, roundId: string): Promise<void> {
  await vi.waitUntil(
    async () => (await services.store.posts.get(`round:${roundId}`))?.facts.done === true,
    patience,
  );
}

/** A model that waits before the agent's so many-th answer until the test lets it go on. */
export function pausing(answers: number): {
  readonly model: Model;
  readonly paused: Promise<void>;
  goOn(): void;
} {
  const paused = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  return {
    model: scriptedModel({
      before: async ({ role }) => {
        if (role !== "agent") return;
        calls += 1;
        if (calls < answers) return;
        paused.resolve();
        await gate.promise;
      },
    }),
    paused: paused.promise,
    goOn: () => gate.resolve(),
  };
}

/** The status messages among others. */
export const statusesIn = (messages: readonly RoomMessage[]): readonly RoomMessage[] =>
  messages.filter(({ card }) => card.blocks.some((block) => JSON.stringify(block).includes('"started"')));

/** What every round leaves in its thread: one status message, its designs, one play told, one end. */
export function expectWhole(messages: readonly RoomMessage[], roundId: string): void {
  const titles = messages.map(({ card }) => card.title);
  expect(statusesIn(messages)).toHaveLength(1);
  expect(titles.filter((title) => title === `Round ${roundId}: finished`)).toHaveLength(2);
  expect(titles.filter((title) => / (\S+): (admitted|rejected)$/.test(title)).sort()).toEqual([
    expect.stringContaining(`${roundId}-1 `),
    expect.stringContaining(`${roundId}-2 `),
    expect.stringContaining(`${roundId}-3 `),
  ]);
  expect(titles.filter((title) => title.includes("played twice"))).toHaveLength(1);
  expect(titles).toHaveLength(6);
}

export const patience = { timeout: 60_000, interval: 10 } as const;

export async function deskSetting({
  room,
  requestCard,
  progressMs = 30,
  limits = {},
  ...options
}: DeskSettingOptions): Promise<DeskSetting> {
  const hub = createHub(silent);
  const made = await testServices({ ...options, onEvent: hub.emit });
  const parsed = configSchema.parse({ ...made.config, limits: { ...made.config.limits, ...limits } });
  const config = { ...parsed, discord: { ...parsed.discord, progressMs } };
  const services = { ...made, config };
  const desk = createRoundDesk({
    services,
    room,
    log: silent,
    ...(requestCard === undefined ? {} : { requestCard }),
  });
  hub.add((event) => (event.type === "campaign" ? undefined : desk.listen(event)));
  return {
    services,
    desk,
    events: made.events,
    async start(change = {}, caller = ann, place = lab) {
      const { id } = await createRound(services, roundOptionsOf(change), caller.name);
      await desk.startRound(id, caller, place);
      return id;
    },
    async until(roundId, ...statuses) {
      await vi.waitUntil(async () => {
        const round = await services.store.rounds.get(roundId);
        return round !== null && statuses.includes(round.status);
      }, patience);
    },
    async close() {
      await desk.close();
      await services.close();
    },
  };
}
