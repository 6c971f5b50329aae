/** Buckets: limits on the rate of requests, as large as those that Discord is seen to have. */
import { timeOf } from "./snowflake.ts";

interface Limit {
  readonly id: string;
  readonly most: number;
  /** Milliseconds. */
  readonly per: number;
}

/** Where a request stands after it was counted. */
export interface Standing {
  readonly bucket: string;
  readonly limit: number;
  readonly remaining: number;
  /** Until the bucket is full again, seconds. */
  readonly resetAfter: number;
  /** How long to wait, seconds; null when the request may pass. */
  readonly retryAfter: number | null;
  readonly scope: "user" | "global";
}

/** The limits that a request counts against: its route's, within its channel or webhook. */
function limitOf(method: string, path: string, oldAfterMs: number): Limit {
  const [first = "", major = "", second, third] = path.split("/").slice(1);
  if (first === "channels" && second === "messages") {
    if (method === "POST" && third === undefined) return { id: `${major} post`, most: 5, per: 5000 };
    if (method === "PATCH" && third !== undefined) {
      const old = Date.now() - timeOf(third) > oldAfterMs;
      return old
        ? { id: `${major} edit-old`, most: 3, per: 6000 }
        : { id: `${major} edit`, most: 5, per: 5000 };
    }
    if (method === "DELETE") return { id: `${major} delete`, most: 5, per: 1000 };
  }
  if (first === "webhooks" && second !== undefined) return { id: `${second} ${method}`, most: 5, per: 2000 };
  if (method === "POST" && path.endsWith("/threads"))
    return { id: `${major} threads`, most: 50, per: 300_000 };
  return { id: `${method} ${first} ${major} ${second ?? ""}`, most: 30, per: 5000 };
}

/** Interactions are answered outside the limit on everything. */
const exempt = (path: string): boolean => path.startsWith("/interactions/") || path.startsWith("/webhooks/");

export class Buckets {
  readonly #windows = new Map<string, { start: number; used: number }>();
  readonly #oldAfterMs: number;

  /** Edits of messages older than `oldAfterMs` (an hour) are scarcer. */
  constructor({ oldAfterMs = 3_600_000 }: { readonly oldAfterMs?: number } = {}) {
    this.#oldAfterMs = oldAfterMs;
  }

  /** Counts a request, whether it may pass or not. */
  count(method: string, path: string): Standing {
    const now = performance.now();
    if (!exempt(path)) {
      const global = this.#use({ id: "global", most: 50, per: 1000 }, now);
      if (global.retryAfter !== null) return { ...global, scope: "global" };
    }
    return this.#use(
      path.startsWith("/interactions/")
        ? { id: path, most: 50, per: 1000 }
        : limitOf(method, path, this.#oldAfterMs),
      now,
    );
  }

  #use({ id, most, per }: Limit, now: number): Standing {
    let window = this.#windows.get(id);
    if (window === undefined || now - window.start >= per) {
      window = { start: now, used: 0 };
      this.#windows.set(id, window);
    }
    const resetAfter = (window.start + per - now) / 1000;
    const common = {
      bucket: Buffer.from(id.split(" ").slice(1).join(" ") || id)
        .toString("hex")
        .slice(0, 32),
      limit: most,
    };
    if (window.used >= most) {
      return { ...common, remaining: 0, resetAfter, retryAfter: resetAfter, scope: "user" };
    }
    window.used += 1;
    return { ...common, remaining: most - window.used, resetAfter, retryAfter: null, scope: "user" };
  }
}
