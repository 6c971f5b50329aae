import { expect, test } from "vitest";
import { closesWindow, nextStep } from "../../graph/campaigns/next.ts";
import { dealt } from "../../graph/campaigns/steps.ts";
import type { CampaignRecord, CampaignRound } from "../../store/campaign-records.ts";
import { aCampaign, campaignOptionsOf } from "../support/campaigns.ts";

const summary: NonNullable<CampaignRound["summary"]> = {
  admitted: 2,
  rejected: 0,
  plainReturn: 0.3,
  hintedReturn: 0.5,
  regret: 0.2,
  designerReward: null,
  rewardBySkill: {},
  mechanics: 2,
  keptGroups: 1,
  droppedGroups: 1,
  episodes: 8,
  atCap: 0,
  costUsd: 0,
  tokens: 0,
};

/** Takes steps until the campaign is finished; what each was, in words. `admitted` by round. */
function walk(campaign: CampaignRecord, admitted: (index: number) => number = () => 2): string[] {
  const said: string[] = [];
  let record = campaign;
  for (let i = 0; i < 200; i += 1) {
    const step = nextStep(record);
    if (step.kind === "finish" || step.kind === "no-pool") return [...said, step.kind];
    if (step.kind === "evaluate") {
      said.push(`evaluate ${step.after}`);
      const entry = {
        after: step.after,
        policyVersion: null,
        setId: "s",
        success: 0,
        meanReturn: 0,
        episodes: 1,
        failed: 0,
        at: 0,
      };
      record = { ...record, evaluations: [...record.evaluations, entry] };
    } else if (step.kind === "round") {
      said.push(`${step.designs ? "design" : "play"} ${step.roundId} w${step.window}`);
      const { roundId, window, designs, index } = step;
      const entry = {
        roundId,
        window,
        designs,
        policyVersion: "v",
        summary: { ...summary, admitted: admitted(index) },
        update: null,
      };
      record = { ...record, rounds: [...record.rounds, entry] };
    } else if (step.kind === "update") {
      said.push(step.closesWindow ? "update, closing" : "update");
      const update = { version: "v", batchId: "b", statistics: null, at: 0 };
      record = {
        ...record,
        rounds: record.rounds.map((round, at) => (at === step.index ? { ...round, update } : round)),
      };
    } else {
      said.push(`pool ${step.roundId}: ${step.designs}`);
      const ids = Array.from({ length: admitted(step.index) }, (_, at) => `${step.roundId}-${at}`);
      record = {
        ...record,
        poolRounds: [...record.poolRounds, step.roundId],
        pool: [...record.pool, ...ids],
      };
    }
  }
  return said;
}

test("rounds, updates and evaluations follow each other, and the last window counts although it is short", () => {
  expect(walk(aCampaign({ options: campaignOptionsOf({ rounds: 3, every: 2, evaluateEvery: 2 }) }))).toEqual([
    "evaluate 0",
    "design c1r1 w0",
    "update",
    "play c1r2 w0",
    "update, closing",
    "evaluate 2",
    "design c1r3 w1",
    "update, closing",
    "evaluate 3",
    "finish",
  ]);
});

test("a window in which nothing was admitted closes at once", () => {
  const options = campaignOptionsOf({ rounds: 3, every: 3, evaluateEvery: 0 });
  expect(walk(aCampaign({ options }), (index) => (index === 0 ? 0 : 2))).toEqual([
    "design c1r1 w0",
    "update, closing",
    "design c1r2 w1",
    "update",
    "play c1r3 w1",
    "update, closing",
    "finish",
  ]);
});

test("a campaign without a trainer plays and evaluates alone", () => {
  const options = campaignOptionsOf({ rounds: 2, every: 1, trainer: "none", evaluateEvery: 2 });
  expect(walk(aCampaign({ options }))).toEqual([
    "evaluate 0",
    "design c1r1 w0",
    "design c1r2 w1",
    "evaluate 2",
    "finish",
  ]);
});

test("a fixed pool is designed first, in so many rounds as it takes, and then only played", () => {
  const options = campaignOptionsOf({ rounds: 2, every: 2, poolSize: 60, evaluateEvery: 0 });
  expect(walk(aCampaign({ options }), (index) => (index === 0 ? 40 : 20))).toEqual([
    "pool c1p1: 50",
    "pool c1p2: 20",
    "play c1r1 w0",
    "update",
    "play c1r2 w0",
    "update, closing",
    "finish",
  ]);
});

test("a pool that people chose is only played", () => {
  const options = campaignOptionsOf({ rounds: 1, evaluateEvery: 0 }, { pool: ["e1"] });
  expect(walk(aCampaign({ options }))).toEqual(["play c1r1 w0", "update, closing", "finish"]);
});

test("a pool of which too little is admitted is given up", () => {
  const options = campaignOptionsOf({ poolSize: 4 });
  expect(walk(aCampaign({ options }), () => 0)).toEqual([
    ...Array.from({ length: 13 }, (_, i) => `pool c1p${i + 1}: 4`),
    "no-pool",
  ]);
});

test("a round that began and is not over is gone on with", () => {
  const begun = {
    roundId: "c1r1",
    window: 0,
    designs: true,
    policyVersion: null,
    summary: null,
    update: null,
  };
  const options = campaignOptionsOf({ evaluateEvery: 0 });
  expect(nextStep(aCampaign({ options, rounds: [begun] }))).toEqual({
    kind: "round",
    roundId: "c1r1",
    index: 0,
    window: 0,
    designs: true,
  });
  expect(closesWindow(aCampaign())).toBe(false);
});

test("a pool is dealt to its end before a card comes again", () => {
  const pool = ["a", "b", "c", "d", "e"];
  const first = dealt(pool, 2, 0, 7);
  const second = dealt(pool, 2, 1, 7);
  expect(new Set([...first, ...second]).size).toBe(4);
  expect(dealt(pool, 9, 0, 7).toSorted()).toEqual(pool);
  expect(dealt(pool, 2, 0, 7)).toEqual(first);
});
