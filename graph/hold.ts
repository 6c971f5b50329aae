/**
 * A process's hold on a round or a campaign: its lease, renewed while the work lasts, the watch for somebody else who
 * calls it off, and the time spent at work.
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

/** Why a run is stopped when another process calls it off. */
export class Cancelled extends Error {
  constructor(said: string) {
    super(`${said} was called off`);
    this.name = "Cancelled";
  }
}

/** What is held. */
export interface Held {
  /** The lease's name. */
  readonly lease: string;
  /** What messages call it, e.g. `round r3`. */
  readonly said: string;
  isCalledOff(): Promise<boolean>;
  /** Adds to the time that was spent at work, milliseconds. */
  addTime(ms: number): Promise<void>;
}

export class Hold {
  readonly #services: Services;
  readonly #held: Held;
  readonly #lease: Lease;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | null = null;
  #renewedAt: number;
  #countedAt: number;
  #released = false;
  #lost: RoundError | null = null;

  /**
   * Takes it. Throws `round.busy` while another process has it; with `handedOver`, only once that process has had time
   * to let go.
   */
  static async take(services: Services, held: Held, handedOver: boolean): Promise<Hold> {
    const until = Date.now() + (handedOver ? handOverMs : 0);
    for (;;) {
      const lease = await services.store.leases.acquire(held.lease, leaseMs);
      if (lease !== null) return new Hold(services, held, lease);
      if (Date.now() >= until) {
        throw new RoundError("round.busy", `Another process works on ${held.said} at the moment.`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  private constructor(services: Services, held: Held, lease: Lease) {
    this.#services = services;
    this.#held = held;
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

  /** Aborts when it was called off or its lease was lost. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Why the run must not go on, if the lease was lost. */
  get lost(): RoundError | null {
    return this.#lost;
  }

  /**
   * To be called before a write that only the holder may make. Throws `round.busy` if another process took it
   * over, which it can only have done if this one was stopped, or kept too busy, for longer than its lease.
   */
  async confirm(): Promise<void> {
    const age = Date.now() - this.#renewedAt;
    if (this.#lost === null && (age < 0 || age > certainMs)) await this.#renew();
    if (this.#lost !== null) throw this.#lost;
  }

  /** Lets go and counts the time that was spent on it. What can't be stored then is logged. */
  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    clearInterval(this.#timer);
    await this.#looking;
    try {
      if (this.#lost === null) await this.#countTime();
      await this.#services.store.leases.release(this.#lease);
    } catch (error) {
      this.#services.log.warn({ held: this.#held.said, err: error }, "a lease could not be let go of");
    }
  }

  async #look(): Promise<void> {
    const { said } = this.#held;
    try {
      if (Date.now() - this.#renewedAt >= renewEveryMs) {
        await this.#renew();
        if (this.#lost !== null) return;
        await this.#countTime();
      }
      if (await this.#held.isCalledOff()) this.#abort.abort(new Cancelled(said));
    } catch (error) {
      // The work itself meets the same store and says what is wrong with it.
      this.#services.log.warn({ held: said, err: error }, "a lease could not be looked after");
    }
  }

  async #renew(): Promise<void> {
    const now = Date.now();
    if (await this.#services.store.leases.renew(this.#lease, leaseMs)) {
      this.#renewedAt = now;
      return;
    }
    this.#lost = new RoundError("round.busy", `Another process took over ${this.#held.said}.`);
    this.#abort.abort(this.#lost);
  }

  /** By a clock that nobody sets: the time of day may jump, in either direction. */
  async #countTime(): Promise<void> {
    const spent = performance.now() - this.#countedAt;
    this.#countedAt += spent;
    await this.#held.addTime(Math.round(spent));
  }
}

/** A round, as what is held. */
export function heldRound({ store }: Pick<Services, "store">, roundId: string): Held {
  return {
    lease: leaseName(roundId),
    said: `round ${roundId}`,
    isCalledOff: async () => (await store.rounds.get(roundId))?.status === "cancelled",
    addTime: async (ms) => {
      await store.rounds.update(roundId, (round) => ({ ...round, wallMs: round.wallMs + ms }));
    },
  };
}

/** The lease that a process holds while it works on the round. */
export function leaseName(roundId: string): string {
  return `round:${roundId}`;
}
