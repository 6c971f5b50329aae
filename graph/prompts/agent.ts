/** What the agent is told before it plays, in both action formats, and how a hint reaches it. */
import { type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import type { ToolDefinition } from "../../sandbox/sandbox.ts";
import { section } from "./sections.ts";

export const agentRole = "You are the reasoning agent of a self-play lab.";

const game = `${agentRole} You play a text environment turn by turn. Think as long as you need, then end every answer with exactly one action in the form \\boxed{command}, using the commands that the environment names.`;

const toolUse = `${agentRole} You solve a task with tools, turn by turn. End every answer with exactly one call, <tool_call>{"name": "…", "arguments": {…}}</tool_call>, or, once you know the result, with <answer>…</answer>.`;

/** The system message of an episode. `tools` is null for a game. */
export function agentSystem(tools: readonly ToolDefinition[] | null): string {
  if (tools === null) return game;
  const listed = tools.map((tool) => JSON.stringify(tool)).join("\n");
  return `${toolUse}\n\n${section("tools", {}, listed)}`;
}

/** The first observation, with the hint after it in the arms that have one. */
export function withHint(observation: string, hint: string | null): string {
  return hint === null ? observation : `${observation}\n\n${section("hint", {}, hint)}`;
}

/** The conversation at the start of an episode. */
export function openingMessages(system: string, firstObservation: string): BaseMessage[] {
  return [new SystemMessage(system), new HumanMessage(firstObservation)];
}
