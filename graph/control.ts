/** What can be done with a round from outside: create it, run or resume it, cancel it. */
import { isGraphDrained, isInterrupted, RunControl } from "@langchain/langgraph";
import { asSpadeworkError, InputError, RoundError, StoreError } from "../config/errors.ts";
import { kindOfSkill } from "../config/words.ts";
import type { RoundOptions, RoundRecord } from "../store/records.ts";
import { audit, closeRound, expireApprovals, undecided } from "./decisions.ts";
import { fenced } from "./fence.ts";
import { Hold, heldRound } from "./hold.ts";
import { Drained } from "./in-parallel.ts";
import { lessonsOf } from "./lessons.ts";
import { withinBudget } from "./models/budget.ts";
import { roundGraph } from "./round.ts";
import type { Services } from "./services.ts";
import type { Read } from "./state.ts";
import { designedIn, totalsOf } from "./totals.ts";

export { decide, retire } from "./decisions.ts";

/** Eleven nodes and two more a repair. */
const mostGraphSteps = 100;

/**
 * Stores a round under the next id `r<N>`, or under the one given, where one that exists already is left as it is;
 * nothing runs yet. Throws ProviderError if its model can't be had,
 * `round.no-environment` and `input.not-found` for a pool that can't be played, `input.bad-option`.
 */
export async function createRound(
  services: Services,
  options: RoundOptions,
  by: string,
  id?: string,
): Promise<RoundRecord> {
  const { store } = services;
  checkSkill(options);
  if (options.mode === "pool" || options.mode === "measure") await checkPool(services, options);
  for (const id of options.documentIds) {
    if ((await store.documents.get(id)) === null) {
      throw new InputError("input.not-found", `There is no document ${id}.`);
    }
  }
  const version = options.policyVersion ?? (await services.model(options.model)).policyVersion;
  const record: RoundRecord = {
    id: id ?? `r${await store.nextNumber("round")}`,
    status: "running",
    // However often it is resumed, one version of the weights does everything in a round.
    options: version === undefined ? options : { ...options, policyVersion: version },
    startedBy: by,
    startedAt: services.now(),
    endedAt: null,
    wallMs: 0,
    environmentIds: [],
    scores: {},
    totals: null,
    error: null,
  };
  if (await store.rounds.insert(record)) {
    await audit(services, by, "round.create", record.id, options.mode);
    return record;
  }
  return existing(services, record.id);
}

export interface RunOptions {
  /** Stops at once; what is in flight is lost, what was finished is kept, and the round can be resumed. */
  readonly signal?: AbortSignal | undefined;
  /** Finishes what is in flight, then stops; the round can be resumed. */
  readonly drain?: AbortSignal | undefined;
}

/**
 * Runs a round, or goes on with it where it stopped, under its lease. The record that comes back says how it ended:
 * `finished`, `waiting` for people, `cancelled`, `failed` with its error, or still `running` if it was stopped on the
 * way. A round that is over, or that people have not decided about, comes back as it is. Throws `round.busy` while
 * another process works on it, `input.not-found`, and StoreError when not even a failure could be stored.
 */
export async function runRound(
  services: Services,
  roundId: string,
  { signal, drain }: RunOptions = {},
): Promise<RoundRecord> {
  const before = await existing(services, roundId);
  if (isOver(before)) return before;
  if (before.status === "waiting") {
    await expireApprovals(services);
    if ((await undecided(services.store, roundId)) > 0) return before;
  }
  const hold = await Hold.take(services, heldRound(services, roundId), before.status === "waiting");
  let ended: RoundRecord;
  try {
    ended = await runHeld(services, roundId, hold, { signal, drain });
  } finally {
    await hold.release();
  }
  // People may decide while the round is still on its way to waiting for them.
  const decided = ended.status === "waiting" && (await undecided(services.store, roundId)) === 0;
  return decided ? runRound(services, roundId, { signal, drain }) : ended;
}

/**
 * Cancels a round for good, whoever works on it: another process notices within a second. Throws `input.not-found`,
 * and `input.conflict` if it is over already.
 */
export async function cancelRound(services: Services, roundId: string, by: string): Promise<RoundRecord> {
  await existing(services, roundId);
  const record = await services.store.rounds.update(roundId, (round) => {
    if (isOver(round)) {
      throw new InputError("input.conflict", `Round ${roundId} is ${round.status} already.`);
    }
    return { ...round, status: "cancelled", endedAt: services.now() };
  });
  await audit(services, by, "round.cancel", roundId);
  await closeRound(services, record, by);
  return settleTotals(services, roundId);
}

async function runHeld(
  services: Services,
  roundId: string,
  hold: Hold,
  { signal, drain }: RunOptions,
): Promise<RoundRecord> {
  const { store, emit } = services;
  const record = await store.rounds.update(roundId, (round) =>
    isOver(round) ? round : { ...round, status: "running", error: null },
  );
  // It may have ended between the look at it and the lease.
  if (isOver(record)) return record;

  const log = services.log.child({ roundId });
  const control = new RunControl();
  const stop = AbortSignal.any(signal === undefined ? [hold.signal] : [hold.signal, signal]);
  const requestDrain = (): void => control.requestDrain();
  if (drain?.aborted === true) requestDrain();
  drain?.addEventListener("abort", requestDrain, { once: true });

  const work = {
    ...services,
    log,
    store: fenced(store, () => hold.confirm()),
    model: await budgeted(services, record),
  };
  const thread = { configurable: { thread_id: roundId } };
  const read: Read = {};
  try {
    const graph = roundGraph(record.options, await store.checkpoints());
    const { values } = await graph.getState(thread);
    // Without a checkpoint there is nothing to go on from: the round starts from its stored options.
    const started = Object.keys(values).length > 0;
    const { seed, model } = record.options;
    emit({ type: "round-started", roundId, resumed: started, seed, model });
    const result = await graph.invoke(started ? null : { roundId }, {
      ...thread,
      context: { services: work, options: record.options, signal: stop, read },
      durability: "sync",
      control,
      recursionLimit: mostGraphSteps,
    });
    if (isInterrupted(result)) await wait(work, roundId);
  } catch (error) {
    await endedBy(work, roundId, error, { stop, hold });
  } finally {
    drain?.removeEventListener("abort", requestDrain);
    await read.loading?.then(
      (loading) => loading.close(),
      // Who asked for it has failed with the same error.
      () => undefined,
    );
  }
  await hold.release();
  const ended = await settleTotals(services, roundId);
  emit({ type: "round-ended", roundId, status: ended.status });
  return ended;
}

/** The models of a round, within what is left of its budget if it has one. */
async function budgeted(services: Services, round: RoundRecord): Promise<Services["model"]> {
  const { store, config, model } = services;
  if (config.models.tokenBudget === 0 && config.models.costBudgetUsd === 0) return model;
  const designed = await designedIn(store, round.id);
  const played = await store.episodes.ofRound(round.id);
  return withinBudget(model, config.models, totalsOf(designed, played, 0), (percent) =>
    services.emit({ type: "budget", roundId: round.id, percent }),
  );
}

/** What stopped a run, as the round keeps it. Throws what can't be kept. */
async function endedBy(
  services: Services,
  roundId: string,
  error: unknown,
  { stop, hold }: { readonly stop: AbortSignal; readonly hold: Hold },
): Promise<void> {
  if (error instanceof Drained || isGraphDrained(error)) return;
  if (stop.aborted) {
    if (hold.lost !== null) throw hold.lost;
    const round = await services.store.rounds.get(roundId);
    if (round?.status === "cancelled") await closeRound(services, round, "the lab");
    return;
  }
  const { code, message } = asSpadeworkError(error);
  services.log.error({ roundId, err: error }, "a round failed");
  try {
    await services.store.rounds.update(roundId, (round) =>
      isOver(round) ? round : { ...round, status: "failed", error: { code, message } },
    );
  } catch (second) {
    // A full disk can't keep why it is full: the first error is the one to tell.
    throw second instanceof StoreError ? error : second;
  }
}

async function wait(services: Services, roundId: string): Promise<void> {
  await services.store.rounds.update(roundId, (round) =>
    round.status === "running" ? { ...round, status: "waiting" } : round,
  );
}

/** The record with what it took so far; a finished round has counted it already. */
async function settleTotals(services: Services, roundId: string): Promise<RoundRecord> {
  const { rounds, episodes } = services.store;
  const round = await existing(services, roundId);
  if (round.status === "finished") return round;
  const designed = await designedIn(services.store, roundId);
  const played = await episodes.ofRound(roundId);
  const { dropped } = lessonsOf(round.options, played);
  return rounds.update(roundId, (current) => ({ ...current, totals: totalsOf(designed, played, dropped) }));
}

function isOver(round: RoundRecord): boolean {
  return round.status === "finished" || round.status === "cancelled";
}

async function existing(services: Services, roundId: string): Promise<RoundRecord> {
  const record = await services.store.rounds.get(roundId);
  if (record === null) throw new InputError("input.not-found", `There is no round ${roundId}.`);
  return record;
}

function checkSkill({ skill, kind }: RoundOptions): void {
  if (skill === null || kind === "mixed" || kindOfSkill(skill) === kind) return;
  throw new InputError(
    "input.bad-option",
    `The skill ${skill} is one of ${kindOfSkill(skill)}, not of ${kind}.`,
  );
}

async function checkPool({ store }: Services, { pool, mode }: RoundOptions): Promise<void> {
  if (pool.length === 0) {
    throw new RoundError("round.no-environment", `A ${mode} round needs an environment to play.`);
  }
  for (const id of pool) {
    const environment = await store.environments.get(id);
    if (environment === null) throw new InputError("input.not-found", `There is no environment ${id}.`);
    const { status, roundId } = environment;
    if (status !== "admitted") {
      throw new RoundError("round.no-environment", `Environment ${id} is ${status} and can't be played.`);
    }
    const approval = roundId === null ? null : await store.approvals.get(roundId, id);
    if (approval?.status === "waiting") {
      throw new RoundError(
        "round.no-environment",
        `Environment ${id} waits for approval and can't be played.`,
      );
    }
  }
}
