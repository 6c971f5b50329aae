/** One call of the designer within a round: keyed by what it is for, its cost recorded before its answer is used. */
import { keyedSeed } from "../config/random.ts";
import { type Conversation, messagesOf } from "./conversation.ts";
import type { ModelAnswer } from "./models/model.ts";
import type { Work } from "./state.ts";

/** What a call is for. `attempt` counts the answers to one purpose, from 0. */
export interface DesignerCall {
  readonly roundId: string;
  readonly slot: number;
  readonly purpose: "design" | "hint";
  readonly attempt: number;
}

/**
 * Asks the designer. The usage is kept under the call's own key: a call that is repeated, because the process died
 * before its answer was stored, counts once. Throws ProviderError, or the signal's reason.
 */
export async function askDesigner(
  work: Work,
  call: DesignerCall,
  conversation: Conversation,
): Promise<ModelAnswer> {
  const { services, options, signal } = work;
  const model = await services.model(options.model);
  const answer = await model.call({
    role: "designer",
    messages: messagesOf(conversation),
    seed: keyedSeed(options.seed, call.slot, call.purpose, call.attempt),
    temperature: options.temperature,
    maxOutputTokens: options.maxOutputTokens,
    signal,
  });
  const key = `${call.slot}.${call.purpose}.${call.attempt}`;
  await services.store.rounds.update(call.roundId, (round) => ({
    ...round,
    designerUsage: { ...round.designerUsage, [key]: answer.usage },
  }));
  return answer;
}
