import { describe, expect, it } from "vitest";
import { armNames, arms, campaignOf, poolSizes, runName, runsOf } from "../../graph/comparison/arms.ts";
import { comparisonDocuments } from "../../graph/comparison/documents.ts";
import { interval } from "../../graph/comparison/interval.ts";
import type { RunOutcome } from "../../graph/comparison/lab.ts";
import { curvesCsv, isClear, resultsPage } from "../../graph/comparison/page.ts";
import { comparisonResult } from "../../graph/comparison/result.ts";
import { heldOutThemes } from "../../graph/models/embedded/mechanics/held-out/themes.ts";
import { playsOf } from "../../graph/planned-episodes.ts";

const sizes = {
  rounds: 60,
  envs: 4,
  plays: 16,
  hintedPlays: 4,
  evaluateEvery: 20,
  evaluations: 300,
};

function outcome(change: Partial<RunOutcome> & { readonly final: number }): RunOutcome {
  const { final, ...rest } = change;
  return {
    arm: "full",
    poolSize: 0,
    seed: 1,
    setId: "held-out-x",
    curve: [
      { after: 0, success: 0.2 },
      { after: 60, success: final },
    ],
    rounds: [],
    episodes: 3_840,
    turns: 30_000,
    updates: 60,
    wallMs: 1_000,
    ...rest,
  };
}

describe("the arms of a comparison", () => {
  it("play as many episodes in a round, with as many turns allowed, and train as often", () => {
    for (const arm of armNames) {
      const { round, rounds, every } = campaignOf({ arm, poolSize: arms[arm].pool ? 80 : 0, seed: 3 }, sizes);
      const hinted = round.hints === false ? 0 : (round.hintedPlays ?? round.plays);
      expect(round.plays + hinted, arm).toBe(sizes.plays);
      expect([round.envs, round.turnCap, round.fill, rounds, every], arm).toEqual([4, 25, true, 60, 1]);
    }
  });

  it("try three pool sizes where they play a pool, and every seed in all arms before the next", () => {
    expect(poolSizes(sizes)).toEqual([24, 80, 240]);
    const runs = runsOf(armNames, [1, 2], sizes);
    expect(runs).toHaveLength(2 * 12);
    expect(runs.slice(0, 12).every(({ seed }) => seed === 1)).toBe(true);
    expect(new Set(runs.map(runName)).size).toBe(runs.length);
  });

  it("share documents, none of which is about a held-out theme", () => {
    const held = new Set(heldOutThemes.flatMap((line) => line.split(" ").slice(0, 1)));
    const texts = comparisonDocuments();
    expect(texts.length).toBeGreaterThan(40);
    expect(new Set(texts.map(({ title }) => title)).size).toBe(texts.length);
    for (const { title } of texts) expect(held).not.toContain(title.split(" ").at(-1));
  });
});

describe("plays of an environment", () => {
  const options = { plays: 12, hintedPlays: 4, fill: true };
  it("are as asked where every design was admitted, or nothing is filled up", () => {
    expect(playsOf(options, 4, 4, 2)).toEqual({ plain: 12, hinted: 4 });
    expect(playsOf({ ...options, fill: false }, 4, 3, 0)).toEqual({ plain: 12, hinted: 4 });
    expect(playsOf({ plays: 8 }, 4, 3, 0)).toEqual({ plain: 8, hinted: 8 });
  });

  it.each([1, 2, 3, 4])("of %i admitted designs out of four add up to those of four", (playable) => {
    const all = Array.from({ length: playable }, (_, i) => playsOf(options, 4, playable, i));
    expect(all.reduce((sum, { plain }) => sum + plain, 0)).toBe(48);
    expect(all.reduce((sum, { hinted }) => sum + hinted, 0)).toBe(16);
    expect(all.every(({ plain, hinted }) => hinted <= plain)).toBe(true);
  });
});

describe("an interval", () => {
  it("is that of Student's t", () => {
    // Ten values 1 to 10: mean 5.5, deviation 3.0277, t = 2.262.
    const { mean, low, high } = interval(Array.from({ length: 10 }, (_, i) => i + 1));
    expect(mean).toBeCloseTo(5.5);
    expect([low, high].map((value) => Number(value?.toFixed(3)))).toEqual([3.334, 7.666]);
  });

  it("goes on beyond the table", () => {
    const values = Array.from({ length: 101 }, (_, i) => i % 2);
    const { mean, high } = interval(values);
    // t with 100 degrees of freedom is 1.984.
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 100);
    expect(((high ?? 0) - mean) / (deviation / Math.sqrt(101))).toBeCloseTo(1.984, 2);
  });

  it("can't be said of one value", () => {
    expect(interval([0.4])).toEqual({ mean: 0.4, low: null, high: null });
    expect(() => interval([])).toThrow(RangeError);
  });
});

describe("a comparison's result", () => {
  const runs = [1, 2, 3].flatMap((seed) => [
    outcome({ seed, final: 0.5 + seed / 100 }),
    outcome({ seed, arm: "fixed-pool", poolSize: 24, final: 0.2 }),
    outcome({ seed, arm: "fixed-pool", poolSize: 80, final: 0.3 + seed / 50 }),
  ]);

  it("has the best pool, paired differences and their intervals", () => {
    const { seeds, arms: results, differences } = comparisonResult(runs, 60);
    expect(seeds).toEqual([1, 2, 3]);
    const [full, pool] = results;
    expect(full?.heldOut.perSeed).toEqual([0.51, 0.52, 0.53]);
    expect([pool?.arm, pool?.poolSize]).toEqual(["fixed-pool", 80]);
    expect(pool?.pools.map(({ poolSize }) => poolSize)).toEqual([24, 80]);
    const [difference] = differences;
    expect(difference?.mean).toBeCloseTo(0.18);
    // Differences 0.19, 0.18, 0.17: deviation 0.01, t = 4.303.
    expect(difference?.ci95?.[0]).toBeCloseTo(0.18 - (4.303 * 0.01) / Math.sqrt(3));
    expect(isClear(difference ?? { ci95: null })).toBe(true);
  });

  it("counts only seeds that every arm and pool size has finished", () => {
    expect(comparisonResult([...runs, outcome({ seed: 4, final: 0.9 })], 60).seeds).toEqual([1, 2, 3]);
    const unfinished = runs.filter(({ seed, poolSize }) => !(seed === 2 && poolSize === 24));
    expect(comparisonResult(unfinished, 60).seeds).toEqual([1, 3]);
    expect(() =>
      comparisonResult([outcome({ final: 1 }), outcome({ arm: "no-hint", seed: 2, final: 1 })], 60),
    ).toThrow(RangeError);
  });

  it("reads the same whichever way it falls", () => {
    const page = (final: number): string =>
      resultsPage({
        result: comparisonResult(
          [1, 2, 3].flatMap((seed) => [
            outcome({ seed, final: 0.5 + seed / 1_000 }),
            outcome({ seed, arm: "no-memory", final: final + seed / 500 }),
          ]),
          60,
        ),
        sizes,
        command: "bin/spadework compare",
        workMs: 3_600_000,
        workers: 2,
      });
    expect(page(0.3)).toContain("is ahead, with an interval that excludes 0, of `no-memory` (19.8)");
    expect(page(0.7)).toContain("It is behind, with an interval that excludes 0, `no-memory` (-20.2)");
    expect(page(0.499)).toContain("No difference can be told from 0 for `no-memory`");
  });

  it("gives its curves as numbers", () => {
    const [header, first] = curvesCsv(comparisonResult(runs, 60)).split("\n");
    expect(header).toBe("arm,pool_size,rounds,held_out_success,ci95_low,ci95_high");
    expect(first?.split(",").slice(0, 3)).toEqual(["full", "0", "0"]);
  });
});
