/**
 * Writes that come one by one, made a few at a time: what comes while a write waits goes with it. Each is done when
 * what it went with is stored, so nothing counts as stored that is not.
 */
import { StoreError } from "../config/errors.ts";

/** How long a write waits for others at most, milliseconds: little beside what a play takes. */
const waitMs = 4;

interface Waiting<T> {
  readonly item: T;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

export class Together<T> {
  readonly #write: (items: readonly T[]) => Promise<void>;
  #waiting: Waiting<T>[] = [];

  /** `write` keeps all of its items or none. */
  constructor(write: (items: readonly T[]) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the item is written; throws what kept it, and it alone, from being written. */
  add(item: T): Promise<void> {
    return new Promise((written, failed) => {
      this.#waiting.push({ item, written, failed });
      if (this.#waiting.length === 1) setTimeout(() => void this.#writeAll(), waitMs);
    });
  }

  async #writeAll(): Promise<void> {
    const together = this.#waiting;
    this.#waiting = [];
    try {
      await this.#write(together.map(({ item }) => item));
    } catch (error) {
      // What keeps the store from being written at all would keep each waiting in turn.
      if (together.length === 1 || (error instanceof StoreError && error.code === "store.locked")) {
        for (const { failed } of together) failed(error);
      } else {
        for (const { item, written, failed } of together) await this.#write([item]).then(written, failed);
      }
      return;
    }
    for (const { written } of together) written();
  }
}
