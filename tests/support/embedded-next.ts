/** What a strategy of the embedded agent does next after a history that a test writes. */
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { procedures } from "../../graph/models/embedded/agent/procedures.ts";
import { readView } from "../../graph/models/embedded/agent/view.ts";
import { readConversation } from "../../graph/models/embedded/conversation.ts";
import type { Strategy } from "../../graph/models/embedded/mechanics/concepts.ts";
import { agentSystem } from "../../graph/prompts/agent.ts";
import type { ToolDefinition } from "../../sandbox/sandbox.ts";

/** What a strategy does next; `turns` are pairs of an action and what it showed. */
export function next(
  strategy: Strategy,
  opening: string,
  turns: readonly (readonly [action: string, observation: string])[] = [],
  tools: readonly ToolDefinition[] | null = null,
): string | null {
  const messages: BaseMessage[] = [new SystemMessage(agentSystem(tools)), new HumanMessage(opening)];
  for (const [action, observation] of turns) {
    messages.push(
      new AIMessage(tools === null ? `\\boxed{${action}}` : action),
      new HumanMessage(observation),
    );
  }
  return procedures[strategy](readView(readConversation(messages)));
}

/** A tool that takes texts under these names, all required. */
export function tool(name: string, ...parameters: string[]): ToolDefinition {
  const properties = Object.fromEntries(parameters.map((one) => [one, { type: "string" }]));
  return { name, description: "", parameters: { type: "object", properties, required: parameters } };
}

/** A tool call as the agent writes it. */
export function call(name: string, args: Record<string, string | number>): string {
  return `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
}
