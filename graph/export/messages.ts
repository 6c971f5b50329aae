/** A play as a conversation: the messages that chat formats are made of, with tools in the text or in their own fields. */
import { z } from "zod";
import { type Json, json } from "../../config/words.ts";
import type { ToolDefinition } from "../../sandbox/sandbox.ts";
import type { Play } from "./play.ts";

export interface TextMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

export interface ToolCallMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly tool_calls: readonly {
    readonly id: string;
    readonly type: "function";
    /** `arguments` is JSON in a string, as OpenAI's API has it. */
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

export interface ToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: string;
}

export type Message = TextMessage | ToolCallMessage | ToolMessage;

/** A tool as OpenAI's API and chat templates take it. */
export function functionOf({ name, description, parameters }: ToolDefinition): {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: Json };
} {
  return { type: "function", function: { name, description, parameters } };
}

/** The tools of a play that go into a field of their own. */
export function toolColumn({ tools }: Play, place: "column" | "prompt"): readonly ToolDefinition[] {
  return place === "column" ? (tools ?? []) : [];
}

const listed = "\n\n<tools>\n";

/** What the agent is told before it plays; without the list of tools where that has a field of its own. */
function systemOf({ system, tools }: Play, place: "column" | "prompt"): string {
  if (place === "prompt" || tools === null) return system;
  const at = system.indexOf(listed);
  return at < 0 ? system : system.slice(0, at);
}

/** System message and first observation: what the agent's first answer is to. */
export function openingOf(play: Play, place: "column" | "prompt"): TextMessage[] {
  return [
    { role: "system", content: systemOf(play, place) },
    { role: "user", content: play.firstObservation },
  ];
}

/** The agent's answers with the observations between them; nothing follows the last. */
export function answersOf({ turns }: Play): TextMessage[] {
  return turns.flatMap((turn, at) => {
    const answer: TextMessage = { role: "assistant", content: turn.said };
    return at === turns.length - 1
      ? [answer]
      : [answer, { role: "user" as const, content: turn.observation }];
  });
}

/** All that was said before the answer of turn `at`, from 0. */
export function before(play: Play, at: number, place: "column" | "prompt"): TextMessage[] {
  return [...openingOf(play, place), ...answersOf(play).slice(0, 2 * at)];
}

/** The answer of turn `at`. Throws a RangeError where there is none. */
export function answerAt({ turns }: Play, at: number): TextMessage {
  const turn = turns[at];
  if (turn === undefined) throw new RangeError(`a play of ${turns.length} turns has no turn ${at}`);
  return { role: "assistant", content: turn.said };
}

const call = z.object({ name: z.string(), arguments: z.record(z.string(), json).default({}) });
const opening = "<tool_call>";
const closing = "</tool_call>";

/** The call that an answer ends with, and what is said ahead of it; null if it ends with none that can be read. */
function callIn(said: string): { readonly ahead: string; readonly call: z.infer<typeof call> } | null {
  const text = said.trimEnd();
  const at = text.lastIndexOf(opening);
  if (at < 0 || !text.endsWith(closing)) return null;
  try {
    const parsed = call.safeParse(JSON.parse(text.slice(at + opening.length, -closing.length)));
    return parsed.success ? { ahead: text.slice(0, at).trimEnd(), call: parsed.data } : null;
  } catch {
    return null;
  }
}

/**
 * The same messages with calls and their results in the fields that tool-calling APIs have for them. Answers that are no
 * call, and calls that can't be read, stay texts, and what the environment says to them the user's.
 */
export function withToolCalls(messages: readonly TextMessage[]): Message[] {
  const made: Message[] = [];
  let calls = 0;
  let open: string | null = null;
  for (const message of messages) {
    const found = message.role === "assistant" ? callIn(message.content) : null;
    if (found !== null) {
      calls += 1;
      open = `call_${calls}`;
      const { name, arguments: given } = found.call;
      made.push({
        role: "assistant",
        content: found.ahead,
        tool_calls: [{ id: open, type: "function", function: { name, arguments: JSON.stringify(given) } }],
      });
    } else if (message.role === "user" && open !== null) {
      made.push({ role: "tool", tool_call_id: open, content: message.content });
      open = null;
    } else {
      made.push(message);
    }
  }
  return made;
}
