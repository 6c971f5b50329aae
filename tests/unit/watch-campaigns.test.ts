import { afterEach, expect, test } from "vitest";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import { aCampaign, campaignOptionsOf } from "../support/campaigns.ts";
import { closeWatched, ended, finishedRound, start, type Watched, watched } from "../support/watch-lab.ts";

afterEach(closeWatched);

const events = ["campaign-milestone", "campaign-warning", "round-finished", "queue-stuck"];
const minuteMs = 60_000;

/** A watched lab with a campaign of eight rounds that began just now. */
async function lab() {
  const made = await watched({ events });
  const { campaigns } = made.services.store;
  const options = campaignOptionsOf({ rounds: 8, trainer: "none" });
  await campaigns.insert(aCampaign({ options, startedAt: start }));
  return {
    made,
    async change(change: (campaign: CampaignRecord) => Partial<CampaignRecord>): Promise<void> {
      made.clock.now += minuteMs;
      await campaigns.update("c1", (campaign) => ({ ...campaign, ...change(campaign) }));
      await told(made);
    },
  };
}

/** Lets what is due be told: what is gathered, too. */
async function told(made: Watched): Promise<void> {
  await made.settle();
  made.clock.now += minuteMs;
  await made.settle();
}

const evaluated = (after: number, success: number, at: number): CampaignRecord["evaluations"][number] => ({
  after,
  policyVersion: "v",
  setId: "s",
  success,
  meanReturn: success,
  episodes: 4,
  failed: 0,
  at,
});

test("the start, each new best and the end of a campaign are told, once", async () => {
  const { made, change } = await lab();
  await told(made);
  await change(() => ({ evaluations: [evaluated(0, 0.2, made.clock.now)] }));
  await change(({ evaluations }) => ({ evaluations: [...evaluations, evaluated(2, 0.4, made.clock.now)] }));
  await change(({ evaluations }) => ({ evaluations: [...evaluations, evaluated(4, 0.3, made.clock.now)] }));
  await change(() => ({ status: "finished", endedAt: made.clock.now }));
  await made.restart();
  await told(made);
  const all = made.texts().join("\n").replaceAll(/\s+/g, " ");
  const count = (pattern: RegExp): number => all.match(pattern)?.length ?? 0;
  expect(count(/Campaign c1 was started by tester: 8 rounds/g)).toBe(1);
  expect(count(/has a new best after 2 rounds: held-out success 40\.0 %, before 20\.0 %/g)).toBe(1);
  expect(count(/has a new best after/g)).toBe(1);
  expect(count(/Campaign c1 is finished/g)).toBe(1);
});

test("a pause and a failure are told, and again when it comes to that again", async () => {
  const { made, change } = await lab();
  await change(() => ({ status: "paused", endedAt: made.clock.now }));
  await change(() => ({ status: "running", endedAt: null }));
  const error = { code: "provider.unreachable", message: "It does not answer." };
  await change(() => ({ status: "failed", endedAt: made.clock.now, error }));
  await change(() => ({ status: "running", endedAt: null, error: null }));
  await change(() => ({ status: "failed", endedAt: made.clock.now, error }));
  const all = made.texts().join("\n").replaceAll(/\s+/g, " ");
  expect(all.match(/Campaign c1 is paused after 0 of 8 rounds\./g)).toHaveLength(1);
  expect(all.match(/Campaign c1 failed after 0 of 8 rounds: It does not answer\./g)).toHaveLength(2);
});

test("a warning is told, and its message says when it is over", async () => {
  const { made, change } = await lab();
  const warning = { kind: "entropy", since: 3, until: null, message: "The agent chooses ever the same." };
  await change(() => ({ warnings: [warning] }));
  const one = made.room.messages.find(({ card }) => JSON.stringify(card).includes("chooses ever the same"));
  expect(JSON.stringify(one?.card)).not.toContain("no longer seen");
  await change(() => ({ warnings: [{ ...warning, until: 6 }] }));
  expect(JSON.stringify(one?.card)).toContain("no longer seen after round 6");
  expect(made.texts().filter((text) => text.includes("chooses ever the same"))).toHaveLength(1);
});

test("rounds of campaigns tell nothing of their own", async () => {
  const { made } = await lab();
  await finishedRound(made, "c1r1", { regret: 0 });
  await finishedRound(made, "r1");
  made.tell(ended("c1r1"));
  made.tell(ended("r1"));
  await told(made);
  const all = made.texts().join("\n");
  expect(all).toContain("Round r1 is finished");
  expect(all).not.toContain("c1r1");
});

test("a campaign that nobody works on is stuck, until somebody does", async () => {
  const { made, change } = await lab();
  made.clock.now += 11 * minuteMs;
  await told(made);
  const one = made.room.messages.find(({ card }) => JSON.stringify(card).includes("makes no progress"));
  expect(JSON.stringify(one?.card)).toContain("nobody works on it");
  await change(() => ({ evaluations: [evaluated(0, 0.2, made.clock.now)] }));
  expect(JSON.stringify(one?.card)).toContain("it goes on");
});
