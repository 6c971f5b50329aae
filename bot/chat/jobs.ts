/**
 * The rounds that this process works on in the background: some at once, the others in a queue; those that wait for
 * people go on when all have decided. A round's own state is in the store, so nothing here has to last.
 */
import { asSpadeworkError, type SpadeworkError } from "../../config/errors.ts";
import { runRound } from "../../graph/control.ts";
import { undecided } from "../../graph/decisions.ts";
import { leaseName } from "../../graph/hold.ts";
import type { Services } from "../../graph/services.ts";
import type { RoundRecord } from "../../store/records.ts";

export type JobState =
  /** `ahead`: how many rounds have their turn before it. */
  | { readonly type: "queued"; readonly ahead: number }
  | { readonly type: "running" }
  /** People have to decide about environments. */
  | { readonly type: "waiting" }
  /** Another process works on it. */
  | { readonly type: "elsewhere" }
  /** This process was asked to end; the next one goes on with it. */
  | { readonly type: "stopped" }
  /** Over, or failed. */
  | { readonly type: "ended"; readonly record: RoundRecord }
  /** Not even its failure could be stored. */
  | { readonly type: "broken"; readonly error: SpadeworkError };

export interface Jobs {
  /** Puts a round into the queue; one that is there, or worked on, stays where it is. */
  start(roundId: string): void;
  /** Keeps an eye on a round that waits for people or is worked on by another process. */
  watch(roundId: string, type: "waiting" | "elsewhere"): void;
  /** Null for a round that is none of its concern any more. */
  stateOf(roundId: string): JobState | null;
  /** Looks at once whether a round was cancelled, or whether all have decided; it would notice within a second. */
  look(roundId: string): Promise<void>;
  /** Finishes the episodes in flight and begins nothing new. The rounds can be taken up by the next process. */
  close(): Promise<void>;
}

export interface JobsOptions {
  readonly services: Services;
  /** Rounds that are worked on at once. */
  readonly atOnce: number;
  /** Told of each new state, place in the queue included. It returns at once. */
  readonly changed: (roundId: string, state: JobState) => void;
  /** How often the store is asked about rounds that don't run here, milliseconds. */
  readonly lookEveryMs?: number;
}

export function createJobs(options: JobsOptions): Jobs {
  return new BackgroundJobs(options);
}

const defaultLookMs = 1_000;

class BackgroundJobs implements Jobs {
  readonly #options: JobsOptions;
  readonly #states = new Map<string, JobState>();
  /** In order of their turn. */
  #queue: string[] = [];
  readonly #running = new Map<string, Promise<void>>();
  readonly #drain = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | null = null;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#looking ??= this.#lookAtAll().finally(() => {
        this.#looking = null;
      });
    }, options.lookEveryMs ?? defaultLookMs);
  }

  start(roundId: string): void {
    const known = this.#states.get(roundId)?.type;
    if (this.#drain.signal.aborted || known === "queued" || known === "running") return;
    this.#queue.push(roundId);
    this.#set(roundId, { type: "queued", ahead: this.#queue.length - 1 });
    this.#next();
  }

  watch(roundId: string, type: "waiting" | "elsewhere"): void {
    if (!this.#states.has(roundId)) this.#set(roundId, { type });
  }

  stateOf(roundId: string): JobState | null {
    return this.#states.get(roundId) ?? null;
  }

  async look(roundId: string): Promise<void> {
    const { services } = this.#options;
    try {
      await this.#lookAt(roundId);
    } catch (error) {
      services.log.warn({ roundId, err: error }, "a round could not be looked at");
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#drain.abort();
    const left = this.#queue;
    this.#queue = [];
    for (const roundId of left) this.#set(roundId, { type: "stopped" });
    await this.#looking;
    await Promise.all(this.#running.values());
  }

  #next(): void {
    while (this.#running.size < this.#options.atOnce && !this.#drain.signal.aborted) {
      const roundId = this.#queue.shift();
      if (roundId === undefined) break;
      this.#set(roundId, { type: "running" });
      this.#running.set(roundId, this.#work(roundId));
    }
    this.#renumber();
  }

  #renumber(): void {
    for (const [ahead, roundId] of this.#queue.entries()) {
      const known = this.#states.get(roundId);
      if (known?.type !== "queued" || known.ahead !== ahead) this.#set(roundId, { type: "queued", ahead });
    }
  }

  async #work(roundId: string): Promise<void> {
    const { services } = this.#options;
    let state: JobState;
    try {
      const record = await runRound(services, roundId, { drain: this.#drain.signal });
      state = stateAfter(record);
    } catch (thrown) {
      const error = asSpadeworkError(thrown);
      if (error.code === "round.busy") state = { type: "elsewhere" };
      else {
        services.log.error({ roundId, err: thrown }, "a round could not be worked on");
        state = { type: "broken", error };
      }
    }
    this.#running.delete(roundId);
    this.#set(roundId, state);
    this.#next();
  }

  async #lookAtAll(): Promise<void> {
    for (const [roundId, { type }] of [...this.#states]) {
      if (type !== "running" && !this.#drain.signal.aborted) await this.look(roundId);
    }
  }

  async #lookAt(roundId: string): Promise<void> {
    const { store } = this.#options.services;
    const before = this.#states.get(roundId);
    if (before === undefined || before.type === "running") return;
    const record = await store.rounds.get(roundId);
    const decided = record?.status === "waiting" && (await undecided(store, roundId)) === 0;
    const free = before.type === "elsewhere" && (await store.leases.holder(leaseName(roundId))) === null;
    // It may have begun in the meantime, or begun and ended.
    if (record === null || this.#states.get(roundId) !== before) return;
    if (record.status === "running" || decided) {
      // What waited or was worked on elsewhere runs again: whoever did that works on it, or it is our turn.
      if (before.type === "waiting" || (before.type === "elsewhere" && free)) this.start(roundId);
      return;
    }
    const state = stateAfter(record);
    // A round that failed is in the queue so as to be tried again.
    if (state.type === before.type || (before.type === "queued" && record.status === "failed")) return;
    this.#queue = this.#queue.filter((id) => id !== roundId);
    this.#set(roundId, state);
    this.#renumber();
  }

  #set(roundId: string, state: JobState): void {
    const lasts = state.type !== "ended" && state.type !== "broken" && state.type !== "stopped";
    if (lasts) this.#states.set(roundId, state);
    else this.#states.delete(roundId);
    this.#options.changed(roundId, state);
  }
}

function stateAfter(record: RoundRecord): JobState {
  if (record.status === "running") return { type: "stopped" };
  if (record.status === "waiting") return { type: "waiting" };
  return { type: "ended", record };
}
