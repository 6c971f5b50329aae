/** A campaign, run under its lease: one step after another (next.ts), each written down before the next begins. */
import { asSpadeworkError, RoundError } from "../../config/errors.ts";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import type { RunOptions } from "../control.ts";
import { evaluate } from "../evaluation/evaluate.ts";
import type { CampaignEvent } from "../events.ts";
import type { Services } from "../services.ts";
import { createTrainer, type TrainerOptions } from "../trainers/create.ts";
import type { Trainer } from "../trainers/trainer.ts";
import { existing, holdAll } from "./held.ts";
import { nextStep } from "./next.ts";
import { type CampaignWork, designPool, playRound, Stopped, trainOn } from "./steps.ts";
import { campaignWarnings, isOpen } from "./warnings.ts";

export interface CampaignRunOptions extends RunOptions, TrainerOptions {
  /** Told after each step, with the record as it is then. */
  readonly onStep?: (record: CampaignRecord) => void;
}

/**
 * Runs a campaign, or goes on with it where it stopped. The record that comes back says how it ended: `finished`,
 * `paused`, `stopped`, `failed` with its error, or still `running` if this process was stopped on the way. Throws
 * `round.busy` while another process works on it or trains its policy, and `input.not-found`.
 */
export async function runCampaign(
  services: Services,
  id: string,
  { signal, drain, onStep, ...trainerOptions }: CampaignRunOptions = {},
): Promise<CampaignRecord> {
  const { campaigns } = services.store;
  const before = await existing(services, id);
  if (before.status !== "running") return before;
  const held = await holdAll(services, before);
  const stop = AbortSignal.any(
    [drain, ...held.map((hold) => hold.signal)].filter((one) => one !== undefined),
  );
  const confirm = async (): Promise<void> => {
    for (const hold of held) await hold.confirm();
  };
  let trainer: Trainer | null = null;
  try {
    const name = before.options.trainer;
    if (name !== "none") trainer = await createTrainer(name, services, trainerOptions);
    const work: CampaignWork = {
      services,
      trainer,
      signal,
      drain: stop,
    };
    for (;;) {
      const record = await existing(services, id);
      if (record.status !== "running" || stop.aborted || signal?.aborted === true) break;
      const change = await oneStep(record, work);
      await confirm();
      const { watch } = services.config;
      const after = await campaigns.update(id, (current) => {
        const changed = change(current);
        if (changed.rounds === current.rounds) return changed;
        return { ...changed, warnings: campaignWarnings(changed, watch) };
      });
      onStep?.(after);
    }
  } catch (error) {
    await endedBy(services, id, error, {
      lost: held.find(({ lost }) => lost !== null)?.lost ?? null,
      isStopped: signal?.aborted === true || (error instanceof Stopped && stop.aborted),
    });
  } finally {
    await trainer?.close?.();
    for (const hold of held) await hold.release();
    const last = await campaigns.get(id);
    if (last !== null) services.emit(eventOf(last, "stopping"));
  }
  // Read anew: letting go has counted the time at work.
  return existing(services, id);
}

type Change = (record: CampaignRecord) => CampaignRecord;

async function oneStep(record: CampaignRecord, work: CampaignWork): Promise<Change> {
  const step = nextStep(record);
  if (step.kind !== "finish" && step.kind !== "no-pool") work.services.emit(eventOf(record, step.kind));
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
      return (current) =>
        current.status === "running"
          ? { ...current, status: "finished", endedAt: work.services.now() }
          : current;
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
  { services, signal, drain }: CampaignWork,
): Promise<Change> {
  const model = await services.model(options.round.model);
  // Its plays are not kept one by one: whoever stops it plays all of them anew.
  const stop = AbortSignal.any([signal, drain].filter((one) => one !== undefined));
  const { success, meanReturn, episodes, failed, setId } = await evaluate(model, await services.sandbox(), {
    count: options.evaluations,
    seed: options.round.seed,
    concurrency: services.config.models.concurrency,
    limits: options.round,
    signal: stop,
  }).catch((error: unknown) => {
    throw stop.aborted ? new Stopped() : error;
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
  { lost, isStopped }: { readonly lost: RoundError | null; readonly isStopped: boolean },
): Promise<void> {
  if (lost !== null) throw lost;
  if (isStopped) return;
  const { code, message } = asSpadeworkError(error);
  services.log.error({ campaignId: id, err: error }, "a campaign failed");
  await services.store.campaigns.update(id, (record) =>
    // Somebody may have stopped it in the meantime.
    record.status === "running"
      ? { ...record, status: "failed", endedAt: services.now(), error: { code, message } }
      : record,
  );
}

function eventOf(record: CampaignRecord, doing: CampaignEvent["doing"]): CampaignEvent {
  const { id, status, options, rounds, evaluations, warnings } = record;
  const played = rounds.filter(({ summary }) => summary !== null);
  const last = played.at(-1)?.summary;
  return {
    type: "campaign",
    campaignId: id,
    doing,
    status,
    done: played.filter(({ update }) => update !== null || options.trainer === "none").length,
    total: options.rounds,
    plainReturn: last?.plainReturn ?? null,
    regret: last?.regret ?? null,
    heldOut: evaluations.at(-1)?.success ?? null,
    warnings: warnings.filter(isOpen).map(({ kind, message }) => ({ kind, message })),
  };
}
