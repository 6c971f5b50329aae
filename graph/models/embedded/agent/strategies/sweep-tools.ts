/** Sweeping through tools: show every value that a parameter lists, treat what asks for it, and add up at the end. */
import type { Json } from "../../../../../config/words.ts";
import type { ToolDefinition } from "../../../../../sandbox/sandbox.ts";
import { type Aggregate, readAggregate, readState, taskKeys } from "../../mechanics/conventions.ts";
import { answerOf, callOf, objectOf, type Parameter, parametersOf } from "../tool-calls.ts";
import { answerKnown, type Facts, type PastCall, readFacts, remedyOf } from "../tool-facts.ts";
import type { View } from "../view.ts";

/** Values of one parameter that a sweep goes through at most. */
const maxValues = 1_000;

export function sweepTools(view: View): string | null {
  const facts = readFacts(view);
  const remedies = readRemedies(view);
  const swept = sweptTool(view, remedies);
  if (swept === null) return null;
  const seen = facts.calls.filter((call) => call.name === swept.tool.name && !call.failed);
  return (
    answerKnown(facts) ??
    remedyOf(view, facts) ??
    treatment(facts, remedies) ??
    nextValue(swept, seen) ??
    ending(view, facts, seen, remedies)
  );
}

/** `Remedy: jammed -> clear_unit; fine -> nothing`. */
function readRemedies(view: View): Map<string, string> {
  const written = readState(view.rules, taskKeys.remedy) ?? "";
  return new Map(
    written.split(";").flatMap((pair): [string, string][] => {
      const [state, tool] = pair.split("->").map((part) => part.trim());
      return state === undefined || tool === undefined || state === "" ? [] : [[state, tool]];
    }),
  );
}

interface Swept {
  readonly tool: ToolDefinition;
  readonly parameter: string;
  readonly values: readonly Json[];
}

/** The tool that shows something else for each of the values of its one required parameter. */
function sweptTool(view: View, remedies: ReadonlyMap<string, string>): Swept | null {
  const treating = new Set(remedies.values());
  for (const tool of view.tools) {
    if (treating.has(tool.name)) continue;
    const required = parametersOf(tool).filter((parameter) => parameter.required);
    const values = required[0] === undefined ? [] : valuesOf(required[0]);
    if (required.length === 1 && values.length > 0) {
      return { tool, parameter: required[0]?.name ?? "", values };
    }
  }
  return null;
}

function valuesOf({ values, minimum, maximum, type }: Parameter): readonly Json[] {
  if (values.length > 0) return values;
  if (type !== "integer" || minimum === null || maximum === null) return [];
  const count = Math.min(maxValues, Math.floor(maximum - minimum) + 1);
  return Array.from({ length: Math.max(0, count) }, (_, i) => minimum + i);
}

function stateShown(call: PastCall | undefined): string {
  return call === undefined || call.failed ? "" : String(call.result.state ?? call.result.status ?? "");
}

/** The tool that the last state shown asks for. */
function treatment(facts: Facts, remedies: ReadonlyMap<string, string>): string | null {
  const last = facts.calls.at(-1);
  const tool = remedies.get(stateShown(last));
  return last === undefined || tool === undefined || tool === "nothing" ? null : callOf(tool, last.args);
}

function nextValue(swept: Swept, seen: readonly PastCall[]): string | null {
  const shown = new Set(seen.map((call) => String(call.args[swept.parameter])));
  const next = swept.values.find((value) => !shown.has(String(value)));
  return next === undefined ? null : callOf(swept.tool.name, { [swept.parameter]: next });
}

/** What is left once all was seen: a number made of it, or the tool that ends the work. */
function ending(
  view: View,
  facts: Facts,
  seen: readonly PastCall[],
  remedies: ReadonlyMap<string, string>,
): string | null {
  const aggregate = readAggregate(facts.asked ?? "");
  if (facts.asked === "count of repairs") {
    const treating = new Set(remedies.values());
    return answerOf(String(facts.calls.filter((call) => treating.has(call.name) && !call.failed).length));
  }
  if (aggregate !== null) return answerOf(String(aggregated(aggregate, rowsOf(seen))));
  const closing = view.tools.find(
    (tool) =>
      parametersOf(tool).length === 0 && /\b(?:ends?|clos|finish|submit|complet)/i.test(tool.description),
  );
  return closing === undefined ? null : callOf(closing.name, {});
}

type Row = { readonly [key: string]: Json };

/** The rows of all successful calls, those of each value once. */
function rowsOf(seen: readonly PastCall[]): Row[] {
  const pages = new Map(seen.map((call) => [JSON.stringify(call.args), call.result]));
  return [...pages.values()].flatMap((result) => {
    const rows = Object.values(result).find((value) => Array.isArray(value));
    if (!Array.isArray(rows)) return [];
    return rows.map((row) => objectOf(row)).filter((row) => row !== null);
  });
}

function aggregated({ operation, field, key, relation, value }: Aggregate, rows: readonly Row[]): number {
  const kept = rows.filter((row) => {
    if (key === null) return true;
    if (relation === "is at least") return Number(row[key]) >= Number(value);
    return (String(row[key]) === value) === (relation === "is");
  });
  const numbers = kept.map((row) => Number(row[field] ?? 0));
  if (operation === "count") return kept.length;
  if (operation === "sum") return numbers.reduce((sum, number) => sum + number, 0);
  return operation === "largest" ? Math.max(...numbers) : Math.min(...numbers);
}
