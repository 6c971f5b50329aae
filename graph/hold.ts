/**
 * A process's hold on a round: its lease, renewed while the work lasts, the watch for a cancellation by somebody else,
 * and the time spent at work.
 */
import { RoundError } from "../config/errors.ts";
import type { Lease } from "../store/store.ts";
import type { Services } from "./services.ts";

const leaseMs = 15_000;
const renewEveryMs = 4_000;
/** A lease that was renewed so recently can't have run out by the time a write is done. */
const certainMs = 7_500;
const lookEveryMs = 500;
/** How long the process that was told to wait may take to let go of the round. */
const handOverMs = 3_000;

/** Why a run is stopped when another process cancels its round. */
export class Cancelled extends Error {
  constructor() {
    super("the round was cancelled");
    this.name = "Cancelled";
  }
}

export class Hold {
  readonly #services: Services;
  readonly #roundId: string;
  readonly #lease: Lease;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | null = null;
  #renewedAt: number;
  #countedAt: number;
  #released = false;
  #lost: RoundError | null = null;

  /**
   * Takes the round. Throws `round.busy` while another process has it; with `handedOver`, only once that process has
   * had time to let go.
   */
  static async take(services: Services, roundId: string, handedOver: boolean): Promise<Hold> {
    const until = Date.now() + (handedOver ? handOverMs : 0);
    for (;;) {
      const lease = await services.store.leases.acquire(leaseName(roundId), leaseMs);
      if (lease !== null) return new Hold(services, roundId, lease);
      if (Date.now() >= until) {
        throw new RoundError("round.busy", `Another process works on round ${roundId} at the moment.`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  private constructor(services: Services, roundId: string, lease: Lease) {
    this.#services = services;
    this.#roundId = roundId;
    this.#lease = lease;
    this.#renewedAt = Date.now();
    this.#countedAt = performance.now();
    this.#timer = setInterval(() => {
      // A look that takes longer than the interval is not doubled.
      this.#looking ??= this.#look().finally(() => {
        this.#looking = null;
      });
    }, lookEveryMs);
  }

  /** Aborts when the round was cancelled or its lease was lost. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Why the run must not go on, if the lease was lost. */
  get lost(): RoundError | null {
    return this.#lost;
  }

  /**
   * To be called before a write that only the round's holder may make. Throws `round.busy` if another process took the
   * round over, which it can only have done if this one was stopped, or kept too busy, for longer than its lease.
   */
  async confirm(): Promise<void> {
    const age = Date.now() - this.#renewedAt;
    if (this.#lost === null && (age < 0 || age > certainMs)) await this.#renew();
    if (this.#lost !== null) throw this.#lost;
  }

  /** Lets go of the round and counts the time that was spent on it. What can't be stored then is logged. */
  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    clearInterval(this.#timer);
    await this.#looking;
    try {
      if (this.#lost === null) await this.#countTime();
      await this.#services.store.leases.release(this.#lease);
    } catch (error) {
      this.#services.log.warn({ roundId: this.#roundId, err: error }, "a round could not be let go of");
    }
  }

  async #look(): Promise<void> {
    const { store, log } = this.#services;
    const roundId = this.#roundId;
    try {
      if (Date.now() - this.#renewedAt >= renewEveryMs) {
        await this.#renew();
        if (this.#lost !== null) return;
        await this.#countTime();
      }
      const round = await store.rounds.get(roundId);
      if (round?.status === "cancelled") this.#abort.abort(new Cancelled());
    } catch (error) {
      // The work itself meets the same store and says what is wrong with it.
      log.warn({ roundId, err: error }, "a round could not be looked after");
    }
  }

  async #renew(): Promise<void> {
    const now = Date.now();
    if (await this.#services.store.leases.renew(this.#lease, leaseMs)) {
      this.#renewedAt = now;
      return;
    }
    this.#lost = new RoundError("round.busy", `Another process took over round ${this.#roundId}.`);
    this.#abort.abort(this.#lost);
  }

  /** By a clock that nobody sets: the time of day may jump, in either direction. */
  async #countTime(): Promise<void> {
    const spent = performance.now() - this.#countedAt;
    this.#countedAt += spent;
    await this.#services.store.rounds.update(this.#roundId, (round) => ({
      ...round,
      wallMs: round.wallMs + Math.round(spent),
    }));
  }
}

/** The lease that a process holds while it works on the round. */
export function leaseName(roundId: string): string {
  return `round:${roundId}`;
}
