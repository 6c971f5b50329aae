/** Runs a list of pieces of work side by side, and stops as a round stops: at an error, an abort or a drain. */

/** A run that was asked to drain stopped before its work was done; what it finished is stored. */
export class Drained extends Error {
  constructor() {
    super("the run was drained");
    this.name = "Drained";
  }
}

export interface ParallelOptions {
  /** Pieces in flight at most, at least 1. */
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly draining: () => boolean;
}

/**
 * Calls `run` for every item, in order, `limit` at a time, and waits until every call that was started has ended, so
 * that nothing writes after it returned. Throws the first error, the signal's reason, or Drained if items are left.
 */
export async function inParallel<T>(
  items: readonly T[],
  { limit, signal, draining }: ParallelOptions,
  run: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  let stop: { readonly error: unknown } | null = null;
  const worker = async (): Promise<void> => {
    while (next < items.length && stop === null) {
      if (signal.aborted) stop = { error: signal.reason };
      else if (draining()) stop = { error: new Drained() };
      else {
        const item = items[next] as T;
        next += 1;
        try {
          await run(item);
        } catch (error) {
          stop ??= { error };
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  // The analyser does not see that the workers assign it.
  const stopped = stop as { readonly error: unknown } | null;
  if (stopped !== null) throw stopped.error;
}
