/** A lab that is watched: a real store, a room in memory, and a clock of the test's. */
import { createWatchDesk, type WatchDesk } from "../../bot/watch/watch-desk.ts";
import type { RoundEvent } from "../../graph/events.ts";
import type { SubscriptionRecord } from "../../store/chat-records.ts";
import type { EnvironmentScore, RoundRecord } from "../../store/records.ts";
import { aRound } from "../contract/store-records.ts";
import { drawn, type MemoryRoom, memoryRoom } from "./memory-room.ts";
import { scriptedModel } from "./scripted-model.ts";
import { silent, type TestServices, testServices } from "./services.ts";

/** When the tests begin: noon, UTC. */
export const start = Date.UTC(2026, 0, 5, 12);

export interface Watched {
  readonly services: TestServices;
  readonly room: MemoryRoom;
  readonly clock: { now: number };
  desk: WatchDesk;
  tell(event: RoundEvent): void;
  /** Lets everything that is due happen. */
  settle(): Promise<void>;
  restart(): Promise<void>;
  texts(): readonly string[];
}

let open: Watched | null = null;

/** Closes what the test opened. */
export async function closeWatched(): Promise<void> {
  await open?.desk.close();
  await open?.services.close();
  open = null;
}

/** A lab with one subscription, to everything and in channel `c1` unless the test says otherwise. */
export async function watched(subscription: Partial<SubscriptionRecord> = {}): Promise<Watched> {
  const clock = { now: start };
  const services = Object.assign(await testServices({ model: scriptedModel() }), { now: () => clock.now });
  const room = memoryRoom();
  // Looks are made by `settle` alone: their interval is longer than any test.
  const begin = () => createWatchDesk({ services, room, log: silent, lookEveryMs: 3_600_000 });
  await services.store.subscriptions.insert({
    id: "w1",
    target: { kind: "channel", id: "c1" },
    events: [
      "round-finished",
      "round-failed",
      "frontier-lost",
      "too-easy",
      "too-hard",
      "gate-failures",
    ].concat(["budget", "provider", "approval-waiting", "queue-stuck"]),
    quiet: null,
    createdBy: "7",
    createdAt: start,
    ...subscription,
  });
  const made: Watched = {
    services,
    room,
    clock,
    desk: begin(),
    tell: (event) => made.desk.listen(event),
    settle: () => made.desk.resume(),
    async restart() {
      await made.desk.close();
      made.desk = begin();
      await made.desk.resume();
    },
    texts: () => room.messages.map(({ card }) => drawn(card)),
  };
  open = made;
  return made;
}

const arm = (meanReturn: number) => ({ plays: 4, meanReturn, stderr: 0.1, returns: [meanReturn], failed: 0 });

const scored = (plain: number, regret: number): EnvironmentScore => ({
  plain: arm(plain),
  hinted: arm(plain + regret),
  hintedHuman: null,
  regret,
  regretStderr: 0.1,
  humanRegret: null,
  humanRegretStderr: null,
  winRate: null,
  designerReward: null,
  designerAdvantage: null,
});

/** Stores a round of one environment that is over. */
export async function finishedRound(
  { services, clock }: Watched,
  id: string,
  { plain = 0.4, regret = 0.3, ...change }: Partial<RoundRecord> & { plain?: number; regret?: number } = {},
): Promise<void> {
  const environmentId = `${id}-1`;
  await services.store.environments.insert({
    id: environmentId,
    roundId: id,
    slot: 0,
    name: "VaultDialEnv",
    kind: "game",
    language: "javascript",
    skill: null,
    difficulty: null,
    documentId: null,
    brief: null,
    status: "admitted",
    reason: null,
    sourceId: null,
    gates: [],
    repairs: 0,
    firstAnswerAdmitted: true,
    hintId: null,
    firstObservation: "",
    maxTurns: null,
    tags: [],
    fingerprint: null,
    designer: { model: "scripted", policyVersion: null, decisions: null, conversationId: null },
    score: null,
    createdAt: clock.now,
  });
  await services.store.rounds.insert(
    aRound({
      id,
      status: "finished",
      startedAt: clock.now,
      endedAt: clock.now,
      environmentIds: [environmentId],
      scores: { [environmentId]: scored(plain, regret) },
      ...change,
    }),
  );
}

export const ended = (roundId: string, status: RoundRecord["status"] = "finished"): RoundEvent => ({
  type: "round-ended",
  roundId,
  status,
});
