import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { averagesNow, windowLessons } from "../../graph/campaigns/window.ts";
import { openStore } from "../../store/open.ts";
import type { EpisodeRecord, RoundOptions } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { anEnvironment, anEpisode, aRound } from "../contract/store-records.ts";
import { roundOptionsOf, silent } from "../support/services.ts";

let store: Store;
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "spadework-window-"));
  store = await openStore({ dataDir: directory, log: silent });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const skill = "Logical Deduction";

/** A window's rounds; the first one designed one environment for each of the names. */
async function aWindow(rounds: number, names: readonly string[], options: Partial<RoundOptions> = {}) {
  const ids = Array.from({ length: rounds }, (_, i) => `c1r${i + 1}`);
  for (const [i, id] of ids.entries()) {
    const mode = i === 0 ? "self-play" : "pool";
    await store.rounds.insert(
      aRound({ id, status: "finished", options: roundOptionsOf({ mode, ...options }) }),
    );
  }
  for (const [slot, id] of names.entries()) {
    await store.environments.insert(
      anEnvironment({ id, roundId: "c1r1", slot, skill, hintId: "0".repeat(64), firstAnswerAdmitted: true }),
    );
  }
  return ids;
}

/** Plays of an environment in a round, one a return. */
async function plays(
  roundId: string,
  environmentId: string,
  arm: EpisodeRecord["arm"],
  returns: readonly (number | null)[],
): Promise<void> {
  for (const [index, value] of returns.entries()) {
    await store.episodes.insert(
      anEpisode({ roundId, environmentId, arm, index, seed: index, return: value, failure: null }),
    );
  }
}

const rewards = async (
  ids: readonly string[],
  before?: Parameters<typeof windowLessons>[1][number]["before"],
) =>
  (
    await windowLessons(
      store,
      ids.map((roundId, i) => ({ roundId, ...(i === 0 && before !== undefined ? { before } : {}) })),
    )
  ).map(({ environmentId, reward, advantage }) => ({ environmentId, reward, advantage }));

test("u comes from the plays of all rounds of the window", async () => {
  const ids = await aWindow(2, ["e1", "e2"], { reward: "regret" });
  await plays("c1r1", "e1", "plain", [0, 0]);
  await plays("c1r1", "e1", "hinted", [1, 1]);
  await plays("c1r2", "e1", "plain", [1, 1]);
  await plays("c1r2", "e1", "hinted", [1, 1]);
  for (const id of ids) {
    await plays(id, "e2", "plain", [0, 0]);
    await plays(id, "e2", "hinted", [0, 0]);
  }
  const [first, second] = await rewards(ids);
  // Regret 1 in the first round, 0 in the second.
  expect(first?.reward).toBeCloseTo(0.5);
  expect(second?.reward).toBeCloseTo(0);
  // (u − mean u) × s, s = 4 plain plays an update / 2 designs × 2 rounds.
  expect(first?.advantage).toBeCloseTo(0.25 * 4);
  expect(second?.advantage).toBeCloseTo(-0.25 * 4);
});

test("blend takes its win rate from all rounds, and its regret from the first alone", async () => {
  const ids = await aWindow(2, ["e1"], { reward: "blend" });
  await plays("c1r1", "e1", "plain", [0, 0]);
  await plays("c1r1", "e1", "hinted", [0, 0]);
  await plays("c1r2", "e1", "plain", [1, 1]);
  await plays("c1r2", "e1", "hinted", [1, 1]);
  // Win rate 0.5 over both: the plateau; regret 0 in the first.
  expect((await rewards(ids))[0]?.reward).toBeCloseTo(0.6);
  await store.episodes.insert(
    anEpisode({ roundId: "c1r2", environmentId: "e1", arm: "hinted", index: 2, return: 1 }),
  );
  expect((await rewards(ids))[0]?.reward).toBeCloseTo(0.6);
});

test("the first round is the one that designed, whatever the rounds are called", async () => {
  const ids = await aWindow(2, ["e1"], { reward: "blend" });
  await plays("c1r1", "e1", "plain", [0, 1]);
  await plays("c1r1", "e1", "hinted", [1, 1]);
  await plays("c1r2", "e1", "plain", [1, 0]);
  await plays("c1r2", "e1", "hinted", [0, 0]);
  // Win rate 0.5 over both; the first round's regret of 0.5 fills the second term, the second one's has none of it.
  expect((await rewards(ids))[0]?.reward).toBeCloseTo(1);
});

test("learning potential is measured from what was known before the window's first play", async () => {
  const ids = await aWindow(2, ["e1"], { reward: "learning_potential" });
  await store.averages.put({ role: "agent", skill, fast: 0.9, slow: 0.9, meanReward: null, count: 0 });
  const before = await averagesNow(store);
  for (const id of ids) await plays(id, "e1", "plain", [0.2, 0.2]);
  // The rounds' own plays have entered the average meanwhile.
  await store.averages.put({ role: "agent", skill, fast: 0.2, slow: 0.2, meanReward: null, count: 0 });
  expect(before).toEqual({ [skill]: { slow: 0.9, meanReward: null } });
  expect((await rewards(ids, before))[0]?.reward).toBeCloseTo(0.7);
});

test("one design of a skill is compared with what the skill earned before the window", async () => {
  const ids = await aWindow(2, ["e1"], { reward: "solve_rate" });
  for (const id of ids) await plays(id, "e1", "plain", [1, 0]);
  const [lesson] = await rewards(ids, { [skill]: { slow: null, meanReward: 0.4 } });
  expect(lesson?.reward).toBeCloseTo(1);
  // (1 − 0.4) × 2 plays an update / 1 design × 2 rounds.
  expect(lesson?.advantage).toBeCloseTo(0.6 * 4);
});

test("a window of one round is what the round itself has settled", async () => {
  const [id = ""] = await aWindow(1, ["e1"]);
  await store.rounds.update(id, (round) => ({
    ...round,
    scores: {
      e1: {
        plain: { plays: 1, meanReturn: 0, stderr: null, returns: [0], failed: 0 },
        hinted: { plays: 1, meanReturn: 1, stderr: null, returns: [1], failed: 0 },
        hintedHuman: null,
        regret: 1,
        regretStderr: null,
        humanRegret: null,
        humanRegretStderr: null,
        winRate: 0,
        designerReward: 0.3,
        designerAdvantage: -0.2,
      },
    },
  }));
  expect(await rewards([id])).toEqual([{ environmentId: "e1", reward: 0.3, advantage: -0.2 }]);
});

test("rounds that designed nothing teach no designer", async () => {
  await store.rounds.insert(aRound({ id: "c1r1", options: roundOptionsOf({ mode: "pool", pool: ["e1"] }) }));
  expect(await windowLessons(store, [{ roundId: "c1r1" }])).toEqual([]);
  expect(await windowLessons(store, [])).toEqual([]);
});
