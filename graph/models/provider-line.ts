/** The line to a provider: so many calls in flight at once, and none while the provider asked us to wait. */
import { setTimeout as sleep } from "node:timers/promises";
import pLimit, { type LimitFunction } from "p-limit";
import type { ModelsConfig } from "../../config/schema.ts";

export class ProviderLine {
  readonly #limit: LimitFunction;
  #closedUntil = 0;

  /** `concurrency`: calls in flight at once, at least 1. */
  constructor(concurrency: number) {
    this.#limit = pLimit(concurrency);
  }

  /** `work` as soon as the line is free. Rejects with the signal's reason at once when it is aborted. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const queued = this.#limit(async () => {
      signal.throwIfAborted();
      await this.#open(signal);
      return work();
    });
    return orAborted(signal, queued);
  }

  /** No call starts for so many milliseconds from now. */
  close(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, performance.now() + ms);
  }

  async #open(signal: AbortSignal): Promise<void> {
    for (;;) {
      const ms = this.#closedUntil - performance.now();
      if (ms <= 0) return;
      await pause(ms, signal);
    }
  }
}

const lines = new WeakMap<ModelsConfig, Map<string, ProviderLine>>();

/** The one line of a provider under these settings: all its models share it. */
export function lineTo(provider: string, config: ModelsConfig): ProviderLine {
  const known = lines.get(config) ?? new Map<string, ProviderLine>();
  lines.set(config, known);
  const line = known.get(provider) ?? new ProviderLine(config.concurrency);
  known.set(provider, line);
  return line;
}

/** `promise`, or the signal's reason at once when it is aborted, whatever becomes of the promise. */
export async function orAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Waits; rejects with the signal's reason when it is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown;
  }
}
