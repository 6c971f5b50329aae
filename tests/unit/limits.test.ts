import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLimits, type Limits } from "../../bot/limits.ts";
import { type Config, configSchema } from "../../config/schema.ts";
import { openStore } from "../../store/open.ts";
import type { RoundRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { roundOptionsOf, silent } from "../support/services.ts";

const minute = 60_000;
const hour = 60 * minute;

let now = 0;
let store: Store;
let directory = "";

function limitsOf(change: Partial<Config["limits"]>): Limits {
  const config = configSchema.parse({ limits: change });
  return createLimits(
    () => config.limits,
    () => now,
  );
}

async function started(id: string, personId: string, at: number, tokens: number | null = 1): Promise<void> {
  const totals: RoundRecord["totals"] =
    tokens === null
      ? null
      : {
          episodes: 0,
          steps: 0,
          modelCalls: 0,
          droppedGroups: 0,
          inputTokens: tokens - 1,
          outputTokens: 1,
          costUsd: 0,
        };
  await store.rounds.insert({
    id,
    status: "finished",
    options: roundOptionsOf(),
    startedBy: personId,
    startedAt: at,
    endedAt: at,
    wallMs: 0,
    environmentIds: [],
    scores: {},
    totals,
    error: null,
  });
  const post = { channelId: "1", messageId: null, threadId: null, facts: {}, updatedAt: at };
  await store.posts.insert({ ...post, id: `round:${id}`, personId });
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "spadework-"));
  store = await openStore({ dataDir: directory, log: silent });
  now = 100 * hour;
});

afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

describe("commands a minute", () => {
  it("are counted per person in a window that slides", () => {
    const limits = limitsOf({ commandsPerMinute: 2 });
    limits.count("a");
    now += 20_000;
    limits.count("a");
    limits.count("b");
    expect(() => limits.count("a")).toThrow("wait 40 s");
    now += 40_000;
    limits.count("a");
    expect(() => limits.count("a")).toThrow("wait 20 s");
  });

  it("forgive the refused ones, so that hammering does not lock anybody out", () => {
    const limits = limitsOf({ commandsPerMinute: 1 });
    limits.count("a");
    for (let tries = 0; tries < 5; tries += 1) {
      now += 10_000;
      expect(() => limits.count("a")).toThrow(/within a minute/);
    }
    now += 10_000;
    expect(() => limits.count("a")).not.toThrow();
  });
});

describe("rounds an hour", () => {
  it("are counted from the store, so that a restart forgets nothing", async () => {
    await started("r1", "a", now - hour + 5 * minute);
    await started("r2", "a", now - 10 * minute);
    await started("r3", "b", now - minute);
    await started("r0", "a", now - 2 * hour);
    await expect(limitsOf({ roundsPerHour: 2 }).startRound("a", store, async () => 1)).rejects.toThrow(
      "You started 2 rounds within an hour, and the lab allows 2: wait 5 min 00 s.",
    );
    await expect(limitsOf({ roundsPerHour: 3 }).startRound("a", store, async () => 1)).resolves.toBe(1);
    await expect(limitsOf({ roundsPerHour: 2 }).startRound("b", store, async () => 2)).resolves.toBe(2);
  });

  it("leave the last place to one of several starts at once", async () => {
    const limits = limitsOf({ roundsPerHour: 2 });
    await started("r1", "a", now - minute);
    const start = (id: string) => limits.startRound("a", store, () => started(id, "a", now));
    const ends = await Promise.allSettled([start("r2"), start("r3"), start("r4")]);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
  });

  it("let the next one start after a start that failed", async () => {
    const limits = limitsOf({ roundsPerHour: 1 });
    const ends = await Promise.allSettled([
      limits.startRound("a", store, async () => {
        throw new Error("no model");
      }),
      limits.startRound("a", store, async () => "started"),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  });
});

describe("tokens a day", () => {
  it("are those of the person's rounds of 24 hours, and the wait is until enough of them have left", async () => {
    await started("r1", "a", now - 25 * hour, 5_000);
    await started("r2", "a", now - 23 * hour, 400);
    await started("r3", "a", now - 2 * hour, 700);
    await started("r4", "b", now - hour, 5_000);
    const start = (tokensPerDay: number) =>
      limitsOf({ tokensPerDay }).startRound("a", store, async () => "started");
    await expect(start(1_101)).resolves.toBe("started");
    await expect(start(1_100)).rejects.toThrow(
      "used 1,100 tokens, and the lab allows 1,100: wait 1 h 00 min.",
    );
    await expect(start(700)).rejects.toThrow("wait 22 h 00 min");
  });

  it("have no limit at 0", async () => {
    await started("r1", "a", now - hour, 5_000_000);
    await expect(limitsOf({}).startRound("a", store, async () => 1)).resolves.toBe(1);
  });
});
