/** One request to a training server and its answer, whatever its status. The key goes into a header and nowhere else. */
import type { Redact } from "../../../config/redact.ts";
import { TinkerFailure } from "./failure.ts";
import { errorBody } from "./protocol.ts";

export interface Server {
  /** Without the `/api/v1` of the protocol. */
  readonly baseUrl: string;
  /** Null for a server that needs none. */
  readonly apiKey: string | null;
  readonly redact: Redact;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** Milliseconds until the request is given up. */
  readonly timeoutMs: number;
}

/** Thrown by `send` when there is no answer in time. */
export class NoAnswerInTime extends TinkerFailure {
  constructor(timeoutMs: number) {
    super("unreachable", `no answer within ${timeoutMs} ms`, { code: "ETIMEDOUT" });
  }
}

/**
 * Sends a request: POST with a body (JSON, as text, so that the same request can be sent again), GET without one. Throws
 * TinkerFailure `unreachable` if there is no whole answer, and the signal's reason when aborted.
 */
export async function send(
  server: Server,
  path: string,
  body: string | null,
  { signal, timeoutMs }: RequestOptions,
): Promise<Answer> {
  const limit = AbortSignal.timeout(Math.ceil(timeoutMs));
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== null) headers["content-type"] = "application/json";
  if (server.apiKey !== null) headers["x-api-key"] = server.apiKey;
  try {
    const response = await fetch(`${server.baseUrl}/api/v1/${path}`, {
      method: body === null ? "GET" : "POST",
      body,
      headers,
      // A redirection would carry the key to wherever it points.
      redirect: "manual",
      signal: AbortSignal.any([signal, limit]),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    signal.throwIfAborted();
    if (limit.aborted) throw new NoAnswerInTime(timeoutMs);
    throw new TinkerFailure("unreachable", "the connection was lost", { cause });
  }
}

/** The body of an answer. Throws TinkerFailure `bad-answer` if it is not JSON. */
export function bodyOf({ text, status }: Answer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TinkerFailure("bad-answer", `answered ${status} with something that is not JSON`);
  }
}

/** Longer words of a server are cut. */
const longestSaid = 300;

/** What a server says with an error's status: in one line, without secrets. */
export function saidBy({ text, status }: Answer, { redact }: Server): string {
  let said: string;
  try {
    said = errorBody.parse(JSON.parse(text));
  } catch {
    said = text.trim() === "" ? `nothing but the status ${status}` : text.trim();
  }
  const [line = ""] = redact(said).split("\n");
  return line.length > longestSaid ? `${line.slice(0, longestSaid)}…` : line;
}
