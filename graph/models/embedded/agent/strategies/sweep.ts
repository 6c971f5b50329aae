/** Sweep: go through every spot in order, none twice, mend what is found, and report when nothing is left. */
import { results, roles, stateKeys } from "../../mechanics/conventions.ts";
import { commandFor, countOf, fill, readAction, slotOf } from "../commands.ts";
import { current, latest, presentPart, readNames, resultOf, type View } from "../view.ts";
import { sweepTools } from "./sweep-tools.ts";

export function sweep(view: View): string | null {
  if (view.kind === "tool-use") return sweepTools(view);
  const found = resultOf(latest(view)).startsWith(results.found);
  const mend = commandFor(view, [roles.mends]);
  if (found && mend !== null) return mend.form;
  const check =
    commandFor(view, [roles.asks], (command) => slotOf(command, "number") !== null) ??
    view.commands.find(
      (command) => slotOf(command, "number") !== null && !command.description.includes(roles.decides),
    );
  const spot = check === undefined ? null : slotOf(check, "number");
  if (check === undefined || spot === null) return sweepWords(view);
  const part = presentPart(view);
  const done = new Set(readNames(current(view, stateKeys.done)).map(Number));
  for (const moment of part.slice(1)) {
    const value = readAction(check, moment.action)?.[spot.name];
    if (value !== undefined) done.add(Number(value));
  }
  const { from, by } = spot.slot;
  for (let i = 0; i < countOf(spot.slot) && i <= done.size; i += 1) {
    if (!done.has(from + by * i)) return fill(check, { [spot.name]: from + by * i });
  }
  return report(view);
}

/** Says how many were found, once all was seen. */
function report(view: View): string | null {
  const command = commandFor(view, [roles.decides, roles.finishes]);
  if (command === null) return null;
  const slot = slotOf(command, "number");
  const counted = view.moments.filter((moment) => resultOf(moment).startsWith(results.found)).length;
  const found = Number(current(view, stateKeys.found) ?? counted);
  return slot === null ? command.form : fill(command, { [slot.name]: found });
}

/** The same over the words of a command that can lose nothing, where no command takes a number. */
function sweepWords(view: View): string | null {
  for (const command of view.commands) {
    const named = slotOf(command, "word");
    if (named === null || command.description.includes(roles.decides)) continue;
    const done = new Set(
      presentPart(view)
        .slice(1)
        .map((moment) => readAction(command, moment.action)?.[named.name]),
    );
    const next = named.slot.words.find((word) => !done.has(word));
    if (next !== undefined) return fill(command, { [named.name]: next });
  }
  return null;
}
