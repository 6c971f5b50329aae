/** One call of the designer within a round, keyed by what it is for. */
import { keyedSeed } from "../config/random.ts";
import type { EnvironmentRecord, Usage } from "../store/records.ts";
import { type Conversation, messagesOf } from "./conversation.ts";
import type { ModelAnswer } from "./models/model.ts";
import type { Work } from "./state.ts";

/** What a call is for. `attempt` counts the answers to one purpose, from 0. */
export interface DesignerCall {
  readonly slot: number;
  readonly purpose: "design" | "hint";
  readonly attempt: number;
}

/** Asks the designer. Throws ProviderError, or the signal's reason. */
export async function askDesigner(
  work: Work,
  call: DesignerCall,
  conversation: Conversation,
): Promise<ModelAnswer> {
  const { services, options, signal } = work;
  const model = await services.model(options.model, options.policyVersion);
  return model.call({
    role: "designer",
    messages: messagesOf(conversation),
    seed: keyedSeed(options.seed, call.slot, call.purpose, call.attempt),
    temperature: options.temperature,
    maxOutputTokens: options.maxOutputTokens,
    signal,
  });
}

/**
 * A record's usage with that of one more answer. It is written together with the answer, under the call's own key: a
 * call that is repeated, because the process died before its answer was stored, counts once.
 */
export function withUsage(
  usage: EnvironmentRecord["designer"]["usage"],
  { purpose, attempt }: DesignerCall,
  answer: ModelAnswer,
): Record<string, Usage> {
  return { ...usage, [`${purpose}.${attempt}`]: answer.usage };
}
