/** The agent's turn: from the conversation so far to its next answer, with the choices that led to it. */
import type { BaseMessage } from "@langchain/core/messages";
import { keyedRandom } from "../../../../config/random.ts";
import type { Decision } from "../../../../store/records.ts";
import { type Beginning, type Conversation, readConversation } from "../conversation.ts";
import { featuresOf } from "../features.ts";
import { type Strategy, strategies } from "../mechanics/concepts.ts";
import { oncePer } from "../per-message.ts";
import { sampleIndex } from "../softmax.ts";
import type { AgentWeights } from "../weights.ts";
import { skillIn, strategyLogprobs } from "./choice.ts";
import { randomCommand } from "./commands.ts";
import { procedures } from "./procedures.ts";
import { chanceIn, conditionsOf } from "./skill.ts";
import { randomCall } from "./tool-calls.ts";
import { readView, type View } from "./view.ts";

export interface RoleAnswer {
  readonly text: string;
  readonly decisions: readonly Decision[];
}

export interface AgentRequest {
  readonly messages: readonly BaseMessage[];
  /** The keyed seed of this call; equal requests with equal seeds get equal answers. */
  readonly seed: number;
  readonly weights: AgentWeights;
}

/**
 * Answers as a player. On its first turn it chooses a strategy and says so; on later turns it reads the plan back from
 * its own words. Each turn it works out the strategy's next action from the text and takes it with the chance that its
 * skill gives; otherwise it takes any legal one. Never throws, whatever the messages are.
 */
export function agentAnswer({ messages, seed, weights }: AgentRequest): RoleAnswer {
  const conversation = readConversation(messages);
  const decisions: Decision[] = [];
  let strategy = statedPlan(conversation);
  const isNew = strategy === null;
  if (strategy === null) {
    const logprobs = strategyLogprobs(weights, featuresOf(conversation.beginning.firstObservation));
    const index = sampleIndex(logprobs, keyedRandom("embedded-strategy", seed));
    strategy = strategies[index] ?? "random";
    decisions.push({
      site: "strategy",
      choice: strategy,
      options: [...strategies],
      logprob: logprobs[index] ?? 0,
    });
  }
  const chance = chanceIn(conditions(conversation.beginning), skillIn(weights, strategy), strategy);
  const careful = keyedRandom("embedded-step", seed).next() < chance;
  decisions.push({
    site: `step/${strategy}`,
    choice: careful ? "careful" : "careless",
    options: ["careful", "careless"],
    logprob: Math.log(careful ? chance : 1 - chance),
  });
  const view = readView(conversation);
  const action = (careful ? procedures[strategy](view) : null) ?? anyAction(view, seed);
  const thought = isNew ? `Plan: ${strategy}.` : careful ? "On with the plan." : "This may do as well.";
  return { text: `${thought}\n${view.kind === "game" ? `\\boxed{${action}}` : action}`, decisions };
}

const conditions = oncePer(({ firstObservation }: Beginning) => conditionsOf(firstObservation));

/** The plan that the agent stated first in its answers; null if it stated none yet. */
export function statedPlan(conversation: Conversation): Strategy | null {
  for (const { said } of conversation.exchanges) {
    const plan = /^Plan: ([a-z]+)\./m.exec(said)?.[1];
    const strategy = strategies.find((one) => one === plan);
    if (strategy !== undefined) return strategy;
  }
  return null;
}

function anyAction(view: View, seed: number): string {
  const random = keyedRandom("embedded-action", seed);
  return view.kind === "game" ? randomCommand(view, random) : randomCall(view, random);
}
