/** Returns and statistics of plays, on examples worked out by hand. */
import { describe, expect, it } from "vitest";
import { episodeReturn, isSuccess } from "../../graph/rewards/returns.ts";
import {
  armStatistics,
  clusteredEstimate,
  type Play,
  pairedRegret,
  scoreOf,
  winRate,
} from "../../graph/rewards/statistics.ts";

/** Plays 0, 1, 2, … of a round; each has a seed of its own unless `perSeed` share one. */
function plays(returns: readonly (number | null)[], { round = "r1", perSeed = 1 } = {}): Play[] {
  return returns.map((value, index) => ({
    roundId: round,
    index,
    seed: 1_000 + Math.floor(index / perSeed),
    return: value,
  }));
}

describe("an episode's return", () => {
  it.each([
    ["the last reward, if it terminated", true, 0.75, 0.75],
    ["clamped from above", true, 10, 1],
    ["clamped from below", true, -3, -1],
    ["0 when it ran out of turns or context", false, 1, 0],
    ["0 when no step was taken", true, null, 0],
    ["0, never −0", true, -0, 0],
  ])("is %s", (_, terminated, lastReward, expected) => {
    expect(episodeReturn({ terminated, lastReward, failure: null })).toBe(expected);
  });

  it("is 0 if the environment failed, and left out if we did", () => {
    expect(episodeReturn({ terminated: true, lastReward: 1, failure: { ours: false } })).toBe(0);
    expect(episodeReturn({ terminated: true, lastReward: 1, failure: { ours: true } })).toBeNull();
  });

  it("does not exist for a reward that is no number", () => {
    expect(() => episodeReturn({ terminated: true, lastReward: Number.NaN, failure: null })).toThrow(
      RangeError,
    );
  });
});

describe("success", () => {
  it("is a terminated episode with return 1", () => {
    expect(isSuccess({ terminated: true, return: 1 })).toBe(true);
    expect(isSuccess({ terminated: true, return: 0.99 })).toBe(false);
    expect(isSuccess({ terminated: false, return: 1 })).toBe(false);
    expect(isSuccess({ terminated: true, return: null })).toBe(false);
  });
});

describe("a mean and its standard error", () => {
  it("is s / √n for independent values", () => {
    // Mean 0.5; squared deviations 0.25 · 4 = 1; variance 1/3; stderr √(1/3) / 2 = √(1/12).
    const values = [1, 0, 1, 0].map((value, cluster) => ({ value, cluster }));
    expect(clusteredEstimate(values)).toEqual({ mean: 0.5, stderr: expect.closeTo(Math.sqrt(1 / 12), 12) });
  });

  it("counts plays that share a seed as one cluster", () => {
    // Mean 0.5. Cluster sums of deviations: +1 and −1. se² = 2/1 · (1 + 1) / 16 = 0.25.
    const values = [1, 1, 0, 0].map((value, at) => ({ value, cluster: Math.floor(at / 2) }));
    expect(clusteredEstimate(values)).toEqual({ mean: 0.5, stderr: 0.5 });
  });

  it("has no standard error under two clusters and no mean without values", () => {
    expect(clusteredEstimate([{ value: 0.3, cluster: 1 }])).toEqual({ mean: 0.3, stderr: null });
    expect(clusteredEstimate([1, 0].map((value) => ({ value, cluster: 1 })))).toEqual({
      mean: 0.5,
      stderr: null,
    });
    expect(clusteredEstimate([])).toEqual({ mean: null, stderr: null });
  });
});

describe("statistics of an arm", () => {
  it("leave out what failed for our own reasons, and count it", () => {
    // Of 1, null, 0, 0.5: mean 0.5, squared deviations 0.25 + 0.25 = 0.5, variance 0.25, stderr 0.5 / √3.
    expect(armStatistics(plays([1, null, 0, 0.5]))).toEqual({
      plays: 3,
      meanReturn: 0.5,
      stderr: expect.closeTo(0.5 / Math.sqrt(3), 12),
      returns: [1, null, 0, 0.5],
      failed: 1,
    });
  });

  it("have a null standard error under two plays", () => {
    expect(armStatistics(plays([0.25]))).toEqual({
      plays: 1,
      meanReturn: 0.25,
      stderr: null,
      returns: [0.25],
      failed: 0,
    });
    expect(armStatistics(plays([null, 1])).stderr).toBeNull();
    expect(armStatistics([])).toEqual({ plays: 0, meanReturn: null, stderr: null, returns: [], failed: 0 });
  });

  it("are clustered by seed when plays share seeds", () => {
    expect(armStatistics(plays([1, 1, 0, 0], { perSeed: 2 })).stderr).toBe(0.5);
  });

  it("put play i at place i, whatever order the episodes come in", () => {
    const [first, second, third] = plays([1, 0, 0.5]);
    const shuffled = [third, first, second].filter((play) => play !== undefined);
    expect(armStatistics(shuffled).returns).toEqual([1, 0, 0.5]);
    expect(armStatistics(shuffled.slice(0, 1)).returns).toEqual([null, null, 0.5]);
    expect(armStatistics(shuffled.slice(0, 1)).failed).toBe(0);
  });

  it("go over several rounds, one after the other", () => {
    const both = [...plays([1, 0]), ...plays([0, 0], { round: "r2" })];
    expect(armStatistics(both)).toMatchObject({ plays: 4, meanReturn: 0.25, returns: [1, 0, 0, 0] });
  });
});

describe("regret", () => {
  it("is the mean of the paired differences with their standard error", () => {
    // Differences 1, 0, 1, 0: mean 0.5, stderr √(1/12), though the arms alone are noisier.
    const regret = pairedRegret(plays([1, 1, 1, 0]), plays([0, 1, 0, 0]));
    expect(regret).toEqual({ regret: 0.5, stderr: expect.closeTo(Math.sqrt(1 / 12), 12), pairs: 4 });
  });

  it("has no error left when the arms differ by the same amount on every seed", () => {
    expect(pairedRegret(plays([1, 0.5, 0]), plays([0.5, 0, -0.5]))).toEqual({
      regret: 0.5,
      stderr: 0,
      pairs: 3,
    });
  });

  it("is taken from the pairs of which both plays have a return", () => {
    expect(pairedRegret(plays([1, null, 1]), plays([null, 0, 0]))).toEqual({
      regret: 1,
      stderr: null,
      pairs: 1,
    });
    // A round that plays fewer hinted plays than plain ones: the means of the arms.
    expect(pairedRegret(plays([1, 1]), plays([0, 0, 1, 1]))).toMatchObject({ regret: 0.5, pairs: 2 });
    // Plain plays of a round without hinted ones, e.g. of another version of the policy, have no say in it.
    const later = plays([-1, -1, -1], { round: "r2" });
    expect(pairedRegret(plays([1, 1]), [...plays([0, 0, 1, 1]), ...later]).regret).toBe(0.5);
    expect(pairedRegret([], plays([0]))).toEqual({ regret: null, stderr: null, pairs: 0 });
  });

  it("pairs plays of the same round and seed only", () => {
    expect(pairedRegret(plays([1], { round: "r2" }), plays([0])).pairs).toBe(0);
    const otherSeed = plays([1]).map((play) => ({ ...play, seed: 7 }));
    expect(pairedRegret(otherSeed, plays([0])).pairs).toBe(0);
  });

  it("is clustered by seed when plays share seeds", () => {
    // Differences 1, 1, 0, 0 in two clusters, as above: 0.5.
    const regret = pairedRegret(plays([1, 1, 0, 0], { perSeed: 2 }), plays([0, 0, 0, 0], { perSeed: 2 }));
    expect(regret).toEqual({ regret: 0.5, stderr: 0.5, pairs: 4 });
  });
});

describe("win rate", () => {
  it("is the mean plain return clamped to [0, 1]", () => {
    expect(winRate(0.4)).toBe(0.4);
    expect(winRate(-0.2)).toBe(0);
    expect(winRate(1)).toBe(1);
    expect(winRate(null)).toBeNull();
  });
});

describe("the score of an environment", () => {
  it("holds both arms, the regrets and the win rate", () => {
    const score = scoreOf({ plain: plays([0, 0]), hinted: plays([1, 0]), hintedHuman: plays([1, 1]) });
    expect(score).toMatchObject({
      regret: 0.5,
      regretStderr: 0.5,
      humanRegret: 1,
      humanRegretStderr: 0,
      winRate: 0,
    });
    expect(score.hinted.meanReturn).toBe(0.5);
    expect(score.hintedHuman?.meanReturn).toBe(1);
  });

  it("says null where there is no hint", () => {
    const score = scoreOf({ plain: plays([1, 0]), hinted: [], hintedHuman: null });
    expect(score).toMatchObject({
      regret: null,
      regretStderr: null,
      hintedHuman: null,
      humanRegret: null,
      winRate: 0.5,
    });
  });
});
