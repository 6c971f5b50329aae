/** The steps of a campaign, each of which may be repeated after a kill and then does nothing twice. */
import { RoundError, TrainerError } from "../../config/errors.ts";
import { keyedRandom, keyedSeed } from "../../config/random.ts";
import type { CampaignRecord, CampaignRound, CampaignUpdate } from "../../store/campaign-records.ts";
import type { RoundOptions, RoundRecord } from "../../store/records.ts";
import { createRound, type RunOptions, runRound } from "../control.ts";
import type { Services } from "../services.ts";
import { designedIn } from "../totals.ts";
import { gatherBatch } from "../trainers/batch.ts";
import type { Trainer } from "../trainers/trainer.ts";
import type { CampaignStep } from "./next.ts";
import { summaryOf } from "./summary.ts";
import { windowLessons } from "./window.ts";

type Change = (record: CampaignRecord) => CampaignRecord;

/** What the steps work with. */
export interface CampaignWork extends RunOptions {
  readonly services: Services;
  /** Null for a campaign that only measures. */
  readonly trainer: Trainer | null;
}

/** A round's step, over which the campaign was stopped: the round can be resumed. */
export class Stopped extends Error {
  constructor() {
    super("the campaign was stopped within a round");
    this.name = "Stopped";
  }
}

/** Designs environments for the fixed pool. */
export async function designPool(
  campaign: CampaignRecord,
  step: Extract<CampaignStep, { kind: "design-pool" }>,
  work: CampaignWork,
): Promise<Change> {
  const { options, startedBy } = campaign;
  const asked: RoundOptions = {
    ...options.round,
    mode: "design",
    envs: step.designs,
    seed: keyedSeed(options.round.seed, "campaign-pool", step.index),
    campaignId: campaign.id,
  };
  const round = await played(work, asked, startedBy, step.roundId);
  const designed = await designedIn(work.services.store, round.id);
  const admitted = designed.filter(({ status }) => status === "admitted").map(({ id }) => id);
  return (record) => ({
    ...record,
    poolRounds: [...record.poolRounds, round.id],
    pool: [...record.pool, ...admitted],
  });
}

/** Plays one round; its entry in the campaign is there before it begins, and complete when it ends. */
export async function playRound(
  campaign: CampaignRecord,
  step: Extract<CampaignStep, { kind: "round" }>,
  work: CampaignWork,
): Promise<Change> {
  const { options, startedBy } = campaign;
  const asked: RoundOptions = {
    ...options.round,
    mode: step.designs ? "self-play" : "pool",
    pool: step.designs ? [] : await poolOf(campaign, step, work.services),
    seed: keyedSeed(options.round.seed, "campaign-round", step.index),
    campaignId: campaign.id,
  };
  const round = await played(work, asked, startedBy, step.roundId);
  const entry: CampaignRound = {
    roundId: round.id,
    window: step.window,
    designs: step.designs,
    policyVersion: round.options.policyVersion ?? null,
    summary: await summaryOf(work.services.store, round),
    update: null,
  };
  return (record) => ({
    ...record,
    rounds: [...record.rounds.filter(({ roundId }) => roundId !== round.id), entry],
  });
}

/** Trains on the last round, and on the window's designs if it closes its window. */
export async function trainOn(
  campaign: CampaignRecord,
  step: Extract<CampaignStep, { kind: "update" }>,
  { services, trainer }: CampaignWork,
): Promise<Change> {
  const { store, now } = services;
  const { options, rounds } = campaign;
  const last = rounds[step.index];
  if (last === undefined || trainer === null) return (record) => record;
  const own = rounds.filter(({ window }) => window === last.window).map(({ roundId }) => roundId);
  const lessons = step.closesWindow ? await windowLessons(store, own) : [];
  const designs = lessons.flatMap(({ environmentId, advantage }) => {
    if (advantage === null || options.designer === "frozen") return [];
    return [{ environmentId, advantage: options.designer === "reward" ? advantage : 0 }];
  });
  const batch = await gatherBatch(store, { roundIds: [last.roundId], groups: options.groups, designs });
  const update: CampaignUpdate = await trainer.update(batch).then(
    ({ version, statistics }) => ({ version, batchId: batch.id, statistics, at: now() }),
    async (error: unknown) => {
      if (!(error instanceof TrainerError)) throw error;
      const { version, newest } = error.data;
      // Trained on before a kill, and not written down.
      if (error.code === "trainer.duplicate" && typeof version === "string") {
        const made = await store.policies.get(version);
        return { version, batchId: batch.id, statistics: made?.statistics ?? null, at: now() };
      }
      // Somebody rolled the policy back or trained it otherwise: this round can't be learnt from any more.
      if (error.code === "trainer.stale" && typeof newest === "string") {
        services.log.warn(
          { campaignId: campaign.id, batch: batch.id, newest },
          "a round came too late to train on",
        );
        return { version: newest, batchId: batch.id, statistics: { skipped: error.message }, at: now() };
      }
      throw error;
    },
  );
  return (record) => ({
    ...record,
    rounds: record.rounds.map((round, i) => (i === step.index ? { ...round, update } : round)),
  });
}

/** Creates a round under its own id, or takes it up, and runs it to its end. */
async function played(work: CampaignWork, asked: RoundOptions, by: string, id: string): Promise<RoundRecord> {
  const { services, signal, drain } = work;
  const known = await services.store.rounds.get(id);
  if (known === null) await createRound(services, asked, by, id);
  const round = await runRound(services, id, { signal, drain });
  switch (round.status) {
    case "finished":
      return round;
    case "running":
    case "waiting":
      throw new Stopped();
    case "cancelled":
      throw new RoundError("round.cancelled", `Round ${id} was cancelled.`);
    case "failed":
      throw new RoundError(
        "round.failed",
        `Round ${id} failed: ${round.error?.message ?? "nobody knows why."}`,
      );
  }
}

/** What a round plays that designs nothing: a part of the fixed pool, dealt in turn, or the environments of its window. */
async function poolOf(
  { options, pool, rounds }: CampaignRecord,
  { index, window }: Extract<CampaignStep, { kind: "round" }>,
  { store }: Services,
): Promise<string[]> {
  const fixed = options.round.pool.length > 0 ? options.round.pool : pool;
  if (fixed.length > 0) return dealt(fixed, options.round.envs, index, options.round.seed);
  const opening = rounds.find((round) => round.window === window);
  const designed = opening === undefined ? [] : await designedIn(store, opening.roundId);
  return designed.filter(({ status }) => status === "admitted").map(({ id }) => id);
}

/** `count` of a pool for the round of an index: the pool is shuffled, dealt to its end, and shuffled again. */
export function dealt(pool: readonly string[], count: number, index: number, seed: number): string[] {
  const hand = Math.min(count, pool.length);
  const chosen: string[] = [];
  for (let at = index * hand; chosen.length < hand; at += 1) {
    const deck = keyedRandom(seed, "campaign-deck", Math.floor(at / pool.length)).shuffle(pool);
    const card = deck[at % pool.length];
    // Where one deck ends and the next begins, a card may come twice: the round plays one less.
    if (card !== undefined && !chosen.includes(card)) chosen.push(card);
    else if (at > (index + 1) * hand + pool.length) break;
  }
  return chosen;
}
