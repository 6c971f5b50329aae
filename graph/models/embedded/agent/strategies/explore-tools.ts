/** Exploring through tools: go on from every place that a result names, and never far into anything else. */
import { callOf } from "../tool-calls.ts";
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

const seeing = /^(?:open|read|look|go|visit|find|list|get|show|search|view|browse|enter|follow)/i;

export function followReferences(view: View): string | null {
  const facts = readFacts(view);
  return answerKnown(facts) ?? remedyOf(view, facts) ?? signIn(view, facts) ?? nextVisit(view, facts);
}

/** The call on the newest place that was not made yet; tools that show something come first. */
function nextVisit(view: View, facts: Facts): string | null {
  let best: { call: string; rank: number } | null = null;
  for (const tool of view.tools) {
    const args = argumentsFor(view, facts, tool.name);
    if (args === null || Object.keys(args).length === 0 || wasCalled(facts, tool.name, args, false)) continue;
    const used = Object.keys(args).flatMap((name) => facts.values.get(name) ?? []);
    // What hangs on a place is looked at; what hangs on that in turn is somebody else's trail.
    if (used.some((fact) => fact.depth > 1)) continue;
    const newest = Math.max(...used.map((fact) => fact.at));
    const key = used.some((fact) => fact.depth === 1) && used.length > 1;
    const rank = 2 * newest + (seeing.test(tool.name) ? 1 : 0) + (key ? 1.5 : 0);
    if (best === null || rank > best.rank) best = { call: callOf(tool.name, args), rank };
  }
  return best?.call ?? null;
}
