/** What a tool-use episode has brought to light so far: calls with their results, and values under their names. */
import type { Json } from "../../../../config/words.ts";
import { readAggregate, readState, taskKeys } from "../mechanics/conventions.ts";
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
  for (const [name, value] of givenPairs(view)) values.set(name, { value, at: -1, depth: 0 });
  const given = new Set(values.keys());
  const taken = new Set(view.tools.flatMap((tool) => parametersOf(tool).map((parameter) => parameter.name)));
  const calls: PastCall[] = [];
  for (const moment of view.moments.slice(1)) {
    const call = readCall(moment.action);
    if (call === null || !("name" in call)) continue;
    const { result, failed } = readResult(moment.observation);
    const depth = Math.max(0, ...Object.keys(call.args).map((name) => values.get(name)?.depth ?? 0));
    if (!failed) {
      const shown = new Map(scalarsOf(result, view.rules));
      for (const [name, value] of [...shown, ...aliases(shown, taken)]) {
        values.set(name, { value, at: calls.length, depth: given.has(name) ? 0 : depth + 1 });
      }
    }
    calls.push({ name: call.name, args: call.args, result, failed });
  }
  return { calls, values, asked: readState(view.rules, taskKeys.answer)?.trim() ?? null };
}

/** `Known: customer = mira; city = oslo`; without such a line, what prose says right after a parameter's name. */
function givenPairs(view: View): [string, Json][] {
  const known = readState(view.rules, taskKeys.known);
  if (known !== null) {
    return known.split(";").flatMap((pair): [string, Json][] => {
      const match = /^\s*(\w+) = (.*?)\s*$/.exec(pair);
      return match === null ? [] : [[match[1] ?? "", match[2] ?? ""]];
    });
  }
  const names = new Set(view.tools.flatMap((tool) => parametersOf(tool).map((parameter) => parameter.name)));
  return [...names].flatMap((name): [string, Json][] => {
    const words = name.replace(/\W/g, "_").split("_").join("[ _]");
    const match = new RegExp(`\\b${words}(?: is| named| called)?[ :=]+["'\`]?([\\w@-]{2,40})`, "i").exec(
      view.rules,
    );
    const value = match?.[1] ?? "";
    return value === "" || proseWords.has(value.toLowerCase()) ? [] : [[name, value]];
  });
}

const proseWords = new Set(
  "and are as at but by comes for from has in is it its jams lies may must needs next of on or that the then to waits was which will with".split(
    " ",
  ),
);

/** Values under the names that tools ask for: `next_drawer` is a `drawer` where the result names no other. */
function aliases(shown: ReadonlyMap<string, Json>, taken: ReadonlySet<string>): [string, Json][] {
  return [...shown].flatMap(([name, value]): [string, Json][] => {
    const short = [...taken].find(
      (one) => name !== one && (name.endsWith(`_${one}`) || name === `next${one}`),
    );
    return short === undefined || shown.has(short) || taken.has(name) ? [] : [[short, value]];
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

/** Strings and numbers of a result, those of nested objects included; of a list, the entry that the task speaks of. */
function scalarsOf(result: { readonly [key: string]: Json }, rules: string, depth = 0): [string, Json][] {
  const found: [string, Json][] = [];
  for (const [name, value] of Object.entries(result)) {
    const nested = Array.isArray(value) ? spokenOf(value, rules) : objectOf(value);
    if (nested !== null && depth < 3) found.push(...scalarsOf(nested, rules, depth + 1));
    else if (typeof value === "string" || typeof value === "number") found.push([name, value]);
  }
  return found;
}

function spokenOf(list: readonly Json[], rules: string): { readonly [key: string]: Json } | null {
  const said = rules.toLowerCase();
  let best: { entry: { readonly [key: string]: Json }; hits: number } | null = null;
  for (const one of list.slice(0, 200)) {
    const entry = objectOf(one);
    if (entry === null) continue;
    const hits = Object.values(entry).filter(
      (value) => typeof value === "string" && value.length > 2 && said.includes(value.toLowerCase()),
    ).length;
    if (best === null || hits > best.hits) best = { entry, hits };
  }
  return best?.entry ?? null;
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
  if (facts.asked === null || readAggregate(facts.asked) !== null) return null;
  const asked = facts.asked.split(/[.,;]/)[0]?.trim().toLowerCase().replace(/\s+/g, "_") ?? "";
  const exact = facts.values.get(facts.asked) ?? facts.values.get(asked);
  const fact =
    exact ??
    [...facts.values].find(([name]) => name.endsWith(`_${asked}`) || asked.startsWith(`${name}_`))?.[1];
  return fact === undefined || fact.at < 0 ? null : answerOf(fact.value);
}

/** Failures in a row after which a call is not made again. */
const maxTries = 4;
const tryAgain = /\b(?:try again|again later|retry|temporar|busy|time-?out)/i;

/** What an error asks for: the same call again, or another tool first. Null where the last call did not fail so. */
export function remedyOf(view: View, facts: Facts): string | null {
  const last = facts.calls.at(-1);
  if (last === undefined || !last.failed) return null;
  const again = last.result.retry === true || tryAgain.test(String(last.result.error ?? ""));
  const recent = facts.calls.slice(-maxTries);
  if (again && !(recent.length === maxTries && recent.every((call) => call.failed))) {
    return callOf(last.name, last.args);
  }
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
