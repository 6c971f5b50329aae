/**
 * The fleet: the host processes that are up, each replaced when it dies or retires, and the one that tries a suspect
 * alone. It knows which host has room; it knows nothing of what runs there.
 */
import type { Logger } from "pino";
import { SandboxError } from "../config/errors.ts";
import type { SandboxConfig } from "../config/schema.ts";
import { HostProcess } from "./host-process.ts";
import { jailCommand } from "./jail.ts";

/** Starts that fail one after another before the sandbox is called broken. */
const startsBeforeGivingUp = 3;
/** A host retires when idle memory it can't give back has filled so much of its cap. */
const retireAtShare = 0.6;
const loadsAlone = 50;
/** How long the host for lone trials stays up unused. */
const loneIdleMs = 10_000;
/** How long after giving up on starting hosts another try is made. */
const patienceMs = 5_000;

/** Nothing is to be done any more; no fault of anyone. */
export class ClosedError extends Error {
  constructor() {
    super("The sandbox was closed.");
    this.name = "ClosedError";
  }
}

export class Fleet {
  restarts = 0;
  readonly #config: SandboxConfig;
  readonly #size: number;
  readonly #log: Logger;
  readonly #program: string | undefined;
  readonly #hosts = new Set<HostProcess>();
  readonly #retired = new Set<HostProcess>();
  readonly #usable = new Set<HostProcess>();
  readonly #waiting: (() => void)[] = [];
  #lone: HostProcess | null = null;
  #loneIdle: NodeJS.Timeout | undefined = undefined;
  #loneQueue: Promise<unknown> = Promise.resolve();
  #failedStarts = 0;
  #gaveUpAt = 0;
  #closed = false;

  constructor(config: SandboxConfig, size: number, log: Logger, program?: string) {
    this.#program = program;
    this.#config = config;
    this.#size = size;
    this.#log = log;
  }

  get size(): number {
    return this.#hosts.size;
  }

  get draining(): ReadonlySet<HostProcess> {
    return this.#retired;
  }

  /** Starts every host and waits for the first. Throws a SandboxError if none comes up. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#size }, () => this.#add()));
    await this.#awaitUsable();
  }

  /** The host with the most room, once there is one, with a place on it taken. Throws a SandboxError if none comes up. */
  async place(): Promise<HostProcess> {
    for (;;) {
      const host = this.#roomiest();
      if (host !== null) {
        host.placed += 1;
        host.loads += 1;
        return host;
      }
      await this.#awaitUsable(true);
    }
  }

  /** Gives a place on a host back. */
  leave(host: HostProcess): void {
    host.placed -= 1;
    if (this.#retired.has(host)) this.#dismissIfEmpty(host);
    else if (host.alive && this.#isWorn(host)) this.#retire(host);
    this.#notify();
  }

  /** Runs `work` with a host that nobody else uses, one after another. */
  alone<T>(work: (host: HostProcess) => Promise<T>): Promise<T> {
    clearTimeout(this.#loneIdle);
    const turn = this.#loneQueue.then(async () => work(await this.#loneHost()));
    this.#loneQueue = turn.catch(() => {}).then(() => this.#dismissLoneLater());
    return turn;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#loneIdle);
    this.#notify();
    const all = [...this.#hosts, ...this.#retired, ...(this.#lone === null ? [] : [this.#lone])];
    await Promise.all(all.map((host) => host.kill()));
  }

  async #loneHost(): Promise<HostProcess> {
    if (this.#lone?.alive && this.#lone.loads < loadsAlone) {
      this.#lone.loads += 1;
      return this.#lone;
    }
    await this.#lone?.kill();
    const host = await this.#spawn(true);
    this.#lone = host;
    host.loads += 1;
    if (!(await host.ready)) throw unavailable((await host.died).detail);
    return host;
  }

  #dismissLoneLater(): void {
    clearTimeout(this.#loneIdle);
    this.#loneIdle = setTimeout(() => {
      const host = this.#lone;
      this.#lone = null;
      void host?.kill();
    }, loneIdleMs);
    this.#loneIdle.unref();
  }

  async #spawn(alone: boolean): Promise<HostProcess> {
    const { jit, hostRssMb } = this.#config;
    const program = this.#program === undefined ? {} : { program: this.#program };
    const command = await jailCommand({ jit, rssMb: hostRssMb, ...program });
    if (this.#closed) throw new ClosedError();
    return new HostProcess({ config: this.#config, command, alone, log: this.#log });
  }

  async #add(): Promise<void> {
    const host = await this.#spawn(false);
    this.#hosts.add(host);
    void host.died.then((death) => this.#replace(host, death.cause === "closed"));
    void host.ready.then((ready) => {
      if (ready) {
        this.#failedStarts = 0;
        this.#usable.add(host);
      } else {
        this.#failedStarts += 1;
        this.#gaveUpAt = performance.now();
      }
      this.#notify();
    });
  }

  #replace(host: HostProcess, wanted: boolean): void {
    this.#usable.delete(host);
    this.#retired.delete(host);
    const counted = this.#hosts.delete(host);
    if (!wanted) this.restarts += 1;
    if (!counted || this.#closed || this.#failedStarts >= startsBeforeGivingUp) {
      this.#notify();
      return;
    }
    this.#addInBackground();
  }

  #retire(host: HostProcess): void {
    host.draining = true;
    this.#hosts.delete(host);
    this.#usable.delete(host);
    this.#retired.add(host);
    this.#dismissIfEmpty(host);
    if (!this.#closed) {
      this.#add().catch((error: unknown) =>
        this.#log.error({ err: error }, "a sandbox host can't be started"),
      );
    }
  }

  #dismissIfEmpty(host: HostProcess): void {
    if (host.placed > 0) return;
    this.#retired.delete(host);
    void host.kill();
  }

  #isWorn(host: HostProcess): boolean {
    return (
      host.loads >= this.#config.retireAfterLoads || host.rssMb >= this.#config.hostRssMb * retireAtShare
    );
  }

  #roomiest(): HostProcess | null {
    if (this.#closed) throw new ClosedError();
    if (this.#failedStarts >= startsBeforeGivingUp && this.#usable.size === 0) this.#tryOnceMore();
    let best: HostProcess | null = null;
    for (const host of this.#usable) {
      if (host.placed < this.#config.livePerHost && (best === null || host.placed < best.placed)) best = host;
    }
    return best;
  }

  /** After too many failed starts: a fresh try now and then, an error in between. */
  #tryOnceMore(): void {
    if (performance.now() - this.#gaveUpAt < patienceMs) {
      throw unavailable("Sandbox hosts end before they are ready.");
    }
    this.#failedStarts = 0;
    for (let i = this.#hosts.size; i < this.#size; i += 1) this.#addInBackground();
  }

  #addInBackground(): void {
    this.#add().catch((error: unknown) => {
      if (!(error instanceof ClosedError)) this.#log.error({ err: error }, "a sandbox host can't be started");
    });
  }

  async #awaitUsable(anyChange = false): Promise<void> {
    while (anyChange || this.#roomiest() === null) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      if (anyChange) return;
    }
  }

  #notify(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

function unavailable(reason: string): SandboxError {
  return new SandboxError("sandbox.unavailable", `The sandbox is not available: ${reason}`);
}
