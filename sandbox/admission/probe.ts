/**
 * The probe: the one way in which gates play an environment. It keeps what went wrong in any play for the gates that
 * count it (bad values for `contract`, overruns for `resources`), and never blames an environment for our own fault.
 */
import { SandboxError } from "../../config/errors.ts";
import type { EnvironmentHandle, Failure, Run, RunOptions, Script, Step } from "../sandbox.ts";
import { Pace } from "./pace.ts";
import { quote } from "./sentences.ts";

/** Rewards of any step lie within ± this. */
export const rewardBound = 10;

/** A call ran over its limits: no further call on this environment can be made. */
export class Overrun extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.detail);
    this.failure = failure;
  }
}

/**
 * Whose actions a run plays. The environment's own solution must give right values, so what it makes `step` throw
 * counts for `contract`; what any other action makes it throw counts for `robust`.
 */
export type Source = "solution" | "other";

interface Waiting {
  readonly script: Script;
  readonly source: Source;
  readonly resolve: (run: Run) => void;
  readonly reject: (reason: unknown) => void;
}

export class Probe {
  readonly #handle: Pick<EnvironmentHandle, "runAll" | "close">;
  readonly #signal: AbortSignal | undefined;
  readonly #record: ProbeRecord;
  #waiting: Waiting[] = [];

  constructor(
    handle: Pick<EnvironmentHandle, "runAll" | "close">,
    record: ProbeRecord,
    signal?: AbortSignal,
  ) {
    this.#handle = handle;
    this.#record = record;
    this.#signal = signal;
  }

  /**
   * Resets and plays. Runs that are asked for at the same time go to the sandbox in one message. Throws Overrun after
   * a call over its limits, SandboxError if the sandbox failed, and the signal's reason when aborted; every other
   * failure is in the run.
   */
  run(
    seed: number,
    actions: readonly string[],
    options: RunOptions & { source?: Source } = {},
  ): Promise<Run> {
    const { source = "other", ...asked } = options;
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) queueMicrotask(() => void this.#flush());
      this.#waiting.push({ script: { seed, actions, ...asked }, source, resolve, reject });
    });
  }

  async #flush(): Promise<void> {
    let asked = this.#waiting;
    this.#waiting = [];
    try {
      while (asked.length > 0) {
        this.#signal?.throwIfAborted();
        const together = this.#record.pace.share(asked.map(({ script }) => script.actions.length + 1));
        await this.#play(asked.slice(0, together));
        asked = asked.slice(together);
      }
    } catch (thrown) {
      for (const { reject } of asked) reject(thrown);
    }
  }

  async #play(asked: readonly Waiting[]): Promise<void> {
    const started = performance.now();
    const runs = await this.#handle.runAll(asked.map(({ script }) => script));
    this.#signal?.throwIfAborted();
    const calls = runs.reduce((sum, { steps }) => sum + steps.length + 1, 0);
    this.#record.pace.note(calls, performance.now() - started);
    asked.forEach(({ script, source, resolve }, i) => {
      const run = runs[i] as Run;
      this.#record.note(script.seed, script.actions, run, source);
      resolve(run);
    });
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** What was seen over all probes of one environment. */
export class ProbeRecord {
  readonly pace = new Pace();
  episodes = 0;
  steps = 0;
  /** Sentences on values that the contract forbids, the first of each kind. */
  readonly badValues: string[] = [];
  /** The first action, other than one of a solution, that made `step` throw. */
  thrown: string | null = null;
  overrun: string | null = null;

  note(seed: number, actions: readonly string[], run: Run, source: Source): void {
    this.episodes += 1;
    this.steps += run.steps.length;
    run.steps.forEach((step, turn) => {
      const problem = badStep(step);
      if (problem !== null) this.#bad(`step() ${where(seed, turn, actions[turn])} ${problem}`);
    });
    if (run.failure !== null) this.#failed(seed, actions, run.failure, source);
  }

  /** Sorts a failure into the gate that counts it; throws where no gate can go on. */
  #failed(seed: number, actions: readonly string[], failure: Failure, source: Source): void {
    const place = failurePlace(seed, actions, failure);
    switch (failure.verdict) {
      case "sandbox-failed":
      case "closed":
        throw sandboxError(failure);
      case "timed-out":
      case "out-of-memory":
      case "host-died":
        this.overrun ??= `${place} ran over its limits: ${failure.detail}`;
        throw new Overrun(failure);
      case "bad-shape":
      case "too-large":
        this.#bad(`${place} gave a value that the contract forbids: ${failure.detail}`);
        return;
      case "load-failed":
      case "environment-threw":
        // What solution() throws is for `winnable`.
        if (failure.call === "solution") return;
        if (failure.call === "step" && source === "other")
          this.thrown ??= `${place} threw: ${failure.detail}`;
        else this.#bad(`${place} threw: ${failure.detail}`);
    }
  }

  #bad(sentence: string): void {
    if (this.badValues.length < 3 && !this.badValues.includes(sentence)) this.badValues.push(sentence);
  }
}

function badStep(step: Step): string | null {
  if (Math.abs(step.reward) <= rewardBound) return null;
  return `gave the reward ${step.reward}; rewards must lie within ±${rewardBound}.`;
}

/** Our own fault as an error that nobody takes for an environment's. */
export function sandboxError(failure: Failure): SandboxError {
  return new SandboxError(
    "sandbox.unavailable",
    `The sandbox failed during ${failure.call}: ${failure.detail}`,
    {
      data: { verdict: failure.verdict },
    },
  );
}

/** `on seed 7, turn 3, action "open"`; turns count from 1. */
export function where(seed: number, turn: number, action: string | undefined): string {
  const done = action === undefined ? "" : `, action ${quote(action)}`;
  return `on seed ${seed}, turn ${turn + 1}${done}`;
}

export function failurePlace(seed: number, actions: readonly string[], failure: Failure): string {
  return failure.call === "step"
    ? `step() ${where(seed, failure.turn, actions[failure.turn])}`
    : `${failure.call}() on seed ${seed}`;
}
