import { expect, test } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { campaignWarnings } from "../../graph/campaigns/warnings.ts";
import type { CampaignRound, CampaignRoundSummary } from "../../store/campaign-records.ts";
import { campaignOptionsOf } from "../support/campaigns.ts";

const { watch } = configSchema.parse({});

interface Said {
  readonly summary?: Partial<CampaignRoundSummary>;
  readonly statistics?: Readonly<Record<string, number | string | null>>;
}

/** A round of a campaign that goes well, but for what is said. */
function aRound(at: number, { summary, statistics = {} }: Said): CampaignRound {
  // Learning goes on: plain return rises, and the gap shrinks.
  const plainReturn = 0.2 + 0.005 * at;
  const plain = summary?.plainReturn ?? null;
  const hintedReturn = plain === null ? 0.5 + 0.002 * at : plain + 0.2;
  return {
    roundId: `c1r${at + 1}`,
    window: at,
    designs: true,
    policyVersion: "v",
    summary: {
      admitted: 8,
      rejected: 0,
      plainReturn,
      hintedReturn,
      regret: 0.2,
      designerReward: 0.2,
      rewardBySkill: {},
      mechanics: 6,
      keptGroups: 6,
      droppedGroups: 2,
      episodes: 200,
      atCap: 0.3,
      costUsd: 0,
      tokens: 0,
      ...summary,
    },
    update: {
      version: "v",
      batchId: "b",
      at: 0,
      statistics: { clipFraction: 0.1, agentEntropy: 1.5, designerEntropy: 2, ...statistics },
    },
  };
}

/** Warnings after so many rounds, the sentences aside. */
function warned(rounds: number, said: (at: number) => Said) {
  const record = {
    options: campaignOptionsOf(),
    rounds: Array.from({ length: rounds }, (_, at) => aRound(at, said(at))),
  };
  return campaignWarnings(record, watch).map(({ kind, since, until }) => ({ kind, since, until }));
}

test("a campaign that goes well is warned of nothing", () => {
  expect(warned(60, () => ({}))).toEqual([]);
});

test.each<[string, number, (at: number) => Said]>([
  // The mean of five falls under half of the best when four of the five are low.
  ["diversity", 24, (at) => ({ summary: { mechanics: at < 20 ? 6 : 2 } })],
  ["frontier-lost", 23, (at) => ({ summary: { regret: at < 20 ? 0.2 : 0.01 } })],
  ["too-easy", 23, (at) => (at < 20 ? {} : { summary: { plainReturn: 0.95 } })],
  ["at-cap", 23, (at) => ({ summary: { atCap: at < 20 ? 0.3 : 0.93 } })],
  [
    "pool-memorised",
    24,
    (at) => ({ summary: { keptGroups: at < 20 ? 4 : 1, droppedGroups: at < 20 ? 4 : 7 } }),
  ],
  ["entropy", 25, (at) => ({ statistics: { agentEntropy: at < 20 ? 1.5 : 0.1 } })],
  ["entropy", 25, (at) => ({ statistics: { designerEntropy: at < 20 ? 2 : 0.1 } })],
  ["learning-rate", 23, (at) => ({ statistics: { clipFraction: at < 20 ? 0.1 : 0.6 } })],
  ["skipped", 21, (at) => (at < 20 ? {} : { statistics: { skipped: "It came too late." } })],
])("%s is warned of from round %i on", (kind, since, said) => {
  expect(warned(26, said)).toContainEqual({ kind, since, until: null });
  expect(warned(since - 1, said)).toEqual([]);
});

test("hints that do harm are warned of", () => {
  const said = (at: number): Said =>
    at < 20 ? {} : { summary: { plainReturn: 0.5, hintedReturn: 0.3, regret: 0.2 } };
  expect(warned(30, said).map(({ kind }) => kind)).toContain("hint-below-plain");
});

test("ten rounds in which nothing is learnt are warned of", () => {
  const said = (): Said => ({ summary: { plainReturn: 0.3, hintedReturn: 0.6 } });
  expect(warned(9, said)).toEqual([]);
  expect(warned(10, said)).toEqual([{ kind: "nothing-learnt", since: 10, until: null }]);
});

test("a warning says until when, and comes again as another", () => {
  const low = (at: number): boolean => (at >= 5 && at < 10) || at >= 15;
  expect(warned(20, (at) => ({ summary: { regret: low(at) ? 0 : 0.2 } }))).toEqual([
    { kind: "frontier-lost", since: 8, until: 11 },
    { kind: "frontier-lost", since: 18, until: null },
  ]);
});

test("few episodes are no evidence", () => {
  expect(warned(30, () => ({ summary: { regret: 0, plainReturn: 1, atCap: 1, episodes: 2 } }))).toEqual([]);
});

test("what a round tells before it was trained on does not count yet", () => {
  const rounds = Array.from({ length: 3 }, (_, at) => aRound(at, { summary: { regret: 0 } }));
  const [first, second, third] = rounds;
  if (first === undefined || second === undefined || third === undefined) throw new Error("three rounds");
  const options = campaignOptionsOf();
  expect(campaignWarnings({ options, rounds: [first, second, { ...third, update: null }] }, watch)).toEqual(
    [],
  );
  expect(campaignWarnings({ options, rounds }, watch)).toHaveLength(1);
});
