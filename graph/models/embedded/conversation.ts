/** A conversation as the agent reads it: what it was told, what it saw first, and each answer with what came of it. */
import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { type EnvironmentKind, json } from "../../../config/words.ts";
import { actionOf, lastBoxed } from "../../../sandbox/actions.ts";
import type { ToolDefinition } from "../../../sandbox/sandbox.ts";
import { readSections } from "../../prompts/sections.ts";
import { textOf } from "../answer-text.ts";
import { splitHint } from "./features.ts";
import { PerMessage } from "./per-message.ts";

/** Longer messages are read up to here: no listed command or feedback stands so deep in a text. */
const readCharacters = 16_000;

/** The same object whenever its messages are read again, so that what is worked out of it can be kept with it. */
export interface Exchange {
  /** The player's whole answer. */
  readonly said: string;
  /** The bare command of a game, or the raw call or answer of a tool-use task. */
  readonly action: string;
  readonly observation: string;
}

/** What a player is told before its first turn; like an exchange, the same object at every turn. */
export interface Beginning {
  readonly kind: EnvironmentKind;
  readonly tools: readonly ToolDefinition[];
  /** The first observation with its hint, as it was shown. */
  readonly firstObservation: string;
  /** The first observation alone. */
  readonly rules: string;
  readonly hint: string | null;
}

export interface Conversation {
  readonly beginning: Beginning;
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

const listedTools = new PerMessage<readonly ToolDefinition[] | null>();
const beginnings = new PerMessage<Beginning>();
const pastExchanges = new WeakMap<
  BaseMessage,
  { readonly kind: EnvironmentKind; readonly exchange: Exchange }
>();

/**
 * Reads the messages of an episode. Any list of messages gives a conversation: missing parts are empty, messages of
 * the environment in a row are joined, and an answer that nothing followed yet is not an exchange.
 */
export function readConversation(messages: readonly BaseMessage[]): Conversation {
  let system = "";
  let first: string | null = null;
  let firstMessage: BaseMessage | null = null;
  let systemMessage: BaseMessage | null = null;
  const answers: { readonly message: BaseMessage; readonly heard: string[] }[] = [];
  for (const message of messages) {
    const text = textOf(message);
    if (message.type === "system") {
      systemMessage ??= message;
      system += `${text.slice(0, readCharacters)}\n`;
    } else if (message.type === "ai") answers.push({ message, heard: [] });
    else if (answers.length === 0) {
      firstMessage ??= message;
      first = first === null ? text : `${first}\n${text}`;
    } else answers.at(-1)?.heard.push(text.slice(0, readCharacters));
  }
  const tools = systemMessage === null ? null : listedTools.of(systemMessage, system, readTools);
  const begin = (text: string): Beginning => beginningOf(text, tools);
  const known = firstMessage === null ? begin("") : beginnings.of(firstMessage, first ?? "", begin);
  // A first message that is shown with other tools is another beginning.
  const beginning = known.tools === (tools ?? noTools) ? known : begin(first ?? "");
  const exchanges = answers
    .filter(({ heard }) => heard.length > 0)
    .map(({ message, heard }) => exchangeOf(beginning.kind, message, heard.join("\n")));
  return { beginning, exchanges };
}

const noTools: readonly ToolDefinition[] = [];

function beginningOf(firstObservation: string, tools: readonly ToolDefinition[] | null): Beginning {
  const { observation, hint } = splitHint(firstObservation);
  return {
    kind: tools === null ? "game" : "tool-use",
    tools: tools ?? noTools,
    firstObservation,
    rules: observation.slice(0, readCharacters),
    hint,
  };
}

function exchangeOf(kind: EnvironmentKind, answer: BaseMessage, observation: string): Exchange {
  const said = textOf(answer);
  const known = pastExchanges.get(answer);
  if (known?.kind === kind && known.exchange.said === said && known.exchange.observation === observation) {
    return known.exchange;
  }
  const exchange = { said, action: bareAction(kind, said), observation };
  pastExchanges.set(answer, { kind, exchange });
  return exchange;
}

function bareAction(kind: EnvironmentKind, said: string): string {
  if (kind === "game") return lastBoxed(said) ?? said.trim().slice(0, 200);
  return actionOf(kind, said);
}
