/** Tool calls as a player writes them: names and arguments from the tools' schemas and from what the text gave away. */

import type { Random } from "../../../../config/random.ts";
import type { Json } from "../../../../config/words.ts";
import type { ToolDefinition } from "../../../../sandbox/sandbox.ts";
import type { View } from "./view.ts";

export type Arguments = { readonly [key: string]: Json };

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly values: readonly Json[];
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly required: boolean;
}

export function callOf(name: string, args: Arguments): string {
  return `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
}

export function answerOf(value: Json): string {
  return `<answer>${typeof value === "string" ? value : JSON.stringify(value)}</answer>`;
}

/** A call or answer read back from an action; null if it is neither. */
export function readCall(
  action: string | null,
): { readonly name: string; readonly args: Arguments } | { readonly answer: string } | null {
  const answer = /^<answer>([\s\S]*?)<\/answer>$/.exec(action ?? "")?.[1];
  if (answer !== undefined) return { answer: answer.trim() };
  const body = /^<tool_call>([\s\S]*?)<\/tool_call>$/.exec(action ?? "")?.[1];
  const call = objectOf(parseJson(body ?? ""));
  const args = objectOf(call?.arguments ?? {});
  if (call === null || args === null || typeof call.name !== "string") return null;
  return { name: call.name, args };
}

/** JSON, or null where a text is none. */
export function parseJson(text: string): Json {
  try {
    // JSON.parse gives nothing but JSON values.
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

export function objectOf(value: Json | undefined): { readonly [key: string]: Json } | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}

/** The parameters of a tool in the schema's order; what the schema leaves out is null or empty. */
export function parametersOf(tool: ToolDefinition): Parameter[] {
  const required = Array.isArray(tool.parameters.required) ? tool.parameters.required : [];
  return Object.entries(objectOf(tool.parameters.properties) ?? {}).map(([name, schema]) => {
    const fields = objectOf(schema) ?? {};
    return {
      name,
      type: typeof fields.type === "string" ? fields.type : "string",
      values: Array.isArray(fields.enum) ? fields.enum : [],
      minimum: typeof fields.minimum === "number" ? fields.minimum : null,
      maximum: typeof fields.maximum === "number" ? fields.maximum : null,
      required: required.includes(name),
    };
  });
}

/** Any call that the schemas allow, each tool equally likely; an answer, where there are no tools. */
export function randomCall(view: View, random: Random): string {
  if (view.tools.length === 0) return answerOf(random.pick(["yes", "no", ...minedWords(view)]));
  const tool = random.pick(view.tools);
  const args = Object.fromEntries(
    parametersOf(tool)
      .filter((parameter) => parameter.required || random.next() < 0.5)
      .map((parameter) => [parameter.name, randomArgument(parameter, view, random)]),
  );
  return callOf(tool.name, args);
}

/** Some value of a parameter's type: one of its listed values, or else one that the text mentions. */
export function randomArgument(parameter: Parameter, view: View, random: Random): Json {
  if (parameter.values.length > 0) return random.pick(parameter.values);
  switch (parameter.type) {
    case "boolean":
      return random.next() < 0.5;
    case "integer":
    case "number": {
      const { minimum, maximum } = parameter;
      const mined = minedNumbers(view).filter(
        (one) => one >= (minimum ?? Number.NEGATIVE_INFINITY) && one <= (maximum ?? Number.POSITIVE_INFINITY),
      );
      if (mined.length > 0) return random.pick(mined);
      const low = minimum ?? (maximum === null ? 1 : maximum - 10);
      return low + random.below(Math.max(1, Math.floor((maximum ?? low + 10) - low) + 1));
    }
    case "array":
      return [];
    case "object":
      return {};
    default: {
      const words = minedWords(view);
      return words.length === 0 ? "" : random.pick(words);
    }
  }
}

/** Whole numbers that the episode's texts mention, newest text first, at most 40. */
export function minedNumbers(view: View): number[] {
  return mined(view, /(?<![\w.])-?\d{1,9}(?![\w])/g).map(Number);
}

/** Names that the episode's texts mention: what stands in quotes or behind `=`, newest text first, at most 40. */
export function minedWords(view: View): string[] {
  return mined(view, /(?<=["'=:] ?)[A-Za-z][\w@.-]{1,40}(?=["';,\n]|$)(?!":)/gm);
}

function mined(view: View, pattern: RegExp): string[] {
  const found = new Set<string>();
  for (let i = view.moments.length - 1; i >= 0 && found.size < 40; i -= 1) {
    const text = (view.moments[i]?.observation ?? "").slice(0, 4_000);
    for (const match of text.matchAll(pattern)) {
      if (found.size < 40) found.add(match[0]);
    }
  }
  return [...found];
}
