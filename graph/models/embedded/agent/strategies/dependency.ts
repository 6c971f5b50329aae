/** In dependency order: do what awaits nothing, then what that made possible. */
import { stateKeys } from "../../mechanics/conventions.ts";
import { fill, slotOf } from "../commands.ts";
import { current, readNames, type View } from "../view.ts";
import { callInOrder } from "./dependency-tools.ts";

export function dependency(view: View): string | null {
  return view.kind === "tool-use" ? callInOrder(view) : nextTask(view);
}

/** `bake after mix, knead; mix after nothing`. */
function readNeeds(text: string | null): Map<string, readonly string[]> {
  const needs = new Map<string, readonly string[]>();
  for (const part of (text ?? "").split(";")) {
    const [task, after] = part.split(" after ");
    if (task !== undefined && after !== undefined) needs.set(task.trim(), readNames(after));
  }
  return needs;
}

function nextTask(view: View): string | null {
  const needs = readNeeds(current(view, stateKeys.needs));
  const done = new Set(readNames(current(view, stateKeys.done)));
  if (current(view, stateKeys.tired) === "yes") {
    const pause = view.commands.find((command) => /^(?:pause|rest)$/.test(command.form));
    if (pause !== undefined) return pause.form;
  }
  const useful = neededFor(current(view, stateKeys.wanted), needs);
  for (const command of view.commands) {
    const named = slotOf(command, "word");
    if (named === null || !named.slot.words.some((word) => needs.has(word))) continue;
    const next = [...needs].find(
      ([task, after]) => useful.has(task) && !done.has(task) && after.every((one) => done.has(one)),
    )?.[0];
    return next === undefined ? null : fill(command, { [named.name]: next });
  }
  return null;
}

/** A task and everything that it awaits, directly or not; all tasks where no single one is wanted. */
function neededFor(wanted: string | null, needs: ReadonlyMap<string, readonly string[]>): Set<string> {
  if (wanted === null || !needs.has(wanted)) return new Set(needs.keys());
  const found = new Set([wanted]);
  for (const task of found) for (const one of needs.get(task) ?? []) found.add(one);
  return found;
}
