/**
 * Random tool calls: arguments shaped as the tool's JSON Schema says, with values that the player has seen or that the
 * solutions of other seeds used.
 */
import type { Random } from "../../../config/random.ts";
import type { Json } from "../../../config/words.ts";
import type { ToolDefinition } from "../../sandbox.ts";
import { isClosed, type SlotValues, valuesOfOthers } from "./templates.ts";
import { integerBetween, type Seen } from "./values.ts";

/** What the solutions of other seeds put into arguments (`tool.parameter`) and answers. */
export interface CallValues {
  readonly slots: ReadonlyMap<string, SlotValues>;
  readonly answers: SlotValues;
}

/** Collects the values of tool-use solutions. `solutions[i]` are the raw calls and answers of seed i. */
export function learnCallValues(solutions: readonly (readonly string[])[]): CallValues {
  const slots = new Map<string, Map<string, Set<number>>>();
  const answers = new Map<string, Set<number>>();
  const note = (values: Map<string, Set<number>>, value: string, seed: number) => {
    const seeds = values.get(value) ?? new Set();
    values.set(value, seeds.add(seed));
  };
  solutions.forEach((actions, seed) => {
    for (const action of actions) {
      const answer = /<answer>([\s\S]*)<\/answer>/.exec(action)?.[1];
      if (answer !== undefined) note(answers, answer.trim(), seed);
      const call = readCall(action);
      if (call === null) continue;
      for (const [name, value] of Object.entries(call.given)) {
        const key = `${call.name}.${name}`;
        const values = slots.get(key) ?? new Map();
        slots.set(key, values);
        note(values, JSON.stringify(value), seed);
      }
    }
  });
  return { slots, answers };
}

/** The tool and the arguments of a well-formed call; null if it is none. */
export function readCall(action: string): { name: string; given: { readonly [key: string]: Json } } | null {
  const body = /<tool_call>([\s\S]*?)<\/tool_call>/.exec(action)?.[1];
  if (body === undefined) return null;
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== "object" || parsed === null || !("name" in parsed)) return null;
    if (typeof parsed.name !== "string") return null;
    const given = "arguments" in parsed && isObject(parsed.arguments) ? parsed.arguments : {};
    return { name: parsed.name, given };
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function writeCall(name: string, given: { readonly [key: string]: Json }): string {
  return `<tool_call>${JSON.stringify({ name, arguments: given })}</tool_call>`;
}

export interface CallContext {
  readonly values: CallValues;
  readonly own: number;
  readonly seen: Seen;
  readonly random: Random;
}

/** A legal call of a tool, its arguments drawn at random. */
export function randomCall(tool: ToolDefinition, context: CallContext): string {
  const given: { [key: string]: Json } = {};
  const { properties, required } = tool.parameters;
  const needed = Array.isArray(required) ? required : [];
  for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
    if (!needed.includes(name) && context.random.next() < 0.5) continue;
    given[name] = randomValue(schema, `${tool.name}.${name}`, name, context, 0);
  }
  return writeCall(tool.name, given);
}

/** An answer drawn at random: a value seen in this episode, or one of another seed. */
export function randomAnswer({ values, own, seen, random }: CallContext): string {
  const others = valuesOfOthers(values.answers, own);
  const numeric = others.length > 0 && others.every((value) => /^[-$\d.,]+$/.test(value));
  const numbers = seen.numbers().map(String);
  const fitting = numeric ? numbers : [...seen.words(), ...(others.length === 0 ? numbers : [])];
  const closed = isClosed(values.answers);
  const choices = closed ? others : fitting.length > 0 ? fitting : others;
  return `<answer>${choices.length === 0 ? "done" : random.pick(choices)}</answer>`;
}

const deepest = 3;

function randomValue(schema: Json, key: string, name: string, context: CallContext, depth: number): Json {
  const { random, seen } = context;
  const rules = isObject(schema) ? schema : {};
  if (rules.const !== undefined) return rules.const;
  if (Array.isArray(rules.enum) && rules.enum.length > 0) return random.pick(rules.enum);
  const used = usedByOthers(key, context);
  const type = Array.isArray(rules.type) ? rules.type[0] : rules.type;
  if (type === "boolean") return random.next() < 0.5;
  if (type === "integer" || type === "number") return randomNumber(rules, used, name, context);
  if (type === "array") {
    if (depth >= deepest) return [];
    const count = 1 + random.below(2);
    return Array.from({ length: count }, () => randomValue(rules.items ?? {}, key, name, context, depth + 1));
  }
  if (type === "object") {
    if (depth >= deepest || !isObject(rules.properties)) return {};
    const entries = Object.entries(rules.properties).map(([inner, inside]) => [
      inner,
      randomValue(inside, `${key}.${inner}`, inner, context, depth + 1),
    ]);
    return Object.fromEntries(entries);
  }
  const named = seen.named(name);
  if (named.length > 0 && random.next() < 0.6) return random.pick(named);
  const texts = used.filter((value) => typeof value === "string");
  const slot = context.values.slots.get(key);
  if (texts.length > 0 && slot !== undefined && isClosed(slot)) return random.pick(texts);
  const known = [...texts.filter((value) => seen.mentions(value)), ...seen.words()];
  if (known.length > 0) return random.pick(known);
  return texts.length > 0 ? random.pick(texts) : "example";
}

function usedByOthers(key: string, { values, own }: CallContext): Json[] {
  const slot = values.slots.get(key);
  if (slot === undefined) return [];
  return valuesOfOthers(slot, own).map((value): Json => JSON.parse(value));
}

function randomNumber(
  rules: { readonly [key: string]: Json },
  used: readonly Json[],
  name: string,
  { seen, random }: CallContext,
): number {
  const named = seen.named(name).map(Number).filter(Number.isFinite);
  if (named.length > 0 && random.next() < 0.6) return random.pick(named);
  const low = typeof rules.minimum === "number" ? rules.minimum : null;
  const high = typeof rules.maximum === "number" ? rules.maximum : null;
  if (low !== null && high !== null) return integerBetween(low, high, random);
  const numbers = [...used.filter((value) => typeof value === "number"), ...seen.numbers()].filter(
    (value) => (low === null || value >= low) && (high === null || value <= high),
  );
  return numbers.length > 0 ? random.pick(numbers) : (low ?? 0) + random.below(10);
}
