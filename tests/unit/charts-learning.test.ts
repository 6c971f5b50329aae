/** Charts of campaigns and comparisons: what they are made of, and that they can be drawn whatever is missing. */
import { pino } from "pino";
import { afterAll, describe, expect, test } from "vitest";
import type { CampaignChart } from "../../bot/cards/chart.ts";
import { campaignChart } from "../../bot/charts/campaign-chart.ts";
import { campaignSpec } from "../../bot/charts/campaign-spec.ts";
import { comparisonChart, comparisonData } from "../../bot/charts/comparison-chart.ts";
import { createPainter } from "../../bot/charts/painter.ts";
import { reachOf, smoothed } from "../../bot/charts/smooth.ts";
import type { CampaignRecord, CampaignRound } from "../../store/campaign-records.ts";
import type { PolicyRecord } from "../../store/records.ts";
import type { PolicyStore } from "../../store/store.ts";
import { aCampaign } from "../support/campaigns.ts";

const painter = createPainter({ log: pino({ level: "silent" }) });
afterAll(() => painter.close());

function sizeOf(png: Uint8Array): { readonly width: number; readonly height: number } {
  const bytes = Buffer.from(png);
  expect(bytes.subarray(1, 4).toString("latin1")).toBe("PNG");
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** The versions of a store, of which some restore others. */
function versionsOf(restored: Readonly<Record<string, string>> = {}): { readonly policies: PolicyStore } {
  const refuse = (): never => {
    throw new Error("a chart asks for single versions alone");
  };
  const record = (version: string): PolicyRecord => ({
    version,
    parent: null,
    provider: "embedded",
    weightsId: "0".repeat(64),
    note: "",
    createdAt: 1,
    ...(restored[version] === undefined ? {} : { restores: restored[version] }),
  });
  return {
    policies: {
      insert: refuse,
      latest: refuse,
      list: refuse,
      get: async (version) => (version === "gone" ? null : record(version)),
    },
  };
}

/** Round `number`, played by one version and trained to the next. */
function roundOf(
  number: number,
  from: string,
  to: string | null,
  change: Partial<NonNullable<CampaignRound["summary"]>> = {},
): CampaignRound {
  return {
    roundId: `c1r${number}`,
    window: number - 1,
    designs: true,
    policyVersion: from,
    summary: {
      admitted: 3,
      rejected: 1,
      plainReturn: 0.2 + (number % 5) / 20,
      hintedReturn: 0.5,
      regret: 0.3,
      designerReward: 0.2,
      rewardBySkill: { "Memory Recall": 0.4, Optimization: -0.5 },
      mechanics: 3,
      keptGroups: 2,
      droppedGroups: 1,
      episodes: 16,
      atCap: 0.1,
      costUsd: 0,
      tokens: 10,
      ...change,
    },
    update:
      to === null
        ? null
        : {
            version: to,
            batchId: `b${number}`,
            at: 1,
            statistics: {
              agentTrajectories: 8,
              designerTrajectories: 3,
              clipFraction: 0.1,
              agentEntropy: 1.5,
              designerEntropy: null,
              changed: 1,
            },
          },
  };
}

/** An update that came too late: the newest version is another one. */
function skipped(number: number, from: string, newest: string): CampaignRound {
  const round = roundOf(number, from, newest);
  return {
    ...round,
    update: { version: newest, batchId: "b", statistics: { skipped: "It came too late." }, at: 1 },
  };
}

const evaluationOf = (after: number, success: number): CampaignRecord["evaluations"][number] => ({
  after,
  policyVersion: `v${after}`,
  setId: "held-out",
  success,
  meanReturn: success,
  episodes: 300,
  failed: 0,
  at: 1,
});

function campaignOf(rounds: readonly CampaignRound[], after: readonly number[]): CampaignRecord {
  return aCampaign({
    rounds: [...rounds],
    evaluations: after.map((one) => evaluationOf(one, 0.2 + one / 1_000)),
  });
}

const straight = (rounds: number): CampaignRound[] =>
  Array.from({ length: rounds }, (_, at) => roundOf(at + 1, `v${at}`, `v${at + 1}`));

async function chartOf(record: CampaignRecord, restored?: Record<string, string>): Promise<CampaignChart> {
  const chart = await campaignChart(record, versionsOf(restored));
  if (chart === null) throw new Error("there is nothing to draw");
  return chart;
}

describe("the chart of a campaign", () => {
  test("is its record as curves, with words for those who see none", async () => {
    const chart = await chartOf(campaignOf(straight(3), [0, 2]));
    expect(chart.alt).toBe(
      "Campaign c1 after 3 of 4 rounds: held-out success 20.0 % → 20.2 %, plain return 0.25 → 0.35, hinted return 0.50 → 0.50",
    );
    expect(chart.evaluations[0]).toMatchObject({ after: 0, success: 0.2 });
    expect(chart.evaluations[0]?.low).toBeCloseTo(0.158_657, 5);
    expect(chart.rounds.map(({ plain }) => plain)).toEqual([0.25, expect.closeTo(0.3), 0.35]);
    expect(chart.rewards).toContainEqual({ round: 3, skill: "Optimization", reward: -0.5 });
    expect(chart.updates[1]).toEqual({
      round: 2,
      agentEntropy: 1.5,
      designerEntropy: null,
      clipFraction: 0.1,
    });
    expect(chart.versions.map(({ after, updates, by }) => [after, updates, by])).toEqual([
      [0, 0, "nothing"],
      [1, 1, "update"],
      [2, 2, "update"],
      [3, 3, "update"],
    ]);
  });

  test("shows a rollback as the updates that it took out of the weights", async () => {
    // v3 is trained; somebody goes back to v1 while round 4 is played: its update comes too late.
    const rounds = [...straight(3), skipped(4, "v3", "back"), roundOf(5, "back", "v5")];
    const { versions } = await chartOf(campaignOf(rounds, []), { back: "v1" });
    expect(versions.slice(3).map(({ after, updates, by }) => [after, updates, by])).toEqual([
      [3, 3, "update"],
      [4, 1, "rollback"],
      [5, 2, "update"],
    ]);
  });

  test("shows a version that somebody else made, and one that went back before the campaign", async () => {
    const other = await chartOf(campaignOf([...straight(2), roundOf(3, "other", "v3")], []));
    expect(other.versions.slice(2).map(({ after, updates, by }) => [after, updates, by])).toEqual([
      [2, 2, "update"],
      [2, 2, "somebody"],
      [3, 3, "update"],
    ]);
    const rounds = [...straight(2), roundOf(3, "back", "v3")];
    const { versions } = await chartOf(campaignOf(rounds, []), { back: "long ago" });
    expect(versions[3]).toMatchObject({ after: 2, updates: 0, by: "rollback" });
  });

  test("is none where nothing is over yet", async () => {
    expect(await campaignChart(campaignOf([], []), versionsOf())).toBeNull();
    const begun = { ...roundOf(1, "v0", null), summary: null };
    expect(await campaignChart(campaignOf([begun], []), versionsOf())).toBeNull();
  });

  test("leaves out panels that have nothing to show", async () => {
    const panels = (chart: CampaignChart): number => {
      const spec = campaignSpec(chart);
      return "vconcat" in spec ? spec.vconcat.length : 0;
    };
    expect(panels(await chartOf(campaignOf([], [0])))).toBe(1);
    const untrained = { ...roundOf(1, "v0", null, { rewardBySkill: {} }), policyVersion: null };
    expect(panels(await chartOf(campaignOf([untrained], [])))).toBe(1);
    expect(panels(await chartOf(campaignOf(straight(2), [])))).toBe(5);
  });

  const unplayed = { plainReturn: null, hintedReturn: null, rewardBySkill: {} };
  test.each<[string, CampaignRecord]>([
    ["one round", campaignOf(straight(1), [0, 1])],
    ["one evaluation and nothing else", campaignOf([], [0])],
    ["four hundred rounds", campaignOf(straight(400), [0, 100, 200, 300, 400])],
    ["rounds that played nothing", campaignOf([roundOf(1, "v0", "v1", unplayed), ...straight(5)], [0])],
    [
      "skills that are no skills",
      campaignOf([roundOf(1, "v0", "v1", { rewardBySkill: { "‮<svg>&@everyone": 0.3, "": 0.1 } })], []),
    ],
  ])("can be drawn: %s", async (_what, record) => {
    const { width, height } = sizeOf(await painter.draw(await chartOf(record)));
    expect(width).toBeGreaterThan(1_000);
    expect(width).toBeLessThan(2_500);
    expect(height).toBeLessThan(3_000);
  });
});

describe("smoothing", () => {
  test("is a moving average that keeps gaps and shortens at the ends", () => {
    expect(smoothed([1, 2, null, 6], 1)).toEqual([1.5, 1.5, null, 6]);
    expect(smoothed([1, 5], 0)).toEqual([1, 5]);
  });

  test("grows with the rounds, up to ten on either side", () => {
    expect([1, 11, 60, 400].map(reachOf)).toEqual([0, 0, 5, 10]);
  });
});

describe("the chart of a comparison", () => {
  const arms = ["full", "fixed-pool"].map((arm, number) => ({
    arm,
    points: [0, 30, 60].map((after) => ({ after, mean: 0.2 + number / 10, low: 0.1, high: 0.5 })),
  }));

  test("names its arms in the picture, and says how they end", async () => {
    const { svg, png } = await comparisonChart({ arms });
    for (const { arm } of arms) expect(svg).toContain(`>${arm}</text>`);
    expect(sizeOf(png).width).toBeGreaterThan(1_000);
    expect(comparisonData({ arms }).alt).toContain("fixed-pool 0.300 [0.100, 0.500] after 60 rounds");
  });

  test("can be drawn of one arm with one point, of an arm without any, and of more arms than colours", async () => {
    const one = { arm: "full", points: [{ after: 0, mean: 0.2, low: 0.2, high: 0.2 }] };
    const many = Array.from({ length: 12 }, (_, at) => ({ ...one, arm: `arm ${at}` }));
    const first = await painter.draw(comparisonData({ arms: [one] }));
    const second = await painter.draw(comparisonData({ arms: [{ arm: "x", points: [] }, ...many] }));
    expect([sizeOf(first).height, sizeOf(second).height].every((height) => height > 500)).toBe(true);
  });
});
