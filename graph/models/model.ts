/**
 * The seam to models: a role asks, a model answers with text and what it cost. Adapters wrap LangChain chat models;
 * retries, concurrency and budgets are inside, so callers see an answer or a ProviderError.
 */
import type { BaseMessage } from "@langchain/core/messages";
import type { Role } from "../../config/words.ts";
import type { Decision, Usage } from "../../store/records.ts";
import type { AnswerTokens } from "./answer-tokens.ts";

export interface ModelCall {
  readonly role: Role;
  readonly messages: readonly BaseMessage[];
  /** The keyed seed of this draw (config/random.ts); reaches the chat model as the call option `seed`. */
  readonly seed: number;
  readonly temperature: number;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
}

export interface ModelAnswer {
  /** The whole text, thoughts included where the provider gives them as text. */
  readonly text: string;
  readonly usage: Usage;
  /** Choices of the embedded policy; null for models that don't report any. */
  readonly decisions: readonly Decision[] | null;
  /** The tokens that were sampled, with their log-probabilities; missing for models that don't report them. */
  readonly tokens?: AnswerTokens;
  /** The version of the weights that answered, where the provider tells. */
  readonly policyVersion: string | null;
  readonly ms: number;
}

export interface Model {
  /** As the user named it: `embedded`, `openai:gpt-5`. */
  readonly name: string;
  /** The version of the weights that answer, for models that the lab trains; the same for as long as the object lives. */
  readonly policyVersion?: string;
  /** Throws ProviderError, or the signal's reason when aborted. */
  call(call: ModelCall): Promise<ModelAnswer>;
}
