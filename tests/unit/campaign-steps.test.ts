/** What a campaign makes of a batch: which designs it holds, and what a trainer that refuses it says. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { TrainerError } from "../../config/errors.ts";
import { playRound, trainOn } from "../../graph/campaigns/steps.ts";
import { gatherBatch } from "../../graph/trainers/batch.ts";
import type { Trainer, UpdateStatistics } from "../../graph/trainers/trainer.ts";
import { refuseUntimely } from "../../graph/trainers/untimely.ts";
import type { CampaignOptions, CampaignRecord } from "../../store/campaign-records.ts";
import { anEnvironment, anEpisode, aRound, someScore } from "../contract/store-records.ts";
import { aCampaign, campaignOptionsOf } from "../support/campaigns.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { roundOptionsOf, type TestServices, testServices } from "../support/services.ts";

let services: TestServices;
let campaign: CampaignRecord;
const step = { kind: "update", index: 0, closesWindow: true } as const;

beforeEach(async () => {
  services = await testServices({ model: scriptedModel() });
  const { store } = services;
  const transcriptId = await store.texts.put(
    JSON.stringify({ system: "s", firstObservation: "o", turns: [] }),
  );
  const options = roundOptionsOf({ policyVersion: "p1" });
  const scores = { e1: { ...someScore, designerAdvantage: -0.7 } };
  await store.rounds.insert(aRound({ id: "c1r1", status: "finished", options, scores }));
  await store.environments.insert(anEnvironment({ id: "e1", roundId: "c1r1" }));
  for (const index of [0, 1]) {
    await store.episodes.insert(anEpisode({ roundId: "c1r1", index, return: index, transcriptId }));
  }
  const round = {
    roundId: "c1r1",
    window: 0,
    designs: true,
    policyVersion: "p1",
    summary: null,
    update: null,
  };
  campaign = aCampaign({ options: campaignOptionsOf({ every: 1, rounds: 1 }), rounds: [round] });
});
afterEach(() => services.close());

async function updateBy(
  update: Trainer["update"],
  options: Partial<CampaignOptions> = {},
  closesWindow = true,
) {
  const work = { services, trainer: { name: "test", update } };
  const asked = { ...campaign, options: { ...campaign.options, ...options } };
  const change = await trainOn(asked, { ...step, closesWindow }, work);
  return change(asked).rounds[0]?.update;
}

const statistics: UpdateStatistics = {
  agentTrajectories: 2,
  designerTrajectories: 0,
  clipFraction: 0,
  agentEntropy: null,
  designerEntropy: null,
  changed: 1,
  metrics: null,
};

const policyOf = (version: string, parent: string | null, batchId?: string) => ({
  version,
  parent,
  provider: "embedded",
  weightsId: "0".repeat(64),
  ...(batchId === undefined ? {} : { batchId, statistics: { changed: 2 } }),
  note: "a test's",
  createdAt: 1,
});

test("a batch that was trained on before a kill is written down with what came of it", async () => {
  await services.store.policies.insert(policyOf("p1", null));
  const update = await updateBy(async (batch) => {
    await services.store.policies.insert(policyOf("p2", "p1", batch.id));
    await refuseUntimely(services.store, batch, "p2");
    throw new Error("it was not refused");
  });
  expect(update).toMatchObject({ version: "p2", statistics: { changed: 2 } });
});

test("a batch that comes too late is left out, and the campaign goes on with the newest version", async () => {
  await services.store.policies.insert(policyOf("p1", null));
  await services.store.policies.insert(policyOf("p9", "p1"));
  const update = await updateBy(async (batch) => {
    await refuseUntimely(services.store, batch, "p9");
    throw new Error("it was not refused");
  });
  expect(update).toMatchObject({ version: "p9", statistics: { skipped: expect.stringContaining("p9") } });
});

test("what else goes wrong with an update ends the campaign's step", async () => {
  await expect(updateBy(() => Promise.reject(new Error("out of memory")))).rejects.toThrow("out of memory");
  // A duplicate of which nobody says what came can't be written down.
  const nameless = new TrainerError("trainer.duplicate", "It made a version already.");
  await expect(updateBy(() => Promise.reject(nameless))).rejects.toBe(nameless);
});

test.each([
  ["reward", true, [{ environmentId: "e1", advantage: -0.7 }]],
  ["entropy-only", true, [{ environmentId: "e1", advantage: 0 }]],
  ["frozen", true, []],
  ["reward", false, []],
] as const)(
  "a designer that learns by %s, its window closing: %s, has the designs %j",
  async (designer, closes, designs) => {
    const from = { roundIds: ["c1r1"], groups: "cross-arm" } as const;
    const { id } = await gatherBatch(services.store, { ...from, designs });
    const update = await updateBy(
      async ({ policyVersion }) => ({ version: "p2", parent: policyVersion, statistics }),
      { designer },
      closes,
    );
    expect(update?.batchId).toBe(id);
  },
);

test("every round of a campaign has a seed of its own, and the same one each time", async () => {
  const seedOf = async (of: string, index: number): Promise<number | undefined> => {
    const { options } = campaign;
    const asked = aCampaign({ id: of, options: { ...options, round: roundOptionsOf({ seed: 5 }) } });
    await services.store.campaigns.insert(asked);
    const roundId = `${of}r${index + 1}`;
    const work = { services, trainer: null, signal: AbortSignal.abort() };
    const round = { kind: "round", roundId, index, window: index, designs: true } as const;
    await expect(playRound(asked, round, work)).rejects.toThrow();
    return (await services.store.rounds.get(roundId))?.options.seed;
  };
  const first = await seedOf("c2", 0);
  expect(first).toBeTypeOf("number");
  expect(await seedOf("c3", 1)).not.toBe(first);
  expect(await seedOf("c4", 0)).toBe(first);
});
