/**
 * The embedded policy as a LangChain chat model: it sees messages and nothing else, finds its role in the system
 * message's first words, and answers in the same formats as an LLM. It is a small policy for demonstration, tests and
 * CI; it ignores the sampling temperature, so that its log-probabilities are those of its weights.
 */
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel, type BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, type StandardMessageStructure } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { designerRole } from "../../prompts/designer.ts";
import { readSections } from "../../prompts/sections.ts";
import { textOf } from "../answer-text.ts";
import { agentAnswer, type RoleAnswer } from "./agent/act.ts";
import { designAnswer } from "./designer/design.ts";
import { hintAnswer } from "./designer/hint.ts";
import { PerMessage } from "./per-message.ts";
import { countTokens } from "./tokens.ts";
import type { PolicyWeights } from "./weights.ts";

export interface EmbeddedCallOptions extends BaseChatModelCallOptions {
  /** Names every random draw of the answer; the same messages and seed give the same answer. Default 0. */
  seed?: number;
}

export interface EmbeddedModelFields {
  readonly weights: PolicyWeights;
  /** The weights' version, told with every answer. */
  readonly version: string;
}

export class EmbeddedChatModel extends BaseChatModel<EmbeddedCallOptions> {
  readonly version: string;
  readonly #weights: PolicyWeights;

  constructor({ weights, version }: EmbeddedModelFields) {
    // A cached answer would be one without its decisions.
    super({ cache: false });
    this.#weights = weights;
    this.version = version;
  }

  override _llmType(): string {
    return "embedded";
  }

  /**
   * One answer. `response_metadata` holds `decisions` (every softmax choice, with its log-probability) and
   * `policyVersion`; `usage_metadata` counts words and punctuation marks (tokens.ts). Throws only when aborted.
   */
  override _generate(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    _runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    return new Promise((resolve) => {
      options.signal?.throwIfAborted();
      const { text, decisions } = this.#answer(messages, options.seed ?? 0);
      const inputTokens = messages.reduce((sum, message) => sum + tokensOf(message), 0);
      const outputTokens = countTokens(text);
      const message = new AIMessage<StandardMessageStructure>({
        content: text,
        usage_metadata: {
          input_tokens: inputTokens,
          output_tokens: outputTokens,
          total_tokens: inputTokens + outputTokens,
        },
        response_metadata: { decisions, policyVersion: this.version },
      });
      resolve({ generations: [{ text, message }] });
    });
  }

  #answer(messages: readonly BaseMessage[], seed: number): RoleAnswer {
    const system = messages.find((message) => message.type === "system");
    if (system === undefined || !textOf(system).startsWith(designerRole)) {
      return agentAnswer({ messages, seed, weights: this.#weights.agent });
    }
    const asked = messages.find((message) => message.type === "human")?.text ?? "";
    const shown = readSections(asked).some((part) => part.name === "source");
    const request = { messages, seed, weights: this.#weights.designer };
    return shown ? hintAnswer(request) : designAnswer(request);
  }
}

const counted = new PerMessage<number>();

function tokensOf(message: BaseMessage): number {
  return counted.of(message, textOf(message), countTokens);
}

/** The embedded policy with the given weights as a chat model. */
export function createEmbeddedChatModel(fields: EmbeddedModelFields): EmbeddedChatModel {
  return new EmbeddedChatModel(fields);
}
