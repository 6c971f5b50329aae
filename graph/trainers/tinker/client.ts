/**
 * A client of the Tinker protocol: requests that are answered at once, and requests that are promised and polled for.
 * Whatever is sent again is sent byte by byte as before, with the same numbers in it, so that a server that did the work
 * and could not say so does not do it twice.
 */
import type { Logger } from "pino";
import type { z } from "zod";
import { pause } from "../../models/provider-line.ts";
import { jitteredMs, retryAfterMs } from "../../models/retry-after.ts";
import { isPassing, kindOfStatus, TinkerFailure } from "./failure.ts";
import { failedResult, promise, tryAgain } from "./protocol.ts";
import { type Answer, bodyOf, NoAnswerInTime, type Server, saidBy, send } from "./wire.ts";

export interface ClientSettings {
  /** Further tries after a lost connection, 408, 425, 429 and 5xx. */
  readonly retries: number;
  /** Longest first wait between tries, doubled each time, milliseconds. */
  readonly retryBaseMs: number;
  /** Limit of one request, milliseconds. */
  readonly timeoutMs: number;
  /** Limit of a promised request until its result is there, milliseconds. */
  readonly waitMs: number;
}

export interface ClientOptions extends ClientSettings {
  readonly server: Server;
  readonly log: Logger;
}

/** A promised request. */
export interface Pending<T> {
  /** Polls until it is done. */
  result(): Promise<T>;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Instead of the client's. */
  readonly retries?: number;
}

/** Servers hold a poll for a while; one that is held longer is given up and asked anew. */
const pollMs = 45_000;
/** Least time from poll to poll, for servers that answer at once that there is nothing yet. */
const betweenPollsMs = 100;
/** Times a request may be asked to be handed in anew. */
const mostResubmissions = 5;
const longestWaitMs = 30_000;

type Polled<T> = { readonly value: T } | "resubmit";

export class TinkerClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Where the server is, for messages. */
  get baseUrl(): string {
    return this.#options.server.baseUrl;
  }

  /** A GET. Throws TinkerFailure, and the signal's reason when aborted; so do the others. */
  async get<T>(path: string, schema: z.ZodType<T>, options: CallOptions): Promise<T> {
    return parsed(schema, bodyOf(await this.#sent(path, null, options)), path);
  }

  /** A request that is answered at once. */
  async ask<T>(path: string, body: object, schema: z.ZodType<T>, options: CallOptions): Promise<T> {
    return parsed(schema, bodyOf(await this.#sent(path, JSON.stringify(body), options)), path);
  }

  /** A request that is promised; waits until it is done. */
  async run<T>(path: string, body: object, schema: z.ZodType<T>, options: CallOptions): Promise<T> {
    return (await this.begin(path, body, schema, options)).result();
  }

  /** Hands in a request that is promised. A server may also answer at once. */
  async begin<T>(
    path: string,
    body: object,
    schema: z.ZodType<T>,
    options: CallOptions,
  ): Promise<Pending<T>> {
    const text = JSON.stringify(body);
    const first = bodyOf(await this.#sent(path, text, options));
    return { result: () => this.#result(path, text, first, schema, options) };
  }

  async #result<T>(
    path: string,
    text: string,
    first: unknown,
    schema: z.ZodType<T>,
    options: CallOptions,
  ): Promise<T> {
    let answer = first;
    for (let handedIn = 1; ; handedIn += 1) {
      const promised = promise.safeParse(answer);
      if (!promised.success) return parsed(schema, answer, path);
      const polled = await this.#poll(path, promised.data.request_id, schema, options);
      if (polled !== "resubmit") return polled.value;
      if (handedIn > mostResubmissions) {
        throw new TinkerFailure("failed", `asked ${handedIn} times to hand ${path} in anew`, { status: 410 });
      }
      this.#options.log.warn({ path, handedIn }, "the training server asks to hand a request in anew");
      answer = bodyOf(await this.#sent(path, text, options));
    }
  }

  async #poll<T>(
    path: string,
    requestId: string,
    schema: z.ZodType<T>,
    { signal }: CallOptions,
  ): Promise<Polled<T>> {
    const { server, retries, waitMs } = this.#options;
    const body = JSON.stringify({ request_id: requestId });
    const until = performance.now() + waitMs;
    let failures = 0;
    for (;;) {
      const polledAt = performance.now();
      const leftMs = until - polledAt;
      if (leftMs <= 0) {
        const said = `${path} was not done within ${waitMs} ms`;
        throw new TinkerFailure("unreachable", said, { code: "ETIMEDOUT" });
      }
      let answer: Answer;
      try {
        answer = await send(server, "retrieve_future", body, { signal, timeoutMs: Math.min(pollMs, leftMs) });
      } catch (error) {
        if (!(error instanceof TinkerFailure)) throw error;
        if (error instanceof NoAnswerInTime) continue;
        failures += 1;
        if (failures > retries) throw error;
        await this.#waitToRetry(`retrieve_future of ${path}`, error, failures, signal);
        continue;
      }
      const { status } = answer;
      if (status === 410) return "resubmit";
      if (status === 200) {
        const said = bodyOf(answer);
        if (!tryAgain.safeParse(said).success) {
          const failed = failedResult.safeParse(said);
          if (failed.success) throw new TinkerFailure("failed", saidBy(answer, server), { status: 400 });
          return { value: parsed(schema, said, path) };
        }
      } else if (status === 400) {
        throw new TinkerFailure("failed", saidBy(answer, server), { status });
      } else if (!isPassing(status)) {
        throw this.#failureOf(answer, false);
      } else if (status !== 408) {
        // Being told to wait is no failure: the wait for the whole has its own limit.
        if (status !== 429) failures += 1;
        const failure = this.#failureOf(answer, false);
        if (failures > retries) throw failure;
        await this.#waitToRetry(`retrieve_future of ${path}`, failure, Math.max(1, failures), signal);
        continue;
      }
      failures = 0;
      await pause(Math.max(0, betweenPollsMs - (performance.now() - polledAt)), signal);
    }
  }

  /** An answer with a good status. */
  async #sent(path: string, body: string | null, { signal, retries }: CallOptions): Promise<Answer> {
    const { server, timeoutMs } = this.#options;
    const mostRetries = retries ?? this.#options.retries;
    /** Whether the server may have seen the request without our knowing. */
    let resent = false;
    for (let tries = 1; ; tries += 1) {
      let failure: TinkerFailure;
      try {
        const answer = await send(server, path, body, { signal, timeoutMs });
        if (answer.status >= 200 && answer.status < 300) return answer;
        failure = this.#failureOf(answer, resent);
        if (!isPassing(answer.status)) throw failure;
        resent ||= answer.status !== 429;
      } catch (error) {
        if (!(error instanceof TinkerFailure) || error.kind !== "unreachable") throw error;
        failure = error;
        resent = true;
      }
      if (tries > mostRetries) throw failure;
      await this.#waitToRetry(path, failure, tries, signal);
    }
  }

  #failureOf(answer: Answer, resent: boolean): TinkerFailure {
    const { status, headers } = answer;
    const said = saidBy(answer, this.#options.server);
    return new TinkerFailure(kindOfStatus(status), said, { status, headers, resent });
  }

  async #waitToRetry(
    path: string,
    { status, headers, message, cause }: TinkerFailure,
    tries: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { log, retryBaseMs } = this.#options;
    const asked = Math.min(retryAfterMs(headers, Date.now()) ?? 0, this.#options.waitMs);
    const waitMs = asked + jitteredMs(tries - 1, retryBaseMs, longestWaitMs, Math.random);
    log.warn({ path, tries, waitMs, status, said: message, err: cause }, "a training request is tried again");
    await pause(waitMs, signal);
  }
}

function parsed<T>(schema: z.ZodType<T>, body: unknown, path: string): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.join(".") ?? "";
  const said = `the answer to ${path} is not the protocol's: ${where === "" ? "" : `${where}: `}${issue?.message}`;
  throw new TinkerFailure("bad-answer", said);
}
