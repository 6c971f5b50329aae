/** What a solution does, move by move, as words: the verb, its arguments, the values in them, and answers. */
import { z } from "zod";
import { lastBoxed } from "../../sandbox/actions.ts";
import { wordsOf } from "./words.ts";

export interface Move {
  /** As it is quoted to the designer. */
  readonly text: string;
  /** The command of a game; null for tool calls and answers, whose tool names everyone is told. */
  readonly verb: string | null;
  readonly args: readonly string[];
  /** Each value by itself: the words of a game's command, the leaves of a call's arguments, the whole answer. */
  readonly values: readonly (readonly string[])[];
  readonly isAnswer: boolean;
  /** Whether it is the move that wins. */
  readonly isLast: boolean;
  /** Tool and parameter names: told to every player in the system message. */
  readonly told: readonly string[];
}

const call = z.object({ name: z.string(), arguments: z.json().optional() });
const longestAction = 4_000;

/** The moves of one solution: bare or boxed commands of a game, raw calls and answers of tool use. */
export function movesOf(actions: readonly string[]): Move[] {
  return actions.map((action, index) => {
    const last = index === actions.length - 1;
    const text = action.slice(0, longestAction);
    const answer = /<answer>([\s\S]*?)<\/answer>/i.exec(text)?.[1];
    if (answer !== undefined) return answerMove(answer, last);
    const called = /<tool_call>([\s\S]*?)<\/tool_call>/i.exec(text)?.[1];
    return called === undefined ? commandMove(lastBoxed(text) ?? text, last) : callMove(called, last);
  });
}

function answerMove(answer: string, isLast: boolean): Move {
  const words = wordsOf(answer);
  return {
    text: answer.trim(),
    verb: null,
    args: words,
    values: [words],
    isAnswer: true,
    isLast,
    told: [],
  };
}

function commandMove(command: string, isLast: boolean): Move {
  const [verb = null, ...args] = wordsOf(command);
  const values = [...(verb === null ? [] : [verb]), ...args].map((word) => [word]);
  return { text: command.trim(), verb, args, values, isAnswer: false, isLast, told: [] };
}

function callMove(json: string, isLast: boolean): Move {
  const leaves: string[] = [];
  const keys: string[] = [];
  const parsed = call.safeParse(parseJson(json));
  if (parsed.success) collect(parsed.data.arguments ?? null, leaves, keys);
  const values = leaves.map(wordsOf).filter((words) => words.length > 0);
  const told = parsed.success ? [parsed.data.name, ...keys].flatMap(wordsOf) : [];
  return { text: json.trim(), verb: null, args: values.flat(), values, isAnswer: false, isLast, told };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function collect(value: z.core.util.JSONType, leaves: string[], keys: string[]): void {
  if (typeof value === "string" || typeof value === "number") leaves.push(String(value));
  else if (Array.isArray(value)) for (const entry of value) collect(entry, leaves, keys);
  else if (value !== null && typeof value === "object") {
    for (const [key, entry] of Object.entries(value)) {
      keys.push(key);
      collect(entry, leaves, keys);
    }
  }
}
