/** Small campaigns for tests, and what is left of one when times are taken away. */
import { expect } from "vitest";
import type { Services } from "../../graph/services.ts";
import type { CampaignOptions, CampaignRecord } from "../../store/campaign-records.ts";
import type { RoundOptions } from "../../store/records.ts";
import { roundOptionsOf } from "./services.ts";

/** Four small rounds in windows of two, evaluated at the beginning, in the middle and at the end. */
export function campaignOptionsOf(
  change: Partial<Omit<CampaignOptions, "round">> = {},
  round: Partial<RoundOptions> = {},
): CampaignOptions {
  return {
    rounds: 4,
    every: 2,
    trainer: "embedded",
    groups: "cross-arm",
    designer: "reward",
    evaluateEvery: 2,
    evaluations: 4,
    poolSize: 0,
    ...change,
    round: roundOptionsOf({ envs: 2, plays: 2, model: "embedded", seed: 11, ...round }),
  };
}

/** A campaign that nothing was done of yet. */
export function aCampaign(change: Partial<CampaignRecord> = {}): CampaignRecord {
  return {
    id: "c1",
    status: "running",
    options: campaignOptionsOf(),
    startedBy: "tester",
    startedAt: 1_000,
    endedAt: null,
    wallMs: 0,
    poolRounds: [],
    pool: [],
    rounds: [],
    evaluations: [],
    warnings: [],
    error: null,
    ...change,
  };
}

/** A campaign without its times, and the versions in the store, oldest first. */
export async function lastingOf({ store }: Pick<Services, "store">, id: string) {
  const record = await store.campaigns.get(id);
  if (record === null) throw new Error(`there is no campaign ${id}`);
  const { items } = await store.policies.list("", { limit: 1_000 });
  const batches = items.flatMap(({ batchId }) => (batchId === undefined ? [] : [batchId]));
  expect(new Set(batches).size, "every batch is trained on once").toBe(batches.length);
  return {
    record: {
      ...record,
      startedBy: "",
      startedAt: 0,
      endedAt: 0,
      wallMs: 0,
      rounds: record.rounds.map((round) => ({
        ...round,
        update: round.update === null ? null : { ...round.update, at: 0 },
      })),
      evaluations: record.evaluations.map((evaluation) => ({ ...evaluation, at: 0 })),
    },
    versions: items.map(({ version, parent, batchId }) => ({ version, parent, batchId })).reverse(),
  };
}
