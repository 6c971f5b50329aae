/**
 * A pump: does one thing after the other for as long as there is something to do, sleeps until it is woken, and tries
 * again later when something failed. Whatever comes in meanwhile is looked at in the next step, so nothing queues up.
 */

export interface PumpOptions {
  /**
   * Does the next thing. Resolves with the milliseconds until it is worth calling again (0 = at once), or null when
   * there is nothing to do until somebody wakes it. It must be safe to repeat.
   */
  step(): Promise<number | null>;
  /** Told of each failure; answers with the milliseconds until the next try. `failures` in a row, from 1. */
  failed(error: unknown, failures: number): number;
}

/** Wakes that come closer together than this are one. */
const gatherMs = 20;

export class Pump {
  readonly #options: PumpOptions;
  readonly #running: Promise<void>;
  #closed = false;
  #woken = false;
  /** Ends the sleep; null while it works. `early` = a wake may end it, not only its time. */
  #sleeper: { readonly early: boolean; readonly end: () => void } | null = null;
  #idle = Promise.withResolvers<void>();

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** There may be something to do. */
  wake(): void {
    this.#woken = true;
    if (this.#sleeper?.early === true) this.#sleeper.end();
  }

  /** Resolves when there is nothing to do, or after `ms`. */
  async settled(ms: number): Promise<void> {
    this.#idle = Promise.withResolvers();
    this.wake();
    await within(this.#idle.promise, ms);
  }

  /** Begins no further step. Resolves once the one in flight is over, or after `ms`. */
  async close(ms: number): Promise<void> {
    this.#closed = true;
    this.#sleeper?.end();
    await within(this.#running, ms);
  }

  async #run(): Promise<void> {
    let failures = 0;
    // The owner is not there yet while it is being constructed.
    await Promise.resolve();
    while (!this.#closed) {
      this.#woken = false;
      try {
        const wait = await this.#options.step();
        failures = 0;
        if (wait === 0) continue;
        if (wait === null && !this.#woken) this.#idle.resolve();
        await this.#sleep(wait, true);
        if (this.#woken) await this.#sleep(gatherMs, false);
      } catch (error) {
        failures += 1;
        // After a failure only time helps: what wakes a pump does not make a platform answer.
        await this.#sleep(this.#options.failed(error, failures), false);
      }
    }
    this.#idle.resolve();
  }

  #sleep(ms: number | null, early: boolean): Promise<void> {
    if (this.#closed || (early && this.#woken)) return Promise.resolve();
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (): void => {
        clearTimeout(timer);
        this.#sleeper = null;
        resolve();
      };
      if (ms !== null) timer = setTimeout(end, ms);
      this.#sleeper = { early, end };
    });
  }
}

/** Resolves when the promise does, or after `ms`. */
export async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  const time = Promise.withResolvers<void>();
  const timer = setTimeout(time.resolve, ms);
  try {
    await Promise.race([promise, time.promise]);
  } finally {
    clearTimeout(timer);
  }
}
