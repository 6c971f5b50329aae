/**
 * Refusals: where a chat said no, it is asked again after waits that double. A platform counts refused requests and shuts
 * out whoever makes too many, and what was refused may be allowed again.
 */

const firstWaitMs = 10_000;
const longestWaitMs = 900_000;

export interface Refusals {
  /** Whether it is time to ask there; true where nothing was refused. */
  mayAsk(key: string): boolean;
  refused(key: string): void;
  /** It was allowed. */
  allowed(key: string): void;
}

/** `now` is in milliseconds since 1970. Kept in memory: a new process asks anew. */
export function createRefusals(now: () => number): Refusals {
  const known = new Map<string, { readonly waitMs: number; readonly until: number }>();
  return {
    mayAsk: (key) => (known.get(key)?.until ?? 0) <= now(),
    refused(key) {
      const waitMs = Math.min(longestWaitMs, (known.get(key)?.waitMs ?? firstWaitMs / 2) * 2);
      known.set(key, { waitMs, until: now() + waitMs });
    },
    allowed: (key) => void known.delete(key),
  };
}
