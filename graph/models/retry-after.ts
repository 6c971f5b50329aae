/** How long to wait before a model call is tried again: what the provider says, or full jitter over a doubling range. */
import { z } from "zod";

const withGet = z.object({ get: z.custom<(name: string) => unknown>((it) => typeof it === "function") });
const plain = z.record(z.string(), z.unknown());

/**
 * What a response's headers ask for, milliseconds from `now` (milliseconds since 1970): `retry-after-ms`, or
 * `retry-after` in seconds or as a date (RFC 9110, 10.2.3). Null if they ask for nothing that can be read.
 */
export function retryAfterMs(headers: unknown, now: number): number | null {
  const precise = Number.parseFloat(headerOf(headers, "retry-after-ms") ?? "");
  if (precise >= 0) return precise;
  const text = headerOf(headers, "retry-after");
  if (text === null) return null;
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number.parseFloat(text) * 1_000;
  // Date.parse takes much that is no HTTP date, "-5" among it.
  const date = /^[A-Za-z]{3,9}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/**
 * The wait before retry `attempt` (from 0), milliseconds: uniform in [0, baseMs · 2^attempt], at most `capMs` ("full
 * jitter"). `random` is uniform in [0, 1).
 */
export function jitteredMs(attempt: number, baseMs: number, capMs: number, random: () => number): number {
  return random() * Math.min(capMs, baseMs * 2 ** attempt);
}

function headerOf(headers: unknown, name: string): string | null {
  const fetched = withGet.safeParse(headers);
  // The method belongs to the object, so it is called on it.
  const object: unknown = fetched.success ? Reflect.apply(fetched.data.get, headers, [name]) : null;
  if (typeof object === "string") return object;
  const record = plain.safeParse(headers);
  if (!record.success) return null;
  const found = Object.entries(record.data).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : null;
}
