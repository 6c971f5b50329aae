/** Calling tools in dependency order: each once, as soon as what it needs is known, until the answer is. */
import { answerOf, callOf, parametersOf } from "../tool-calls.ts";
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

/** Where nothing else is left: the tools that need nothing, each once, and then the newest value as the answer. */
function lastResort(view: View, facts: Facts): string | null {
  const free = view.tools.find((tool) => parametersOf(tool).length === 0 && !wasCalled(facts, tool.name, {}));
  if (free !== undefined) return callOf(free.name, {});
  const newest = [...facts.values.values()].sort((a, b) => b.at - a.at)[0];
  return newest === undefined || newest.at < 0 ? null : answerOf(newest.value);
}
