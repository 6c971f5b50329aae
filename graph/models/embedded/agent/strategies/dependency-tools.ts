/** Calling tools in dependency order: each once, as soon as what it needs is known, until the answer is. */
import type { Json } from "../../../../../config/words.ts";
import type { ToolDefinition } from "../../../../../sandbox/sandbox.ts";
import { properNouns } from "../mining.ts";
import { type Arguments, answerOf, callOf, parametersOf } from "../tool-calls.ts";
import {
  answerKnown,
  argumentsFor,
  type Facts,
  readFacts,
  remedyOf,
  signIn,
  wasCalled,
} from "../tool-facts.ts";
import type { View } from "../view.ts";

export function callInOrder(view: View): string | null {
  const facts = readFacts(view);
  return (
    answerKnown(facts) ??
    remedyOf(view, facts) ??
    signIn(view, facts) ??
    nextTool(view, facts) ??
    lastResort(view, facts)
  );
}

/** The tool that takes the newest values among those that have not succeeded yet. */
function nextTool(view: View, facts: Facts): string | null {
  const done = new Set(facts.calls.filter((call) => !call.failed).map((call) => call.name));
  let best: { call: string; at: number } | null = null;
  for (const tool of view.tools) {
    if (done.has(tool.name)) continue;
    const args = argumentsFor(view, facts, tool.name);
    if (args === null || Object.keys(args).length === 0) continue;
    const last = facts.calls.at(-1);
    const again = wasCalled(facts, tool.name, args, true);
    // A failed call is worth another try only after something else has succeeded.
    if (again && (last === undefined || last.failed)) continue;
    const at = Math.max(...Object.keys(args).map((name) => facts.values.get(name)?.at ?? -1));
    if (best === null || at > best.at) best = { call: callOf(tool.name, args), at };
  }
  return best?.call ?? null;
}

/**
 * Where nothing else is left: tools with a guess for what is not known, the tools that need nothing, each once, and
 * then the newest value as the answer.
 */
function lastResort(view: View, facts: Facts): string | null {
  const done = new Set(facts.calls.filter((call) => !call.failed).map((call) => call.name));
  for (const tool of view.tools) {
    if (done.has(tool.name)) continue;
    const guess = guesses(view, facts, tool).find((args) => !wasCalled(facts, tool.name, args));
    if (guess !== undefined) return callOf(tool.name, guess);
  }
  const newest = [...facts.values.values()].sort((a, b) => b.at - a.at)[0];
  return newest === undefined || newest.at < 0 ? null : answerOf(newest.value);
}

/** Arguments with the first missing text replaced by a name of the task, the missing numbers by the newest number. */
function guesses(view: View, facts: Facts, tool: ToolDefinition): Arguments[] {
  const args: { [key: string]: Json } = {};
  let open: string | null = null;
  for (const parameter of parametersOf(tool)) {
    const fact = facts.values.get(parameter.name);
    if (fact !== undefined) args[parameter.name] = fact.value;
    else if (parameter.required) {
      if (parameter.type === "string" && parameter.values.length === 0 && open === null)
        open = parameter.name;
      else if (parameter.type === "number" || parameter.type === "integer") {
        const newest = [...facts.values.values()].filter((one) => typeof one.value === "number");
        const number = newest.sort((a, b) => b.at - a.at)[0];
        if (number === undefined) return [];
        args[parameter.name] = number.value;
      } else return [];
    }
  }
  if (open === null) return [args];
  const name = open;
  return properNouns(view.rules).map((value) => ({ ...args, [name]: value }));
}
