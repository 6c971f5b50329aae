/** Recall: listen until everything was given, then say it back piece by piece in the order that is asked for. */
import { results, roles, stateKeys } from "../../mechanics/conventions.ts";
import { commandFor, fill, slotOf } from "../commands.ts";
import { current, latest, readCount, readNames, resultOf, type View } from "../view.ts";

export function recall(view: View): string | null {
  const phase = latest(view).state.get(stateKeys.phase);
  if (phase === undefined) return null;
  if (phase === "listen") return commandFor(view, [roles.waits])?.form ?? null;
  // A phase between the two is named after the command that ends it.
  if (phase !== "repeat") return view.commands.find((command) => command.form === phase)?.form ?? null;
  const speak = view.commands.find((command) => slotOf(command, "word") !== null);
  const slot = speak === undefined ? null : slotOf(speak, "word");
  if (speak === undefined || slot === null) return null;
  const pieces = heardPieces(view);
  const due = current(view, stateKeys.order) === "backward" ? pieces.reverse() : pieces;
  const said = readCount(current(view, stateKeys.progress))?.done ?? saidInARow(view);
  const piece = due[said];
  return piece === undefined ? null : fill(speak, { [slot.name]: piece });
}

/** What was given, in order, without what is to be left out. */
function heardPieces(view: View): string[] {
  const skipped = new Set(readNames(current(view, stateKeys.skip)));
  return view.moments
    .map(resultOf)
    .filter((result) => result.startsWith(`${results.heard} `))
    .flatMap((result) => readNames(result.slice(results.heard.length + 1)))
    .filter((piece) => !skipped.has(piece));
}

function saidInARow(view: View): number {
  let count = 0;
  for (const moment of view.moments) {
    const result = resultOf(moment);
    if (result.startsWith(results.right)) count += 1;
    else if (result.startsWith(results.wrong)) count = 0;
  }
  return count;
}
