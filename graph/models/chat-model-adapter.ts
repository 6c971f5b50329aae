/** Any LangChain chat model as a Model: tries, time-outs and aborts around it, and its answer in our words. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk } from "@langchain/core/messages";
import type { Logger } from "pino";
import { z } from "zod";
import type { Redact } from "../../config/redact.ts";
import type { ModelsConfig } from "../../config/schema.ts";
import { decision, type Usage } from "../../store/records.ts";
import { answerText } from "./answer-text.ts";
import { answerTokens } from "./answer-tokens.ts";
import type { Model, ModelAnswer, ModelCall } from "./model.ts";
import {
  type OptionalParameter,
  providerError,
  readFailure,
  type TryFailure,
  TryTimedOut,
} from "./provider-failure.ts";
import { orAborted, type ProviderLine, pause } from "./provider-line.ts";
import { jitteredMs } from "./retry-after.ts";

/** What LangChain's models take when they are built and not when they are called. */
export interface ChatModelSettings {
  readonly temperature: number;
  readonly maxTokens: number;
  /** Parameters that the model refused: they are not sent. */
  readonly without: ReadonlySet<OptionalParameter>;
}

export interface AdapterOptions {
  /** As the user named the model. */
  readonly name: string;
  /** The version of its weights, where the lab keeps them. */
  readonly policyVersion?: string;
  /** Gives the chat model for some settings. It must not retry by itself. */
  readonly chatModel: (settings: ChatModelSettings) => BaseChatModel;
  readonly line: ProviderLine;
  readonly config: ModelsConfig;
  readonly redact: Redact;
  readonly log: Logger;
}

/** No wait between tries is longer, unless the provider asks for one within the time-out, milliseconds. */
const longestWaitMs = 60_000;

type Outcome = { readonly message: AIMessageChunk } | { readonly failure: TryFailure };

const count = z.number().nonnegative();
const usageMetadata = z.object({ input_tokens: count, output_tokens: count });
const embeddedFacts = z.object({ decisions: z.array(decision), policyVersion: z.string() });
const tokenFacts = z.object({ tokens: answerTokens, policyVersion: z.string() });
const servedModel = z.object({ model_name: z.string() });

export class ChatModelAdapter implements Model {
  readonly name: string;
  readonly policyVersion?: string;
  readonly #options: AdapterOptions;
  readonly #without = new Set<OptionalParameter>();

  constructor(options: AdapterOptions) {
    this.name = options.name;
    if (options.policyVersion !== undefined) this.policyVersion = options.policyVersion;
    this.#options = options;
  }

  async call(call: ModelCall): Promise<ModelAnswer> {
    const { line, config } = this.#options;
    const started = performance.now();
    let tries = 1;
    for (;;) {
      const without = new Set(this.#without);
      const tried = await line.run(call.signal, () => this.#outcome(call, without));
      if ("message" in tried) return this.#answer(tried.message, performance.now() - started);
      const { failure } = tried;
      if (this.#canLeaveOut(failure, without)) continue;
      if (!failure.retry || tries > config.retries) throw providerError(this.name, failure, tries);
      await this.#waitToRetry(failure, tries, call.signal);
      tries += 1;
    }
  }

  /** One try, as what came of it. Throws the signal's reason when aborted. */
  async #outcome(call: ModelCall, without: ReadonlySet<OptionalParameter>): Promise<Outcome> {
    try {
      return { message: await this.#try(call, without) };
    } catch (thrown) {
      call.signal.throwIfAborted();
      const failure = readFailure(thrown, this.#options.redact);
      // Before the next call in line gets this one's place.
      const asked = failure.retryAfterMs ?? 0;
      if (failure.retry && asked <= this.#longestAskedMs) this.#options.line.close(asked);
      return { failure };
    }
  }

  async #try(call: ModelCall, without: ReadonlySet<OptionalParameter>): Promise<AIMessageChunk> {
    const { config, chatModel } = this.#options;
    const { temperature, maxOutputTokens: maxTokens, seed, signal } = call;
    const stop = new AbortController();
    const abort = (): void => stop.abort(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    const timer = setTimeout(() => stop.abort(new TryTimedOut(config.timeoutMs)), config.timeoutMs);
    try {
      const model = chatModel({ temperature, maxTokens, without });
      const options = { signal: stop.signal, ...(without.has("seed") ? {} : { seed }) };
      const messages = [...call.messages];
      const answer = config.stream
        ? wholeOf(model.stream(messages, options))
        : model.invoke(messages, options);
      // A client that does not hear its signal must not keep the caller waiting.
      return await orAborted(stop.signal, answer);
    } catch (thrown) {
      throw stop.signal.aborted ? stop.signal.reason : thrown;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Whether the try failed for a parameter that the next one can do without. */
  #canLeaveOut({ parameter }: TryFailure, without: ReadonlySet<OptionalParameter>): boolean {
    if (parameter === null || without.has(parameter)) return false;
    if (!this.#without.has(parameter)) {
      this.#options.log.warn(
        { model: this.name, parameter },
        "the model does not take a parameter; left out",
      );
      this.#without.add(parameter);
    }
    return true;
  }

  async #waitToRetry(failure: TryFailure, tries: number, signal: AbortSignal): Promise<void> {
    const { config, log } = this.#options;
    const asked = failure.retryAfterMs ?? 0;
    if (asked > this.#longestAskedMs) {
      const said = `${failure.said.replace(/\.$/, "")}, and asks to wait ${Math.ceil(asked / 1_000)} s`;
      throw providerError(this.name, { ...failure, said }, tries);
    }
    const waitMs = asked + jitteredMs(tries - 1, config.retryBaseMs, longestWaitMs, Math.random);
    const facts = { model: this.name, tries, waitMs, status: failure.status, err: failure.cause };
    log.warn(facts, "a model call is tried again");
    await pause(waitMs, signal);
  }

  /** A round that stands still for an hour looks dead; one that failed can be resumed. */
  get #longestAskedMs(): number {
    return Math.max(this.#options.config.timeoutMs, longestWaitMs);
  }

  #answer(message: AIMessageChunk, ms: number): ModelAnswer {
    const { inputUsdPerMillion, outputUsdPerMillion } = this.#options.config;
    const counted = usageMetadata.safeParse(message.usage_metadata);
    const inputTokens = counted.success ? counted.data.input_tokens : 0;
    const outputTokens = counted.success ? counted.data.output_tokens : 0;
    const usage: Usage = {
      calls: 1,
      inputTokens,
      outputTokens,
      costUsd: (inputTokens * inputUsdPerMillion + outputTokens * outputUsdPerMillion) / 1_000_000,
    };
    const facts = message.response_metadata;
    const embedded = embeddedFacts.safeParse(facts);
    const sampled = "tokens" in facts ? tokenFacts.safeParse(facts) : null;
    const served = servedModel.safeParse(facts);
    const version = embedded.data?.policyVersion ?? sampled?.data?.policyVersion ?? served.data?.model_name;
    return {
      text: answerText(message),
      usage,
      decisions: embedded.data?.decisions ?? null,
      ...(sampled?.success === true ? { tokens: sampled.data.tokens } : {}),
      policyVersion: version ?? null,
      ms,
    };
  }
}

/** A streamed answer, put together. */
async function wholeOf(streaming: Promise<AsyncIterable<AIMessageChunk>>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | null = null;
  for await (const chunk of await streaming) whole = whole === null ? chunk : whole.concat(chunk);
  if (whole === null) throw new TypeError("the stream ended before it began");
  return whole;
}
