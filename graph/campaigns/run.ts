/** A campaign, run under its lease: one step after another (next.ts), each written down before the next begins. */
import { asSpadeworkError, InputError, RoundError } from "../../config/errors.ts";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import type { RunOptions } from "../control.ts";
import { evaluate } from "../evaluation/evaluate.ts";
import { type Held, Hold } from "../hold.ts";
import type { Services } from "../services.ts";
import { createTrainer, type TrainerOptions } from "../trainers/create.ts";
import { nextStep } from "./next.ts";
import { type CampaignWork, designPool, playRound, Stopped, trainOn } from "./steps.ts";

export interface CampaignRunOptions extends RunOptions, TrainerOptions {
  /** Told after each step, with the record as it is then. */
  readonly onStep?: (record: CampaignRecord) => void;
}

/**
 * Runs a campaign, or goes on with it where it stopped. The record that comes back says how it ended: `finished`,
 * `paused`, `stopped`, `failed` with its error, or still `running` if this process was stopped on the way. Throws
 * `round.busy` while another process works on it, and `input.not-found`.
 */
export async function runCampaign(
  services: Services,
  id: string,
  { signal, drain, onStep, ...trainerOptions }: CampaignRunOptions = {},
): Promise<CampaignRecord> {
  const { campaigns } = services.store;
  const before = await existing(services, id);
  if (before.status !== "running") return before;
  const hold = await Hold.take(services, heldCampaign(services, id), false);
  const drained = drain === undefined ? hold.signal : AbortSignal.any([drain, hold.signal]);
  try {
    const { trainer } = before.options;
    const work: CampaignWork = {
      services,
      trainer: trainer === "none" ? null : await createTrainer(trainer, services, trainerOptions),
      signal,
      drain: drained,
    };
    for (;;) {
      const record = await existing(services, id);
      if (record.status !== "running" || drained.aborted || signal?.aborted === true) return record;
      const change = await oneStep(record, work);
      await hold.confirm();
      onStep?.(await campaigns.update(id, change));
    }
  } catch (error) {
    return await endedBy(services, id, error, { signal, drained, hold });
  } finally {
    await hold.release();
  }
}

type Change = (record: CampaignRecord) => CampaignRecord;

async function oneStep(record: CampaignRecord, work: CampaignWork): Promise<Change> {
  const step = nextStep(record);
  switch (step.kind) {
    case "design-pool":
      return designPool(record, step, work);
    case "round":
      return playRound(record, step, work);
    case "update":
      return trainOn(record, step, work);
    case "evaluate":
      return evaluation(record, step.after, work);
    case "finish":
      return (current) => ({ ...current, status: "finished", endedAt: work.services.now() });
    case "no-pool":
      throw new RoundError(
        "round.no-environment",
        `Of the ${record.options.poolSize} environments of the pool, ${record.pool.length} were admitted after ${record.poolRounds.length} rounds of designs.`,
      );
  }
}

async function evaluation(
  { options }: CampaignRecord,
  after: number,
  { services, signal }: CampaignWork,
): Promise<Change> {
  const model = await services.model(options.round.model);
  const { success, meanReturn, episodes, failed, setId } = await evaluate(model, await services.sandbox(), {
    count: options.evaluations,
    seed: options.round.seed,
    concurrency: services.config.models.concurrency,
    limits: options.round,
    signal: signal ?? new AbortController().signal,
  });
  const entry = {
    after,
    policyVersion: model.policyVersion ?? null,
    setId,
    success,
    meanReturn,
    episodes,
    failed,
    at: services.now(),
  };
  return (record) => ({ ...record, evaluations: [...record.evaluations, entry] });
}

/** What stopped a run, as the campaign keeps it. Throws what is not for it to keep. */
async function endedBy(
  services: Services,
  id: string,
  error: unknown,
  {
    signal,
    drained,
    hold,
  }: { readonly signal: AbortSignal | undefined; readonly drained: AbortSignal; readonly hold: Hold },
): Promise<CampaignRecord> {
  if (hold.lost !== null) throw hold.lost;
  if (signal?.aborted === true || (error instanceof Stopped && drained.aborted))
    return existing(services, id);
  const { code, message } = asSpadeworkError(error);
  services.log.error({ campaignId: id, err: error }, "a campaign failed");
  return services.store.campaigns.update(id, (record) => ({
    ...record,
    status: "failed",
    endedAt: services.now(),
    error: { code, message },
  }));
}

function heldCampaign({ store }: Services, id: string): Held {
  return {
    lease: `campaign:${id}`,
    said: `campaign ${id}`,
    isCalledOff: async () => (await store.campaigns.get(id))?.status !== "running",
    addTime: async (ms) => {
      await store.campaigns.update(id, (record) => ({ ...record, wallMs: record.wallMs + ms }));
    },
  };
}

export async function existing({ store }: Services, id: string): Promise<CampaignRecord> {
  const record = await store.campaigns.get(id);
  if (record === null) throw new InputError("input.not-found", `There is no campaign ${id}.`);
  return record;
}
