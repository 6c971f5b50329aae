/** A client of the protocol server that is quick to try again, and what it logged. */
import { Writable } from "node:stream";
import { pino } from "pino";
import { createRedact } from "../../../config/redact.ts";
import { type ClientSettings, TinkerClient } from "../../../graph/trainers/tinker/client.ts";
import { TinkerFailure } from "../../../graph/trainers/tinker/failure.ts";

export interface LoggedClient {
  readonly client: TinkerClient;
  /** Line by line. */
  readonly logged: readonly string[];
}

export function quickClient(
  baseUrl: string,
  settings: Partial<ClientSettings> = {},
  apiKey: string | null = null,
): LoggedClient {
  const logged: string[] = [];
  const into = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk));
      done();
    },
  });
  const client = new TinkerClient({
    server: { baseUrl, apiKey, redact: createRedact({ TINKER_API_KEY: apiKey ?? undefined }) },
    retries: 2,
    retryBaseMs: 1,
    timeoutMs: 20_000,
    waitMs: 20_000,
    log: pino({ level: "debug" }, into),
    ...settings,
  });
  return { client, logged };
}

/** A signal that nothing aborts. */
export const call = { signal: new AbortController().signal };

export async function failureOf(work: Promise<unknown>): Promise<TinkerFailure> {
  try {
    await work;
  } catch (error) {
    if (error instanceof TinkerFailure) return error;
    throw error;
  }
  throw new Error("it did not fail");
}
