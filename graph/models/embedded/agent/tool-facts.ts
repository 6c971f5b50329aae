/** What a tool-use episode has brought to light so far: calls with their results, and values under their names. */
import type { Json } from "../../../../config/words.ts";
import { readState, taskKeys } from "../mechanics/conventions.ts";
import {
  type Arguments,
  answerOf,
  callOf,
  objectOf,
  parametersOf,
  parseJson,
  readCall,
} from "./tool-calls.ts";
import type { View } from "./view.ts";

export interface PastCall {
  readonly name: string;
  readonly args: Arguments;
  readonly result: { readonly [key: string]: Json };
  readonly failed: boolean;
}

export interface Fact {
  readonly value: Json;
  /** Turn at which it was seen last; −1 for what the task gives. */
  readonly at: number;
  /** Calls between the task and the value; 0 for what the task gives, and for names that the task gives. */
  readonly depth: number;
}

export interface Facts {
  readonly calls: readonly PastCall[];
  /** The newest value under each name. */
  readonly values: ReadonlyMap<string, Fact>;
  /** What the task asks the answer to be, as it words it; null if it does not say. */
  readonly asked: string | null;
}

export function readFacts(view: View): Facts {
  const values = new Map<string, Fact>();
  for (const [name, value] of knownPairs(view.rules)) values.set(name, { value, at: -1, depth: 0 });
  const given = new Set(values.keys());
  const calls: PastCall[] = [];
  for (const moment of view.moments.slice(1)) {
    const call = readCall(moment.action);
    if (call === null || !("name" in call)) continue;
    const { result, failed } = readResult(moment.observation);
    const depth = Math.max(0, ...Object.keys(call.args).map((name) => values.get(name)?.depth ?? 0));
    if (!failed) {
      for (const [name, value] of scalarsOf(result)) {
        values.set(name, { value, at: calls.length, depth: given.has(name) ? 0 : depth + 1 });
      }
    }
    calls.push({ name: call.name, args: call.args, result, failed });
  }
  return { calls, values, asked: readState(view.rules, taskKeys.answer)?.trim() ?? null };
}

/** `Known: customer = mira; city = oslo`. */
function knownPairs(rules: string): [string, Json][] {
  return (readState(rules, taskKeys.known) ?? "").split(";").flatMap((pair): [string, Json][] => {
    const match = /^\s*(\w+) = (.*?)\s*$/.exec(pair);
    return match === null ? [] : [[match[1] ?? "", match[2] ?? ""]];
  });
}

/** A result as an object; of a text that is no JSON, the pairs `name: value` that stand in it. */
function readResult(observation: string): { result: { readonly [key: string]: Json }; failed: boolean } {
  const parsed = objectOf(parseJson(observation));
  if (parsed !== null) return { result: parsed, failed: parsed.error !== undefined };
  const pairs = [...observation.slice(0, 4_000).matchAll(/\b([a-z]\w{1,40})"?\s*[:=]\s*"?([\w@.-]{1,80})/g)];
  return {
    result: Object.fromEntries(pairs.map((pair) => [pair[1] ?? "", pair[2] ?? ""])),
    failed: /^(?:error|format error|unknown tool)\b/i.test(observation.trim()),
  };
}

/** Strings, numbers and booleans of a result, those of nested objects included, outermost first. */
function scalarsOf(result: { readonly [key: string]: Json }, depth = 0): [string, Json][] {
  const found: [string, Json][] = [];
  for (const [name, value] of Object.entries(result)) {
    const nested = objectOf(Array.isArray(value) && value.length === 1 ? value[0] : value);
    if (nested !== null && depth < 3) found.push(...scalarsOf(nested, depth + 1));
    else if (typeof value === "string" || typeof value === "number") found.push([name, value]);
  }
  return found;
}

/** The arguments that a tool needs, by their names, from what is known; null if one is missing. */
export function argumentsFor(view: View, facts: Facts, tool: string): Arguments | null {
  const definition = view.tools.find((one) => one.name === tool);
  if (definition === undefined) return null;
  const args: { [key: string]: Json } = {};
  for (const parameter of parametersOf(definition)) {
    const fact = facts.values.get(parameter.name);
    if (fact !== undefined) args[parameter.name] = fact.value;
    else if (parameter.required) return null;
  }
  return args;
}

/** Whether a call with these arguments was made; `failed` asks for failed or successful ones alone. */
export function wasCalled(facts: Facts, name: string, args: Arguments, failed?: boolean): boolean {
  const wanted = JSON.stringify(args);
  return facts.calls.some(
    (call) =>
      call.name === name &&
      (failed === undefined || call.failed === failed) &&
      JSON.stringify(call.args) === wanted,
  );
}

/** The answer, once the value that the task names was seen; null before. */
export function answerKnown(facts: Facts): string | null {
  const fact = facts.asked === null ? undefined : facts.values.get(facts.asked);
  return fact === undefined || fact.at < 0 ? null : answerOf(fact.value);
}

/** What an error asks for: the same call again, or another tool first. Null where the last call did not fail so. */
export function remedyOf(view: View, facts: Facts): string | null {
  const last = facts.calls.at(-1);
  if (last === undefined || !last.failed) return null;
  if (last.result.retry === true) return callOf(last.name, last.args);
  const first = last.result.first;
  if (typeof first !== "string") return null;
  const args = argumentsFor(view, facts, first);
  return args === null ? null : callOf(first, args);
}

/** A call that lets its caller in, where there is such a tool and it was not called yet. */
export function signIn(view: View, facts: Facts): string | null {
  const tool = view.tools.find((one) => /^(?:sign_?in|log_?in|authenticate|connect)$/i.test(one.name));
  if (tool === undefined) return null;
  const args = argumentsFor(view, facts, tool.name);
  return args === null || wasCalled(facts, tool.name, args) ? null : callOf(tool.name, args);
}
