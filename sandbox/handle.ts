/**
 * The handle that callers hold: it puts their calls in order, checks every answer against its schema, and turns
 * whatever went wrong into a failure with the turn at which it did.
 */
import {
  isStepReply,
  observationOf,
  resetReply,
  solutionReply,
  stepOf,
  toolOf,
  toolsReply,
} from "./answers.ts";
import { type Environment, overBecause, type Settled } from "./environment.ts";
import { type AskedRun, broken, type Operation, runOf, runsOf } from "./protocol.ts";
import type {
  EnvironmentHandle,
  EnvironmentShape,
  Failure,
  Observation,
  Outcome,
  Run,
  RunOptions,
  SandboxCall,
  Script,
  Step,
  ToolDefinition,
} from "./sandbox.ts";

/** After these nothing more can come of a handle. */
const final: ReadonlySet<string> = new Set([
  "timed-out",
  "out-of-memory",
  "host-died",
  "closed",
  "sandbox-failed",
]);

/** What the pool does for a handle around each operation. */
export interface Keeper {
  /** Before an operation: makes sure that the environment has a place. */
  enter(): Promise<void>;
  /** The same if it has one already; otherwise false. */
  enterAtOnce(): boolean;
  /** After an operation. */
  rest(): void;
  /** When nothing more will be asked. */
  end(): void;
}

export class Handle implements EnvironmentHandle {
  readonly shape: EnvironmentShape;
  readonly #environment: Environment;
  readonly #keeper: Keeper;
  readonly #detailLimit: number;
  #queue: Promise<unknown> = Promise.resolve();
  /** Operations that are under way or in the queue. */
  #asked = 0;
  #dead: Failure | null = null;
  #turn = 0;

  constructor(shape: EnvironmentShape, environment: Environment, keeper: Keeper, detailLimit: number) {
    this.shape = shape;
    this.#environment = environment;
    this.#keeper = keeper;
    this.#detailLimit = detailLimit;
  }

  reset(seed: number): Promise<Outcome<Observation>> {
    return this.#ask({ name: "reset", seed }, "reset", (payload) => {
      const reply = resetReply.safeParse(payload);
      if (!reply.success) return undefined;
      this.#turn = 0;
      return observationOf(reply.data);
    });
  }

  step(action: string): Promise<Outcome<Step>> {
    const operation: Operation = { name: "step", action };
    return this.#asked === 0 && this.#dead === null && this.#keeper.enterAtOnce()
      ? this.#stepAtOnce(operation)
      : this.#ask(operation, "step", this.#readStep);
  }

  solution(): Promise<Outcome<readonly string[] | null>> {
    return this.#ask({ name: "solution" }, "solution", (payload) => solutionReply.safeParse(payload).data);
  }

  tools(): Promise<Outcome<readonly ToolDefinition[]>> {
    return this.#ask({ name: "tools" }, "tools", (payload) =>
      toolsReply.safeParse(payload).data?.map(toolOf),
    );
  }

  run(seed: number, actions: readonly string[], options: RunOptions = {}): Promise<Run> {
    const operation: Operation = { name: "run", ...askedRun({ seed, actions, ...options }) };
    return this.#inTurn(async () => {
      this.#turn = 0;
      if (this.#dead !== null) return emptyRun(this.#dead);
      const settled = await this.#perform(operation);
      const run = this.#runOf(settled, operation);
      this.#turn = run.steps.length;
      if (run.failure !== null && final.has(run.failure.verdict)) this.#die(run.failure);
      return run;
    });
  }

  runAll(scripts: readonly Script[]): Promise<readonly Run[]> {
    return this.#inTurn(async () => {
      const runs: Run[] = [];
      let together = scripts.length;
      while (runs.length < scripts.length) {
        const rest = scripts.slice(runs.length, runs.length + together).map(askedRun);
        const done = this.#dead === null ? await this.#runTogether(rest) : [emptyRun(this.#dead)];
        runs.push(...done);
        // What failed in company is tried by itself before it is blamed.
        together = done.length === 0 ? 1 : scripts.length;
      }
      this.#turn = runs.at(-1)?.steps.length ?? this.#turn;
      return runs;
    });
  }

  /** Runs in one message, as many as were carried out; none if the first has to be asked by itself. */
  async #runTogether(scripts: readonly AskedRun[]): Promise<Run[]> {
    const settled = await this.#perform({ name: "runs", scripts });
    const { whole, open } = runsOf(
      settled.kind === "done" ? [...settled.parts, settled.payload] : settled.parts,
    );
    const runs: Run[] = [];
    for (const run of whole.slice(0, scripts.length)) {
      const { failure } = run;
      runs.push(
        failure === null ? run : { ...run, failure: { ...failure, detail: this.#cut(failure.detail) } },
      );
      if (failure === null || !final.has(failure.verdict)) continue;
      this.#die(failure);
      return runs;
    }
    const asked = scripts[runs.length];
    if (asked === undefined || (settled.kind === "failed" && scripts.length > 1)) return runs;
    const turn = open.steps.length;
    const failure =
      settled.kind === "done"
        ? broken(this.#callAfter(open, asked), turn)
        : (open.failure ??
          this.#failure(settled.verdict, this.#callAfter(open, asked), turn, settled.detail));
    runs.push({ ...open, failure });
    if (final.has(failure.verdict)) this.#die(failure);
    return runs;
  }

  close(): Promise<void> {
    const failure: Failure = { verdict: "closed", call: "step", turn: this.#turn, detail: "It was closed." };
    if (this.#dead === null) this.#die(failure);
    return Promise.resolve();
  }

  #runOf(settled: Settled, asked: RunOptions): Run {
    if (settled.kind === "done") {
      const run = runOf([...settled.parts, settled.payload]);
      const { failure } = run;
      return failure === null ? run : { ...run, failure: { ...failure, detail: this.#cut(failure.detail) } };
    }
    const run = runOf(settled.parts);
    if (run.failure !== null) return run;
    const call = this.#callAfter(run, asked);
    return { ...run, failure: this.#failure(settled.verdict, call, run.steps.length, settled.detail) };
  }

  /** The call that a run was in when it was cut off. */
  #callAfter(run: Run, asked: RunOptions): SandboxCall {
    if (run.reset === null) return "reset";
    if (asked.solution === true && this.shape.hasSolution && run.solution === null) return "solution";
    if (asked.tools === true && this.shape.kind === "tool-use" && run.tools === null) return "tools";
    return "step";
  }

  /** `read` gives what an answer holds, undefined if it is not what the contract says. */
  #ask<T>(
    operation: Operation,
    call: SandboxCall,
    read: (payload: unknown) => T | undefined,
  ): Promise<Outcome<T>> {
    return this.#inTurn(async () => {
      if (this.#dead !== null) return { ok: false, failure: this.#dead };
      return this.#outcome(await this.#perform(operation), call, read);
    });
  }

  #outcome<T>(settled: Settled, call: SandboxCall, read: (payload: unknown) => T | undefined): Outcome<T> {
    if (settled.kind === "done") {
      const value = read(settled.payload);
      return value === undefined ? { ok: false, failure: broken(call, this.#turn) } : { ok: true, value };
    }
    const failure = this.#failure(settled.verdict, call, this.#turn, settled.detail);
    if (settled.kind === "over") this.#die(failure);
    return { ok: false, failure };
  }

  readonly #readStep = (payload: unknown): Step | undefined => {
    if (!isStepReply(payload)) return undefined;
    this.#turn += 1;
    return stepOf(payload);
  };

  /** A step that nothing has to wait for, with one promise: there are more of these than of all else. */
  #stepAtOnce(operation: Operation): Promise<Outcome<Step>> {
    this.#asked = 1;
    const turn = new Promise<Outcome<Step>>((resolve, reject) => {
      const settle = (settled: Settled): void => {
        this.#asked -= 1;
        this.#keeper.rest();
        resolve(this.#outcome(settled, "step", this.#readStep));
      };
      const fail = (error: unknown): void => {
        this.#asked -= 1;
        this.#keeper.rest();
        reject(error);
      };
      const begun = this.#environment.performAtOnce(operation, settle, fail);
      if (!begun) this.#perform(operation).then(settle, fail);
    });
    this.#queue = turn;
    return turn;
  }

  async #perform(operation: Operation): Promise<Settled> {
    try {
      await this.#keeper.enter();
      return await this.#environment.perform(operation);
    } catch (error) {
      return overBecause(error);
    } finally {
      this.#keeper.rest();
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#asked += 1;
    const start = () =>
      work().finally(() => {
        this.#asked -= 1;
      });
    const turn = this.#queue.then(start, start);
    this.#queue = turn;
    return turn;
  }

  #die(failure: Failure): void {
    this.#dead ??= failure;
    this.#environment.end();
    this.#keeper.end();
  }

  #failure(verdict: Failure["verdict"], call: SandboxCall, turn: number, detail: string): Failure {
    return { verdict, call, turn, detail: this.#cut(detail) };
  }

  #cut(text: string): string {
    return sentence(text, this.#detailLimit);
  }
}

/** Text of an environment as one line that is safe to show, of at most `limit` characters. */
export function sentence(text: string, limit: number): string {
  const line = text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 1).toWellFormed()}…` : line;
}

function askedRun({ seed, actions, solution, tools }: Script): AskedRun {
  return { seed, actions: [...actions], solution: solution === true, tools: tools === true };
}

function emptyRun(failure: Failure): Run {
  return { reset: null, steps: [], solution: null, tools: null, failure };
}
