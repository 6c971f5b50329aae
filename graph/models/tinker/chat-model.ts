/**
 * A model on a training server as a LangChain chat model: messages become tokens by the model's own chat template, and
 * an answer carries the tokens that it was sampled as, with their log-probabilities, beside its text.
 */
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  type StandardMessageStructure,
} from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import type { Sampler } from "../../trainers/tinker/sampler.ts";
import type { AnswerTokens } from "../answer-tokens.ts";
import type { ChatTokenizer } from "./tokenizer.ts";

export interface TinkerCallOptions extends BaseChatModelCallOptions {
  /** Seed of the draw, where the server keeps to it. */
  seed?: number;
  tools?: BindToolsInput[];
}

export interface TinkerModelFields {
  readonly tokenizer: ChatTokenizer;
  readonly sampler: Sampler;
  /** Told with every answer. */
  readonly version: string;
  readonly enableThinking: boolean;
  readonly temperature: number;
  readonly maxTokens: number;
}

export class TinkerChatModel extends BaseChatModel<TinkerCallOptions> {
  readonly #fields: TinkerModelFields;

  constructor(fields: TinkerModelFields) {
    // A cached answer would be one without its tokens, and tries are the caller's.
    super({ cache: false, maxRetries: 0 });
    this.#fields = fields;
  }

  override _llmType(): string {
    return "tinker";
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs?: Partial<TinkerCallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, TinkerCallOptions> {
    return this.withConfig({ ...kwargs, tools });
  }

  /**
   * One answer. `response_metadata` holds `tokens` (as graph/models/answer-tokens.ts has them) and `policyVersion`.
   * Throws what the template, the tokenizer and the client throw.
   */
  override async _generate(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    _runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    const { tokenizer, sampler, version, enableThinking, temperature, maxTokens } = this.#fields;
    const signal = options.signal ?? new AbortController().signal;
    const tools = (options.tools ?? []).map((tool) => convertToOpenAITool(tool));
    const { text: rendered, opensThought } = tokenizer.template.render(messages, { tools, enableThinking });
    const prompt = tokenizer.encode(rendered);
    const { tokens: sampled, logprobs } = await sampler.sample(
      prompt,
      {
        max_tokens: maxTokens,
        temperature,
        top_p: 1,
        top_k: -1,
        stop: tokenizer.stop,
        ...(options.seed === undefined ? {} : { seed: options.seed }),
      },
      // The caller tries the whole call again.
      { signal, retries: 0 },
    );
    const said = tokenizer.decode(sampled);
    // The answer begins within the thought that the prompt opened.
    const text = opensThought ? `<think>\n${said.trimStart()}` : said;
    const tokens: AnswerTokens = { prompt, sampled, logprobs };
    const message = new AIMessage<StandardMessageStructure>({
      content: text,
      usage_metadata: {
        input_tokens: prompt.length,
        output_tokens: sampled.length,
        total_tokens: prompt.length + sampled.length,
      },
      response_metadata: { tokens, policyVersion: version },
    });
    return { generations: [{ text, message }] };
  }
}
