/**
 * One live environment: it carries out operations one after another, remembers them, and when its host is lost or is
 * needed by another it is loaded elsewhere and replayed. Only here is an environment blamed, and for the death of a
 * host never before it was tried alone.
 */
import { SandboxError } from "../config/errors.ts";
import { ClosedError, type Fleet } from "./fleet.ts";
import type { Death, HostProcess, Reply } from "./host-process.ts";
import type { Operation, Request } from "./protocol.ts";
import type { FailureVerdict } from "./sandbox.ts";

/** How an operation ended. `over`: the environment is dead. */
export type Settled = { readonly parts: readonly unknown[] } & (
  | { readonly kind: "done"; readonly payload: unknown }
  | { readonly kind: "failed" | "over"; readonly verdict: FailureVerdict; readonly detail: string }
);
type Over = Extract<Settled, { kind: "failed" | "over" }> & { readonly kind: "over" };

interface Spot {
  readonly host: HostProcess;
  readonly owner: number;
}

interface Tried {
  readonly spot: Spot;
  readonly reply: Reply;
}

/** Steps that are remembered at most; beyond them only the episode since the last reset is. */
const rememberedSteps = 5_000;
/** Deaths of hosts that a bystander may see during one operation before it is tried alone all the same. */
const lossesAsBystander = 2;

/** Quick calls after which a host runs steps on its own thread: for a new one, after it was slow, after it hung one. */
const untilBrisk = { new: 2, slow: 100, never: 1e9 } as const;

let lastOwner = 0;

export class Environment {
  readonly #fleet: Fleet;
  readonly #source: string;
  #spot: Spot | null = null;
  #pace: keyof typeof untilBrisk = "new";
  #history: Operation[] = [];
  #steps = 0;
  #ended = false;
  #lastAnswer: Settled | null = null;

  constructor(fleet: Fleet, source: string) {
    this.#fleet = fleet;
    this.#source = source;
  }

  /** Loads it. The payload of `done` is the reply to open. */
  open(): Promise<Settled> {
    return this.#settle(null);
  }

  /**
   * Carries out one operation. The caller waits for one before it asks for the next. `tried` is what a first try came
   * to, where it was made already.
   */
  async perform(operation: Operation, tried?: Tried): Promise<Settled> {
    const settled = await this.#settle(operation, tried);
    if (settled.kind !== "over") this.#remember(operation, settled);
    return settled;
  }

  /**
   * The same with as little around it as it takes, for the operation that comes most often: `settle` is told how it
   * ended, `fail` of an error that is not the sandbox's. False if it has no place at the moment: nothing was done.
   */
  performAtOnce(
    operation: Operation,
    settle: (settled: Settled) => void,
    fail: (error: unknown) => void,
  ): boolean {
    const spot = this.#spot;
    if (spot === null) return false;
    spot.host.ask(operation, spot.owner, (reply) => {
      if (reply.kind === "done" && !this.#ended) {
        this.#remember(operation, reply);
        settle(reply);
      } else this.perform(operation, { spot, reply }).catch(overBecause).then(settle, fail);
    });
    return true;
  }

  /** Gives its isolate back for good; what is in flight ends as closed. */
  end(): void {
    this.#ended = true;
    this.park();
  }

  /** Gives its isolate back; the next operation loads and replays it. */
  park(): void {
    const spot = this.#spot;
    this.#spot = null;
    if (spot === null) return;
    spot.host.close(spot.owner);
    this.#fleet.leave(spot.host);
  }

  get host(): HostProcess | null {
    return this.#spot?.host ?? null;
  }

  async #settle(operation: Operation | null, tried?: Tried): Promise<Settled> {
    for (let losses = 0, first = tried; ; first = undefined) {
      const { spot, reply } = first ?? (await this.#try(operation));
      if (this.#ended) {
        this.park();
        return closed;
      }
      if (reply.kind === "done" || (reply.kind === "failed" && operation !== null)) return reply;
      this.park();
      if (reply.kind === "failed") return reply;
      if (reply.kind === "dead") {
        if (reply.verdict !== "slow") return this.#settleDead(reply, operation);
        this.#pace = this.#pace === "new" ? "slow" : "never";
        continue;
      }
      const { cause, suspects } = reply.death;
      if (cause === "closed") return over(reply);
      if (cause === "silent") this.#pace = "never";
      losses += 1;
      if (suspects.has(spot.owner) || losses > lossesAsBystander) return this.#alone(operation);
    }
  }

  /** Its host had to end it: as a rule that is the last word. */
  async #settleDead(reply: Extract<Reply, { kind: "dead" }>, operation: Operation | null): Promise<Settled> {
    // It got too little CPU time to call it the environment's fault.
    if (reply.verdict === "starved") return this.#alone(operation);
    if (reply.verdict !== "out-of-memory" || !isRun(operation)) return over(reply);
    // What the run had done before is lost with its isolate; alone it is handed over step by step.
    const again = await this.#alone(operation);
    return again.kind === "over" ? { ...over(reply), parts: again.parts } : again;
  }

  async #try(operation: Operation | null): Promise<Tried> {
    const present = this.#spot;
    if (present !== null && operation !== null) {
      return { spot: present, reply: await present.host.request(operation, present.owner) };
    }
    const host = await this.#fleet.place();
    const spot = { host, owner: nextOwner() };
    this.#spot = spot;
    return { spot, reply: await this.#play(spot, operation) };
  }

  /** Loads it on a host, replays what is remembered, and carries out the operation. */
  async #play(spot: Spot, operation: Operation | null): Promise<Reply> {
    const open: Request = {
      name: "open",
      source: this.#source,
      untilBrisk: spot.host.alone ? untilBrisk.never : untilBrisk[this.#pace],
    };
    let reply = await spot.host.request(open, spot.owner);
    if (reply.kind === "failed" && operation !== null) return differs;
    for (const past of this.#history) {
      if (reply.kind === "dead" || reply.kind === "lost") return reply;
      reply = await spot.host.request(past, spot.owner);
    }
    if (operation === null || reply.kind === "dead" || reply.kind === "lost") return reply;
    const last = this.#history.at(-1);
    if (last !== undefined && this.#lastAnswer !== null && !sameAnswer(last, reply, this.#lastAnswer)) {
      return differs;
    }
    return spot.host.request(operation, spot.owner);
  }

  async #alone(operation: Operation | null): Promise<Settled> {
    try {
      for (;;) {
        const { reply, fresh } = await this.#fleet.alone(async (host) => {
          const spot = { host, owner: nextOwner() };
          const answer = await this.#play(spot, operation);
          host.close(spot.owner);
          return { reply: answer, fresh: host.loads === 1 };
        });
        if (reply.kind === "done" || reply.kind === "failed") return reply;
        // Others were tried on that host before, and may have left it in a bad way.
        if (fresh || reply.kind === "dead" || reply.death.cause !== "crashed") return over(reply);
      }
    } catch (error) {
      return overBecause(error);
    }
  }

  #remember(operation: Operation, settled: Exclude<Settled, { kind: "over" }>): void {
    const starts = operation.name === "reset" || isRun(operation);
    if (starts && this.#steps > rememberedSteps) {
      this.#history = [];
      this.#steps = 0;
    }
    this.#history.push(operation);
    this.#steps += stepsIn(operation);
    this.#lastAnswer = settled;
  }
}

function isRun(operation: Operation | null): boolean {
  return operation?.name === "run" || operation?.name === "runs";
}

function stepsIn(operation: Operation): number {
  if (operation.name === "run") return operation.actions.length + 1;
  if (operation.name !== "runs") return 1;
  return operation.scripts.reduce((steps, { actions }) => steps + actions.length + 1, 0);
}

function nextOwner(): number {
  lastOwner += 1;
  return lastOwner;
}

/** Whether a replay answered as the original did; parts of a run are cut by time, so runs are not compared. */
function sameAnswer(operation: Operation, replayed: Reply, original: Settled): boolean {
  if (isRun(operation)) return true;
  if (replayed.kind !== original.kind) return false;
  if (replayed.kind === "done" && original.kind === "done") {
    return JSON.stringify(replayed.payload) === JSON.stringify(original.payload);
  }
  return true;
}

const differs: Reply = {
  kind: "dead",
  verdict: "sandbox-failed",
  detail: "Its host was lost, and playing it again elsewhere gave another transcript.",
  parts: [],
};

const closed: Over = { kind: "over", verdict: "closed", detail: "It was closed.", parts: [] };

const verdictOfDeath: Record<Death["cause"], FailureVerdict> = {
  crashed: "host-died",
  memory: "out-of-memory",
  deadline: "timed-out",
  silent: "timed-out",
  protocol: "host-died",
  closed: "closed",
};

/** What it means for a call that the pool itself can't go on. Rethrows what is not the sandbox's. */
export function overBecause(error: unknown): Over {
  if (error instanceof ClosedError) return closed;
  if (!(error instanceof SandboxError)) throw error;
  return { kind: "over", verdict: "sandbox-failed", detail: error.message, parts: [] };
}

function over(reply: Extract<Reply, { kind: "dead" | "lost" }>): Over {
  if (reply.kind === "lost") {
    const { cause, detail } = reply.death;
    return { kind: "over", verdict: verdictOfDeath[cause], detail, parts: reply.parts };
  }
  const verdict = reply.verdict === "starved" || reply.verdict === "slow" ? "timed-out" : reply.verdict;
  return { kind: "over", verdict, detail: reply.detail, parts: reply.parts };
}
