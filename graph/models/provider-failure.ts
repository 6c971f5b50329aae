/** What a failed try of a model call means: whether another try may help, and what people are told. */
import { z } from "zod";
import { type ErrorCode, ProviderError } from "../../config/errors.ts";
import type { Redact } from "../../config/redact.ts";
import { retryAfterMs } from "./retry-after.ts";

/** Call parameters that some models take only at their default. */
export const optionalParameters = ["temperature", "seed", "max_tokens"] as const;
export type OptionalParameter = (typeof optionalParameters)[number];

export interface TryFailure {
  readonly code: ErrorCode;
  /** What happened, as the end of a sentence that begins with the model's name. Without secrets. */
  readonly said: string;
  readonly retry: boolean;
  /** What the provider asked us to wait, milliseconds; null if it did not. */
  readonly retryAfterMs: number | null;
  /** The parameter that the model does not take, null if that is not what is wrong. */
  readonly parameter: OptionalParameter | null;
  readonly status: number | null;
  /** For the log: the error's name, message and stack without secrets. */
  readonly cause: Error;
}

/** Aborts a try that takes too long. */
export class TryTimedOut extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.name = "TryTimedOut";
  }
}

/** What the errors of providers' clients have in common; each client has some of it. */
const clientError = z.object({
  name: z.string().catch(""),
  message: z.string().catch(""),
  stack: z.string().optional().catch(undefined),
  status: z.number().optional().catch(undefined),
  statusCode: z.number().optional().catch(undefined),
  response: z.object({ status: z.number() }).optional().catch(undefined),
  $metadata: z.object({ httpStatusCode: z.number() }).optional().catch(undefined),
  code: z.string().optional().catch(undefined),
  param: z.string().optional().catch(undefined),
  headers: z.unknown().optional(),
  cause: z.unknown().optional(),
});
type ClientError = z.infer<typeof clientError>;

const retriedStatus = new Set([408, 409, 425, 429]);

/** Codes of Node and its HTTP client for a connection that could not be made or broke. */
const lostConnection =
  /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|UND_ERR_\w+)$/;

/** Longer messages of providers are cut for people; the log has them whole. */
const longestDetail = 300;

/** Reads whatever a client threw. `redact` takes the secrets out. */
export function readFailure(thrown: unknown, redact: Redact): TryFailure {
  const error = clientError.catch(unreadable).parse(thrown);
  const cause = withoutSecrets(error, thrown, redact);
  const status =
    error.status ?? error.statusCode ?? error.response?.status ?? error.$metadata?.httpStatusCode ?? null;
  const facts = { status, cause, retryAfterMs: retryAfterMs(error.headers, Date.now()), parameter: null };

  if (thrown instanceof TryTimedOut || error.name === "TimeoutError") {
    return { ...facts, code: "provider.timed-out", said: "did not answer in time", retry: true };
  }
  if (status !== null) {
    const said = `answered ${status}: ${shortened(cause.message.replace(`${status} `, ""))}`;
    const spent = error.code === "insufficient_quota";
    if ((retriedStatus.has(status) || status >= 500) && !spent) {
      return { ...facts, code: "provider.unreachable", said, retry: true };
    }
    return { ...facts, code: "provider.refused", said, retry: false, parameter: parameterOf(status, error) };
  }
  const lost = lossOf(thrown);
  if (lost !== null) {
    return { ...facts, code: "provider.unreachable", said: `can't be reached (${lost})`, retry: true };
  }
  const said = `gave an answer that can't be read (${shortened(cause.message)})`;
  // A gateway that has a bad moment answers with a page, or cuts the answer short.
  return { ...facts, code: "provider.bad-answer", said, retry: true };
}

/** The failure of the last of `tries` tries as the error that callers see. */
export function providerError(model: string, failure: TryFailure, tries: number): ProviderError {
  const often = tries === 1 ? "" : `, in each of ${tries} tries`;
  const sentence = `${model} ${failure.said.replace(/\.$/, "")}${often}.`;
  return new ProviderError(failure.code, sentence, {
    cause: failure.cause,
    data: { model, tries, status: failure.status },
  });
}

const unreadable: ClientError = {
  name: "Error",
  message: "an error without a message",
  stack: undefined,
  status: undefined,
  statusCode: undefined,
  response: undefined,
  $metadata: undefined,
  code: undefined,
  param: undefined,
  headers: undefined,
  cause: undefined,
};

/** The code of a lost connection anywhere in the chain of causes, null if that is not what happened. */
function lossOf(thrown: unknown): string | null {
  let current: unknown = thrown;
  let connection = false;
  for (let depth = 0; depth < 6; depth += 1) {
    const parsed = clientError.safeParse(current);
    if (!parsed.success) break;
    const { name, message, code, cause } = parsed.data;
    if (code !== undefined && lostConnection.test(code)) return code;
    connection ||=
      name === "APIConnectionError" || /^(Connection error|fetch failed|terminated)/.test(message);
    current = cause;
  }
  return connection ? "connection lost" : null;
}

function parameterOf(status: number, { param, message }: ClientError): OptionalParameter | null {
  if (status !== 400 && status !== 422) return null;
  const named = optionalParameters.find((name) => param === name);
  if (named !== undefined) return named;
  if (!/unsupported|not support|unknown|unrecognized|deprecated|extra/i.test(message)) return null;
  return optionalParameters.find((name) => new RegExp(`\\b${name}\\b`).test(message)) ?? null;
}

function shortened(message: string): string {
  const [line = ""] = message.split("\n");
  return line.length > longestDetail ? `${line.slice(0, longestDetail)}…` : line;
}

/** The error for the log. Clients hang requests and headers on theirs, so it is made anew from what is known to be text. */
function withoutSecrets(error: ClientError, thrown: unknown, redact: Redact): Error {
  const message = error.message === "" ? String(thrown) : error.message;
  const safe = new Error(redact(message));
  safe.name = error.name === "" ? "Error" : error.name;
  if (error.stack !== undefined) safe.stack = redact(error.stack);
  return safe;
}
