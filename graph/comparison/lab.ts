/** One run of a comparison: a campaign in a lab of its own, prepared alike for every run, and what came of it. */
import { hash } from "node:crypto";
import { z } from "zod";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import type { Store } from "../../store/store.ts";
import { changeCampaign, createCampaign } from "../campaigns/control.ts";
import { runCampaign } from "../campaigns/run.ts";
import type { RunOptions } from "../control.ts";
import { embeddedProvider } from "../models/embedded/policy-store.ts";
import { initialWeights, serialiseWeights } from "../models/embedded/weights.ts";
import type { Services } from "../services.ts";
import { armNames, arms, type ComparisonRun, type ComparisonSizes, campaignOf } from "./arms.ts";
import { comparisonDocuments } from "./documents.ts";

/** What came of one run; kept as a file of its own, so that a comparison that was stopped goes on. */
export const runOutcome = z.object({
  arm: z.enum(armNames),
  poolSize: z.number().int().nonnegative(),
  seed: z.number().int().nonnegative(),
  /** Which held-out environments. */
  setId: z.string(),
  /** Success on them by rounds done, in [0, 1]. */
  curve: z.array(z.object({ after: z.number().int(), success: z.number().min(0).max(1) })).min(1),
  /** Round by round: mean returns of the arms, and the mean regret. */
  rounds: z.array(
    z.object({
      plain: z.number().nullable(),
      hinted: z.number().nullable(),
      regret: z.number().nullable(),
      mechanics: z.number().nullable(),
    }),
  ),
  episodes: z.number().int().nonnegative(),
  turns: z.number().int().nonnegative(),
  updates: z.number().int().nonnegative(),
  wallMs: z.number().nonnegative(),
});
export type RunOutcome = z.infer<typeof runOutcome>;

export interface LabRunOptions extends RunOptions {
  /** Told after every step: rounds done of all. */
  readonly onProgress: (done: number) => void;
}

/** Runs it, or goes on with it; null if it was stopped on the way. Throws SpadeworkError. */
export async function runInLab(
  services: Services,
  run: ComparisonRun,
  sizes: ComparisonSizes,
  { onProgress, ...options }: LabRunOptions,
): Promise<RunOutcome | null> {
  const { store } = services;
  const [known] = (await store.campaigns.list("", { limit: 1 })).items;
  let campaign = known;
  if (campaign === undefined) {
    await prepare(services, run);
    campaign = await createCampaign(services, campaignOf(run, sizes), "compare");
  } else if (campaign.status === "failed") {
    // Whoever gives the command again has mended what it failed for.
    await changeCampaign(services, campaign.id, "resume", "compare");
  }
  const record = await runCampaign(services, campaign.id, {
    ...options,
    onStep: ({ rounds }) => onProgress(rounds.filter(({ update }) => update !== null).length),
  });
  if (record.status === "running") return null;
  if (record.status !== "finished") {
    throw new Error(`campaign ${record.id} is ${record.status}: ${record.error?.message ?? ""}`);
  }
  return outcomeOf(store, record, run);
}

async function prepare({ store, now }: Services, { arm }: ComparisonRun): Promise<void> {
  for (const { title, text } of comparisonDocuments()) {
    const textId = await store.texts.put(text);
    await store.documents.insert({
      id: `d${hash("sha256", text).slice(0, 12)}`,
      title,
      origin: "the comparison's own documents",
      part: 0,
      parts: 1,
      textId,
      characters: text.length,
      addedBy: "compare",
      addedAt: now(),
    });
  }
  if (arms[arm].uniformDesigner !== true) return;
  const weightsId = await store.texts.put(serialiseWeights({ ...initialWeights(), designer: {} }));
  await store.policies.insert({
    version: `${embeddedProvider}-${weightsId.slice(0, 12)}`,
    parent: null,
    provider: embeddedProvider,
    weightsId,
    note: "untrained, with a designer that chooses at random",
    createdAt: now(),
  });
}

async function outcomeOf(
  store: Store,
  { rounds, evaluations, wallMs }: CampaignRecord,
  { arm, poolSize, seed }: ComparisonRun,
): Promise<RunOutcome> {
  const totals = await Promise.all(
    rounds.map(async ({ roundId }) => (await store.rounds.get(roundId))?.totals),
  );
  return runOutcome.parse({
    arm,
    poolSize,
    seed,
    setId: evaluations[0]?.setId ?? "",
    curve: evaluations.map(({ after, success }) => ({ after, success })),
    rounds: rounds.map(({ summary }) => ({
      plain: summary?.plainReturn ?? null,
      hinted: summary?.hintedReturn ?? null,
      regret: summary?.regret ?? null,
      mechanics: summary?.mechanics ?? null,
    })),
    episodes: totals.reduce((sum, one) => sum + (one?.episodes ?? 0), 0),
    turns: totals.reduce((sum, one) => sum + (one?.steps ?? 0), 0),
    updates: rounds.filter(({ update }) => update !== null).length,
    wallMs,
  });
}
