/** The steps of a campaign, each of which may be repeated after a kill and then does nothing twice. */
import { setTimeout } from "node:timers/promises";
import { RoundError, TrainerError } from "../../config/errors.ts";
import { keyedRandom, keyedSeed } from "../../config/random.ts";
import { json } from "../../config/words.ts";
import type { CampaignRecord, CampaignRound, CampaignUpdate } from "../../store/campaign-records.ts";
import type { RoundOptions, RoundRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { createRound, type RunOptions, runRound } from "../control.ts";
import type { Services } from "../services.ts";
import { designedIn } from "../totals.ts";
import { gatherBatch } from "../trainers/batch.ts";
import type { Batch, Trainer } from "../trainers/trainer.ts";
import type { CampaignStep } from "./next.ts";
import { summaryOf } from "./summary.ts";
import { averagesNow, windowLessons } from "./window.ts";

type Change = (record: CampaignRecord) => CampaignRecord;

/** What the steps work with. */
export interface CampaignWork extends RunOptions {
  readonly services: Services;
  /** Null for a campaign that only measures. */
  readonly trainer: Trainer | null;
}

/** A step over which the campaign was stopped: it can be taken up. */
export class Stopped extends Error {
  constructor() {
    super("the campaign was stopped within a step");
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
  const { store, now } = work.services;
  const begun = await beginRound(campaign, step, store);
  const asked: RoundOptions = {
    ...options.round,
    mode: step.designs ? "self-play" : "pool",
    pool: step.designs ? [] : await poolOf(campaign, step, work.services),
    seed: keyedSeed(options.round.seed, "campaign-round", step.index),
    campaignId: campaign.id,
  };
  const round = await played(work, asked, startedBy, step.roundId);
  const policyVersion = round.options.policyVersion ?? null;
  const skipped = round.status === "cancelled" ? `Round ${round.id} was cancelled.` : null;
  const entry: CampaignRound = {
    ...begun,
    policyVersion,
    summary: await summaryOf(store, round),
    update:
      skipped === null
        ? null
        : { version: policyVersion ?? "none", batchId: "none", statistics: { skipped }, at: now() },
  };
  return (record) => ({ ...record, rounds: withRound(record.rounds, entry) });
}

/** The round's entry, as it was stored when it began; stored now if it begins now. */
async function beginRound(
  { id, rounds, options }: CampaignRecord,
  { roundId, window, designs }: Extract<CampaignStep, { kind: "round" }>,
  store: Store,
): Promise<CampaignRound> {
  const known = rounds.find((round) => round.roundId === roundId);
  if (known !== undefined) return known;
  const entry: CampaignRound = {
    roundId,
    window,
    designs,
    // A window of one round is settled by the round itself.
    ...(designs && options.every > 1 ? { before: await averagesNow(store) } : {}),
    policyVersion: null,
    summary: null,
    update: null,
  };
  await store.campaigns.update(id, (record) => ({ ...record, rounds: withRound(record.rounds, entry) }));
  return entry;
}

function withRound(rounds: readonly CampaignRound[], entry: CampaignRound): CampaignRound[] {
  return [...rounds.filter(({ roundId }) => roundId !== entry.roundId), entry];
}

/** Trains on the last round, and on the window's designs if it closes its window. */
export async function trainOn(
  campaign: CampaignRecord,
  step: Extract<CampaignStep, { kind: "update" }>,
  { services, trainer, signal }: CampaignWork,
): Promise<Change> {
  const { store } = services;
  const { options, rounds } = campaign;
  const last = rounds[step.index];
  if (last === undefined || trainer === null) throw new RangeError(`nothing to train on in ${campaign.id}`);
  const own = rounds.filter(({ window }) => window === last.window);
  const lessons = step.closesWindow ? await windowLessons(store, own) : [];
  const designs = lessons.flatMap(({ environmentId, advantage }) => {
    if (advantage === null || options.designer === "frozen") return [];
    return [{ environmentId, advantage: options.designer === "reward" ? advantage : 0 }];
  });
  const batch = await gatherBatch(store, { roundIds: [last.roundId], groups: options.groups, designs });
  const update = await updateOn(batch, trainer, services, signal);
  return (record) => ({
    ...record,
    rounds: record.rounds.map((round, i) => {
      const trained = i === step.index ? { ...round, update } : round;
      if (!step.closesWindow || round.window !== last.window) return trained;
      // What its designs were judged by has had its day, and a record is written anew at each step.
      const { before: _, ...rest } = trained;
      return rest;
    }),
  });
}

/** What came of training on a batch, now or before a kill. */
async function updateOn(
  batch: Batch,
  trainer: Trainer,
  { store, now, log }: Services,
  signal: AbortSignal | undefined,
): Promise<CampaignUpdate> {
  const entry = (version: string, statistics: CampaignUpdate["statistics"]): CampaignUpdate => ({
    version,
    batchId: batch.id,
    statistics,
    at: now(),
  });
  if (batch.agent.length === 0 && batch.designer.length === 0) {
    return entry(batch.policyVersion, { skipped: "There was nothing to learn from." });
  }
  try {
    const { version, statistics } = await trainer.update(batch, signal);
    return entry(version, json.parse(JSON.parse(JSON.stringify(statistics))));
  } catch (error) {
    if (!(error instanceof TrainerError)) throw error;
    const { version, newest } = error.data;
    // Trained on before a kill, and not written down.
    if (error.code === "trainer.duplicate" && typeof version === "string") {
      return entry(version, (await store.policies.get(version))?.statistics ?? null);
    }
    // Somebody rolled the policy back or trained it otherwise: this round can't be learnt from any more.
    if (error.code !== "trainer.stale" || typeof newest !== "string") throw error;
    log.warn({ batch: batch.id, rounds: batch.roundIds, newest }, "a round came too late to train on");
    return entry(newest, { skipped: error.message });
  }
}

/** How often a round is looked at that people have to decide about, or that another process works on, milliseconds. */
const lookEveryMs = 500;

/**
 * Creates a round under its own id, or takes it up, and runs it to its end, or until it is cancelled. While it waits for
 * people, or another process works on it, the campaign waits too. Throws `Stopped`, and RoundError if it fails.
 */
async function played(work: CampaignWork, asked: RoundOptions, by: string, id: string): Promise<RoundRecord> {
  const { services, signal, drain } = work;
  const known = await services.store.rounds.get(id);
  if (known === null) await createRound(services, asked, by, id);
  for (;;) {
    const round = await unlessBusy(runRound(services, id, { signal, drain }));
    if (round?.status === "finished" || round?.status === "cancelled") {
      // Nobody goes on with it: what it would go on from is most of what it takes on the disk.
      await (await services.store.checkpoints()).deleteThread(id);
      return round;
    }
    if (round?.status === "failed") {
      const why = round.error?.message ?? "nobody knows why.";
      throw new RoundError("round.failed", `Round ${id} failed: ${why}`);
    }
    if (round?.status === "running" || drain?.aborted === true || signal?.aborted === true)
      throw new Stopped();
    await setTimeout(lookEveryMs);
  }
}

/** Null where another process works on the round. */
async function unlessBusy(running: Promise<RoundRecord>): Promise<RoundRecord | null> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof RoundError && error.code === "round.busy") return null;
    throw error;
  }
}

/** What a round plays that designs nothing: a part of the fixed pool, dealt in turn, or the environments of its window. */
async function poolOf(
  { options, pool, rounds }: CampaignRecord,
  { index, window }: Extract<CampaignStep, { kind: "round" }>,
  { store }: Services,
): Promise<string[]> {
  const fixed = options.round.pool.length > 0 ? options.round.pool : pool;
  if (fixed.length > 0) {
    const hand = dealt(fixed, options.round.envs, index, options.round.seed);
    const records = await Promise.all(hand.map((id) => store.environments.get(id)));
    // People may take an environment out of play at any time.
    return records.flatMap((record) => (record?.status === "admitted" ? [record.id] : []));
  }
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
