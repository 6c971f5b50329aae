/** The designer's reward in all its variants, its advantage, and the skills' running numbers, worked out by hand. */
import { describe, expect, it } from "vitest";
import type { RewardVariant } from "../../config/words.ts";
import { emptyAverages, withReturns, withRewards } from "../../graph/rewards/averages.ts";
import { designerAdvantages } from "../../graph/rewards/designer-advantage.ts";
import { designerReward, hasHang, plateau, type RewardInput } from "../../graph/rewards/designer-reward.ts";
import type { Play } from "../../graph/rewards/statistics.ts";

function plays(returns: readonly (number | null)[], roundId = "r1"): Play[] {
  return returns.map((value, index) => ({ roundId, index, seed: index, return: value }));
}

/** u of an admitted environment with a hint; win rate 0.5 and regret 0.25 unless told otherwise. */
function reward(variant: RewardVariant, change: Partial<RewardInput> = {}): number | null {
  return designerReward({
    variant,
    firstAnswerAdmitted: true,
    hint: "kept",
    hung: false,
    plain: plays([1, 1, 0, 0]),
    hinted: plays([1, 1, 1, 0]),
    slowAverage: null,
    ...change,
  });
}

const variants: readonly RewardVariant[] = [
  "regret",
  "learning_potential",
  "micro_lp",
  "blend",
  "solve_rate",
];

describe("every variant", () => {
  it.each(variants)("%s is 0 if the first answer failed admission, repaired or not", (variant) => {
    expect(reward(variant, { firstAnswerAdmitted: false, slowAverage: 0 })).toBe(0);
    expect(reward(variant, { firstAnswerAdmitted: false, hung: true })).toBe(0);
  });

  it.each(variants)("%s is 0 if the hint still leaked after its rewrite", (variant) => {
    expect(reward(variant, { hint: "refused", slowAverage: 0 })).toBe(0);
  });

  it.each(variants)("%s is null if no play has a return", (variant) => {
    expect(reward(variant, { plain: plays([null, null]), hinted: plays([null, 1]) })).toBeNull();
  });
});

describe("regret", () => {
  it("is the hinted mean minus the plain one", () => {
    expect(reward("regret")).toBe(0.25);
  });

  it("is never negative", () => {
    expect(reward("regret", { hinted: plays([0, 0, 0, 0]) })).toBe(0);
  });

  it("is −0.5 for an environment that hung, with or without a hint", () => {
    expect(reward("regret", { hung: true })).toBe(-0.5);
    expect(reward("regret", { hung: true, hint: "absent" })).toBe(-0.5);
  });

  it("is 0 without a hint", () => {
    expect(reward("regret", { hint: "absent", hinted: [] })).toBe(0);
  });

  it("is taken from all plays of the window", () => {
    const plain = [...plays([0, 0]), ...plays([1, 1], "r2")];
    const hinted = [...plays([1, 1]), ...plays([1, 1], "r2")];
    expect(reward("regret", { plain, hinted })).toBe(0.5);
  });
});

describe("learning potential", () => {
  it("is the distance of the mean return from the skill's slow average", () => {
    expect(reward("learning_potential", { slowAverage: 0.2 })).toBeCloseTo(0.3, 12);
    expect(reward("learning_potential", { slowAverage: 0.9 })).toBeCloseTo(0.4, 12);
  });

  it("is 0 while the skill has no average", () => {
    expect(reward("learning_potential")).toBe(0);
  });
});

describe("micro learning progress", () => {
  it("is the mean of the later plays minus that of the earlier ones", () => {
    expect(reward("micro_lp", { plain: plays([0, 0.5, 1, 0.5]) })).toBe(0.5);
  });

  it("leaves the middle play of an odd number out, and never is negative", () => {
    expect(reward("micro_lp", { plain: plays([0, 1, 0.25]) })).toBe(0.25);
    expect(reward("micro_lp", { plain: plays([1, 1, 0, 0]) })).toBe(0);
  });

  it("leaves out plays that failed for our own reasons, and is 0 for a single one", () => {
    expect(reward("micro_lp", { plain: plays([null, 0, null, 1]) })).toBe(1);
    expect(reward("micro_lp", { plain: plays([1]) })).toBe(0);
  });
});

describe("the plateau of the win rate", () => {
  it.each([
    [0.4, 1],
    [0.5, 1],
    [0.6, 1],
    [0.275, 0.5],
    [0.725, 0.5],
    [0.15, 0],
    [0.85, 0],
    [0, 0],
    [1, 0],
  ])("of %d is %d", (rate, value) => {
    expect(plateau(rate)).toBeCloseTo(value, 12);
  });

  it("is all of solve_rate", () => {
    expect(reward("solve_rate")).toBe(1);
    expect(reward("solve_rate", { plain: plays([1, 1, 1, 0]) })).toBeCloseTo(0.4, 12);
    expect(reward("solve_rate", { hint: "absent", hinted: [] })).toBe(1);
    expect(reward("solve_rate", { plain: plays([-1, -1]) })).toBe(0);
  });
});

describe("the blend", () => {
  it("is 0.6 of the plateau and 0.4 of the regret up to 0.15", () => {
    expect(reward("blend")).toBe(1);
    // Win rate 0.75: plateau 1 − 0.15 / 0.25 = 0.4. Regret 0.25 is full: 0.6 · 0.4 + 0.4 = 0.64.
    expect(reward("blend", { plain: plays([1, 1, 1, 0]), hinted: plays([1, 1, 1, 1]) })).toBeCloseTo(
      0.64,
      12,
    );
  });

  it("takes a part of a small regret", () => {
    // Regret 0.06 is 0.4 of 0.15; win rate 0.5: 0.6 + 0.4 · 0.4 = 0.76.
    const hinted = plays([1, 1, 0.24, 0]);
    expect(reward("blend", { hinted })).toBeCloseTo(0.76, 12);
  });

  it("counts a negative regret, a missing hint and a hang as no regret", () => {
    expect(reward("blend", { hinted: plays([0, 0, 0, 0]) })).toBe(0.6);
    expect(reward("blend", { hint: "absent", hinted: [] })).toBe(0.6);
    expect(reward("blend", { hung: true })).toBe(0.6);
  });

  it("takes its regret from the first round of a window, and its win rate from all", () => {
    // First round: win rate 0, regret 1. Second: win rate 1, regret 0. Over both the win rate is 0.5.
    const plain = [...plays([0, 0]), ...plays([1, 1], "r2")];
    const hinted = [...plays([1, 1]), ...plays([1, 1], "r2")];
    expect(reward("blend", { plain, hinted })).toBe(1);
    expect(reward("blend", { plain: [...plain].reverse(), hinted: [...hinted].reverse() })).toBe(0.6);
  });
});

describe("a hang", () => {
  it("is a time-out or a dead host that the environment is to blame for", () => {
    const failure = (code: string, ours: boolean) => [{ failure: { code, detail: "", ours } }];
    expect(hasHang(failure("timed-out", false))).toBe(true);
    expect(hasHang(failure("host-died", false))).toBe(true);
    expect(hasHang(failure("timed-out", true))).toBe(false);
    expect(hasHang(failure("environment-threw", false))).toBe(false);
    expect(hasHang([{ failure: null }])).toBe(false);
  });
});

describe("the designer's advantage", () => {
  const design = (id: string, skill: string, value: number | null) => ({ id, skill, reward: value });
  const options = { runningMeans: {}, agentTrajectories: 4, regenerationInterval: 1 };

  it("is the reward minus the skill's mean, times s, with no division by a deviation", () => {
    // s = 4 / 4 = 1. Means: A 0.5, B 0.25.
    const designs = [design("a", "A", 1), design("b", "A", 0), design("c", "B", 0.5), design("d", "B", 0)];
    expect(designerAdvantages(designs, options)).toEqual({
      scale: 1,
      advantages: [
        { id: "a", advantage: 0.5 },
        { id: "b", advantage: -0.5 },
        { id: "c", advantage: 0.25 },
        { id: "d", advantage: -0.25 },
      ],
    });
  });

  it("takes the skill's running mean when it is alone in the batch, else the batch's mean", () => {
    // The batch's mean is (1 + 0 + 0.5 + 0.5) / 4 = 0.5; B alone has a running mean of 0.2, C none.
    const designs = [design("a", "A", 1), design("b", "A", 0), design("c", "B", 0.5), design("d", "C", 0.5)];
    const { advantages } = designerAdvantages(designs, { ...options, runningMeans: { B: 0.2, C: null } });
    expect(advantages.map(({ advantage }) => advantage)).toEqual([0.5, -0.5, 0.3, 0]);
  });

  it("is scaled by agent trajectories per designer trajectory times the regeneration interval, up to 50", () => {
    const designs = [design("a", "A", 1), design("b", "A", 0)];
    const scaled = (agentTrajectories: number, regenerationInterval: number) =>
      designerAdvantages(designs, { ...options, agentTrajectories, regenerationInterval });
    expect(scaled(16, 1)).toMatchObject({ scale: 8, advantages: [{ advantage: 4 }, { advantage: -4 }] });
    expect(scaled(16, 4).scale).toBe(32);
    expect(scaled(400, 1).scale).toBe(50);
  });

  it("leaves designs out whose reward can't be said", () => {
    const designs = [design("a", "A", 1), design("b", "A", null), design("c", "A", 0)];
    expect(designerAdvantages(designs, options)).toEqual({
      scale: 2,
      advantages: [
        { id: "a", advantage: 1 },
        { id: "b", advantage: null },
        { id: "c", advantage: -1 },
      ],
    });
    expect(designerAdvantages([design("b", "A", null)], options).advantages).toEqual([
      { id: "b", advantage: null },
    ]);
  });
});

describe("a skill's running numbers", () => {
  it("start with the first return and then move by 0.98 and 0.85", () => {
    const first = withReturns(emptyAverages("agent", "Optimization"), [1]);
    expect(first).toMatchObject({ fast: 1, slow: 1 });
    // Then 0: fast 0.02 · 1 + 0.98 · 0, slow 0.15 · 1 + 0.85 · 0.
    const second = withReturns(first, [null, 0]);
    expect(second.fast).toBeCloseTo(0.02, 12);
    expect(second.slow).toBeCloseTo(0.15, 12);
  });

  it("keep the mean of all rewards and their number", () => {
    const first = withRewards(emptyAverages("designer", "Optimization"), [0.5, null, 1]);
    expect(first).toMatchObject({ meanReward: 0.75, count: 2, fast: null });
    expect(withRewards(first, [0])).toMatchObject({ meanReward: 0.5, count: 3 });
    expect(withRewards(first, [])).toEqual(first);
  });
});
