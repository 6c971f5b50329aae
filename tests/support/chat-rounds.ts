/** A round desk over a room in memory, with real services and a model of the test's: what the tests of rounds in chat share. */
import { vi } from "vitest";
import type { Caller } from "../../bot/caller.ts";
import { createHub } from "../../bot/chat/hub.ts";
import type { Room } from "../../bot/chat/room.ts";
import { createRoundDesk, type RoundDesk, type RoundDeskOptions } from "../../bot/chat/round-desk.ts";
import type { Place } from "../../bot/chat/team.ts";
import { type Config, configSchema } from "../../config/schema.ts";
import { createRound } from "../../graph/control.ts";
import type { RoundEvent } from "../../graph/events.ts";
import type { Services } from "../../graph/services.ts";
import type { RoundOptions, RoundRecord } from "../../store/records.ts";
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
  hub.add((event) => desk.listen(event));
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
