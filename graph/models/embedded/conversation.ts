/** A conversation as the agent reads it: what it was told, what it saw first, and each answer with what came of it. */
import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { type EnvironmentKind, json } from "../../../config/words.ts";
import { actionOf, lastBoxed } from "../../../sandbox/actions.ts";
import type { ToolDefinition } from "../../../sandbox/sandbox.ts";
import { readSections } from "../../prompts/sections.ts";
import { splitHint } from "./features.ts";

/** Longer messages are read up to here: no listed command or feedback stands so deep in a text. */
const readCharacters = 16_000;

export interface Exchange {
  /** The player's whole answer. */
  readonly said: string;
  /** The bare command of a game, or the raw call or answer of a tool-use task. */
  readonly action: string;
  readonly observation: string;
}

export interface Conversation {
  readonly kind: EnvironmentKind;
  readonly tools: readonly ToolDefinition[];
  /** The first observation with its hint, as it was shown. */
  readonly firstObservation: string;
  /** The first observation alone. */
  readonly rules: string;
  readonly hint: string | null;
  readonly exchanges: readonly Exchange[];
}

const toolDefinition = z.object({
  name: z.string(),
  description: z.string().catch(""),
  parameters: z.record(z.string(), json).catch({}),
});

/** The tools that a system message lists, one JSON object a line; lines that are none are passed over. */
export function readTools(system: string): ToolDefinition[] | null {
  const listed = readSections(system).find((part) => part.name === "tools");
  if (listed === undefined) return null;
  return listed.body.split("\n").flatMap((line) => {
    try {
      const parsed = toolDefinition.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      return [];
    }
  });
}

/**
 * Reads the messages of an episode. Any list of messages gives a conversation: missing parts are empty, messages of
 * the environment in a row are joined, and an answer that nothing followed yet is not an exchange.
 */
export function readConversation(messages: readonly BaseMessage[]): Conversation {
  let system = "";
  let first: string | null = null;
  const answers: { said: string; heard: string[] }[] = [];
  for (const message of messages) {
    const text = message.text.slice(0, readCharacters);
    if (message.type === "system") system += `${text}\n`;
    else if (message.type === "ai") answers.push({ said: message.text, heard: [] });
    else if (answers.length === 0) first = first === null ? message.text : `${first}\n${message.text}`;
    else answers.at(-1)?.heard.push(text);
  }
  const tools = readTools(system);
  const kind = tools === null ? "game" : "tool-use";
  const firstObservation = first ?? "";
  const { observation, hint } = splitHint(firstObservation);
  const exchanges = answers
    .filter((answer) => answer.heard.length > 0)
    .map((answer) => ({
      said: answer.said,
      action: bareAction(kind, answer.said),
      observation: answer.heard.join("\n"),
    }));
  return {
    kind,
    tools: tools ?? [],
    firstObservation,
    rules: observation.slice(0, readCharacters),
    hint,
    exchanges,
  };
}

function bareAction(kind: EnvironmentKind, said: string): string {
  if (kind === "game") return lastBoxed(said) ?? said.trim().slice(0, 200);
  return actionOf(kind, said);
}
