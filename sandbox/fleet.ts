/**
 * The fleet: the host processes that are up, each replaced when it dies or retires, and the one that tries a suspect
 * alone. It knows which host has room; it knows nothing of what runs there.
 */
import type { Logger } from "pino";
import { SandboxError } from "../config/errors.ts";
import type { SandboxConfig } from "../config/schema.ts";
import { HostProcess } from "./host-process.ts";
import { type Command, distrust, jailCommand } from "./jail.ts";

/** Starts that fail one after another before the sandbox is called broken. */
const startsBeforeGivingUp = 3;
/** How long after giving up on starting hosts another try is made. */
const patienceMs = 5_000;
/** A host retires when memory that it can't give back has filled so much of its cap. */
const retireAtShare = 0.6;
/** Environments that one host tries alone before a fresh one does. */
const loadsAlone = 50;
/** How long the host for lone trials stays up unused. */
const loneIdleMs = 10_000;

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
  readonly #usable = new Set<HostProcess>();
  readonly #retired = new Set<HostProcess>();
  readonly #waiting: (() => void)[] = [];
  #lone: HostProcess | null = null;
  #loneIdle: NodeJS.Timeout | undefined = undefined;
  #loneQueue: Promise<unknown> = Promise.resolve();
  #failedStarts = 0;
  #gaveUpAt = 0;
  #closed = false;

  /** `program` replaces the program that hosts run. */
  constructor(config: SandboxConfig, size: number, log: Logger, program?: string) {
    this.#config = config;
    this.#size = size;
    this.#log = log;
    this.#program = program;
  }

  get size(): number {
    return this.#hosts.size;
  }

  /** Hosts that take no more and wait for those who are still there. */
  get draining(): ReadonlySet<HostProcess> {
    return this.#retired;
  }

  /** Starts the first host, behind the best wall that works here, and then the others. Throws a SandboxError. */
  async start(): Promise<void> {
    for (;;) {
      const { host, command } = this.#spawn(false);
      this.#adopt(host);
      if (await host.ready) break;
      const { detail } = await host.died;
      if (!distrust(command)) throw unavailable(detail);
      this.#failedStarts = 0;
    }
    for (let i = 1; i < this.#size; i += 1) this.#add();
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
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
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
    const { host } = this.#spawn(true);
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

  #spawn(alone: boolean): { readonly host: HostProcess; readonly command: Command } {
    if (this.#closed) throw new ClosedError();
    const { jit, hostRssMb } = this.#config;
    const program = this.#program === undefined ? {} : { program: this.#program };
    const command = jailCommand({ jit, rssMb: hostRssMb, ...program });
    return { host: new HostProcess({ config: this.#config, command, alone, log: this.#log }), command };
  }

  #add(): void {
    this.#adopt(this.#spawn(false).host);
  }

  #adopt(host: HostProcess): void {
    this.#hosts.add(host);
    let started = false;
    void host.ready.then((ready) => {
      started = ready;
      if (ready) {
        this.#failedStarts = 0;
        this.#usable.add(host);
      } else {
        this.#failedStarts += 1;
        this.#gaveUpAt = performance.now();
      }
      this.#notify();
    });
    void host.died.then((death) => this.#bury(host, started && death.cause !== "closed"));
  }

  #bury(host: HostProcess, unexpected: boolean): void {
    this.#usable.delete(host);
    this.#retired.delete(host);
    const counted = this.#hosts.delete(host);
    if (unexpected) this.restarts += 1;
    // The very first start is tried again by `start`, behind another wall.
    const everStarted = unexpected || this.#usable.size > 0 || this.restarts > 0;
    if (counted && everStarted && !this.#closed && this.#failedStarts < startsBeforeGivingUp) this.#add();
    this.#notify();
  }

  #retire(host: HostProcess): void {
    this.#hosts.delete(host);
    this.#usable.delete(host);
    this.#retired.add(host);
    this.#dismissIfEmpty(host);
    if (!this.#closed) this.#add();
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
      if (!host.alive || host.placed >= this.#config.livePerHost) continue;
      if (best === null || host.placed < best.placed) best = host;
    }
    return best;
  }

  /** After too many failed starts: a fresh try now and then, an error in between. */
  #tryOnceMore(): void {
    if (performance.now() - this.#gaveUpAt < patienceMs) {
      throw unavailable("Sandbox hosts end before they are ready.");
    }
    this.#failedStarts = 0;
    for (let i = this.#hosts.size; i < this.#size; i += 1) this.#add();
  }

  #notify(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

function unavailable(reason: string): SandboxError {
  return new SandboxError("sandbox.unavailable", `The sandbox is not available: ${reason}`);
}
