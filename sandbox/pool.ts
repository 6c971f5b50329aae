/**
 * The pool: opens environments on the fleet's hosts, within the places there are, and hands out handles. A handle
 * that has been idle while others wait lends its place; it is replayed when it is asked again.
 */
import { availableParallelism } from "node:os";
import type { Logger } from "pino";
import { SandboxError } from "../config/errors.ts";
import type { SandboxConfig } from "../config/schema.ts";
import { openReply, shapeOf } from "./answers.ts";
import { Environment, overBecause } from "./environment.ts";
import { ClosedError, Fleet } from "./fleet.ts";
import { Handle, type Keeper, sentence } from "./handle.ts";
import { Places } from "./places.ts";
import type {
  EnvironmentHandle,
  EnvironmentShape,
  Failure,
  OpenOptions,
  Outcome,
  Sandbox,
  SandboxStats,
} from "./sandbox.ts";

/** A handle that nobody asked for so long may be parked while others wait for its place. */
const idleMs = 2_000;
const sweepMs = 250;

export interface SandboxOptions {
  /** The program that hosts run instead of their own; tests put hosts that lie here. */
  readonly program?: string;
}

/**
 * A sandbox whose hosts are up. `config` is the section of the same name; `hosts: 0` means one a core.
 * Throws a SandboxError (`sandbox.unavailable`) if no host can be started.
 */
export async function createSandbox(
  config: SandboxConfig,
  log: Logger,
  options: SandboxOptions = {},
): Promise<Sandbox> {
  const size = config.hosts === 0 ? availableParallelism() : config.hosts;
  const fleet = new Fleet(config, size, log, options.program);
  try {
    await fleet.start();
  } catch (error) {
    await fleet.close();
    throw error;
  }
  return new Pool(config, fleet, size * config.livePerHost);
}

class Pool implements Sandbox {
  readonly #config: SandboxConfig;
  readonly #fleet: Fleet;
  readonly #places: Places;
  readonly #tenants = new Set<Tenant>();
  readonly #sweeper: NodeJS.Timeout;
  #closed = false;

  constructor(config: SandboxConfig, fleet: Fleet, capacity: number) {
    this.#config = config;
    this.#fleet = fleet;
    this.#places = new Places(capacity);
    this.#sweeper = setInterval(() => this.#sweep(), sweepMs);
    this.#sweeper.unref();
  }

  async open(source: string, options: OpenOptions): Promise<Outcome<EnvironmentHandle>> {
    if (options.language !== "javascript") {
      throw new SandboxError("sandbox.no-language", `No sandbox for ${options.language} is available.`);
    }
    options.signal?.throwIfAborted();
    if (this.#closed) return refused("closed", "The sandbox was closed.");
    const environment = new Environment(this.#fleet, source);
    const tenant = new Tenant(environment, this.#places, () => this.#tenants.delete(tenant));
    try {
      await tenant.enter(options.signal);
    } catch (error) {
      options.signal?.throwIfAborted();
      const { verdict, detail } = overBecause(error);
      return refused(verdict, detail);
    }
    const shape = await this.#load(environment);
    tenant.rest();
    if (!shape.ok || options.signal?.aborted === true) {
      environment.end();
      tenant.end();
    }
    options.signal?.throwIfAborted();
    if (!shape.ok) return shape;
    this.#tenants.add(tenant);
    return { ok: true, value: new Handle(shape.value, environment, tenant, this.#config.errorCharacters) };
  }

  stats(): SandboxStats {
    return {
      hosts: this.#fleet.size,
      live: this.#places.taken,
      waiting: this.#places.waiting,
      hostRestarts: this.#fleet.restarts,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweeper);
    this.#places.refuseAll(new ClosedError());
    await this.#fleet.close();
  }

  async #load(environment: Environment): Promise<Outcome<EnvironmentShape>> {
    const settled = await environment.open().catch(overBecause);
    if (settled.kind !== "done") return refused(settled.verdict, this.#cut(settled.detail));
    const reply = openReply.safeParse(settled.payload);
    if (reply.success) return { ok: true, value: shapeOf(reply.data) };
    return refused("load-failed", "What the class says of itself can't be read.");
  }

  #cut(text: string): string {
    return sentence(text, this.#config.errorCharacters);
  }

  /** Parks who is idle, for those who wait and for hosts that want to go. */
  #sweep(): void {
    let wanted = this.#places.waiting;
    for (const tenant of this.#tenants) {
      const leaves = tenant.host !== null && this.#fleet.draining.has(tenant.host);
      if ((wanted === 0 && !leaves) || !tenant.idleFor(idleMs)) continue;
      tenant.park();
      if (wanted > 0) wanted -= 1;
    }
  }
}

/** An environment's claim to a place: taken when it works, lent while it is parked, given back at the end. */
class Tenant implements Keeper {
  readonly #environment: Environment;
  readonly #places: Places;
  readonly #onEnd: () => void;
  #placed = false;
  #busy = false;
  readonly #end = new AbortController();
  #idleSince = 0;

  constructor(environment: Environment, places: Places, onEnd: () => void) {
    this.#environment = environment;
    this.#places = places;
    this.#onEnd = onEnd;
  }

  get host() {
    return this.#environment.host;
  }

  async enter(signal?: AbortSignal): Promise<void> {
    this.#busy = true;
    if (this.#placed) return;
    const end = this.#end.signal;
    await this.#places.acquire(signal === undefined ? end : AbortSignal.any([signal, end]));
    this.#placed = true;
  }

  enterAtOnce(): boolean {
    if (this.#placed) this.#busy = true;
    return this.#placed;
  }

  rest(): void {
    this.#busy = false;
    this.#idleSince = performance.now();
  }

  idleFor(ms: number): boolean {
    return this.#placed && !this.#busy && performance.now() - this.#idleSince >= ms;
  }

  park(): void {
    this.#environment.park();
    this.#vacate();
  }

  end(): void {
    if (this.#end.signal.aborted) return;
    this.#end.abort(new ClosedError());
    this.#vacate();
    this.#onEnd();
  }

  #vacate(): void {
    if (!this.#placed) return;
    this.#placed = false;
    this.#places.release();
  }
}

function refused(verdict: Failure["verdict"], detail: string): { ok: false; failure: Failure } {
  return { ok: false, failure: { verdict, call: "open", turn: 0, detail } };
}
