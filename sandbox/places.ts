/**
 * Places: how many environments may be live at once, and the queue of those who wait for one, first come, first
 * served. A waiter leaves the queue when its signal aborts.
 */

interface Waiter {
  readonly take: () => void;
  readonly refuse: (reason: unknown) => void;
}

export class Places {
  #taken = 0;
  readonly #waiting = new Set<Waiter>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when a place is taken for the caller; rejects with the signal's reason, or with what `refuseAll` says. */
  async acquire(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#taken < this.#capacity && this.#waiting.size === 0) {
      this.#taken += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { take: resolve, refuse: reject };
    const abort = (): void => {
      if (this.#waiting.delete(waiter)) reject(signal?.reason);
    };
    this.#waiting.add(waiter);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  release(): void {
    const next = this.#waiting.values().next();
    if (next.done === true) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next.value);
    next.value.take();
  }

  refuseAll(reason: unknown): void {
    for (const waiter of this.#waiting) waiter.refuse(reason);
    this.#waiting.clear();
  }
}
