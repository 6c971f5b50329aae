/** Follow the trend: what moved goes on moving until a sign of turning; be in before a rise and out before a fall. */
import { type Command, roles, stateKeys } from "../../mechanics/conventions.ts";
import { commandFor, fill, readAction, slotOf } from "../commands.ts";
import { current, latest, readCount, type View } from "../view.ts";

/** `+2`, or the moves of several goods, `rope +2; lamp -1`. */
function readMoves(text: string | undefined): Map<string, number> {
  const moves = new Map<string, number>();
  for (const match of (text ?? "").matchAll(/(?:([A-Za-z_]+) )?([+-]?\d+)/g)) {
    moves.set(match[1] ?? "", Number(match[2]));
  }
  return moves;
}

/** The last move of each good; without a `Change` line, that of the one price which is shown. */
function movesOf(view: View): Map<string, number> {
  const shown = readMoves(latest(view).state.get(stateKeys.change));
  if (shown.size > 0) return shown;
  const prices = view.moments
    .map((moment) => Number(moment.state.get(stateKeys.price) ?? Number.NaN))
    .filter(Number.isFinite);
  const [before, now] = prices.slice(-2);
  return before === undefined || now === undefined ? new Map() : new Map([["", now - before]]);
}

/** The command of a role, or of a verb where no description names the role. */
function verbFor(view: View, role: string, verbs: RegExp): Command | null {
  return commandFor(view, [role]) ?? view.commands.find((command) => verbs.test(command.form)) ?? null;
}

export function trend(view: View): string | null {
  const worth = readCount(current(view, stateKeys.worth));
  const finish = commandFor(view, [roles.finishes]);
  if (worth !== null && worth.done >= worth.all && finish !== null) return finish.form;
  const enter = verbFor(view, roles.enters, /^(?:buy|join|enter|invest)\b/);
  const leave = verbFor(view, roles.leaves, /^(?:sell|quit|leave|exit)\b/);
  const wait = verbFor(view, roles.waits, /^(?:wait|hold|pass|skip)\b/);
  if (enter === null || leave === null) return null;
  const moves = movesOf(view);
  // One price has to be seen twice before it has a direction.
  if (moves.size === 0) return current(view, stateKeys.price) === null ? null : (wait?.form ?? null);
  const { state } = latest(view);
  const turns = (state.get(stateKeys.signal) ?? "calm").startsWith("turn") ? -1 : 1;
  const expected = [...moves].map(([good, move]) => ({ good, move: move * turns }));
  const best = expected.sort((a, b) => b.move - a.move)[0];
  const stance = state.get(stateKeys.stance) ?? stanceByDeeds(view, enter, leave);
  if (best !== undefined && best.move > 0) {
    if (stance === "in" && wait !== null) return wait.form;
    const slot = slotOf(enter, "word");
    return slot === null ? enter.form : fill(enter, { [slot.name]: best.good });
  }
  return (stance === "out" && wait !== null ? wait : leave).form;
}

/** In or out, by what was done last; out at the beginning. */
function stanceByDeeds(view: View, enter: Command, leave: Command): string {
  const deed = view.moments.findLast(
    ({ action }) => readAction(enter, action) !== null || readAction(leave, action) !== null,
  );
  return deed !== undefined && readAction(enter, deed.action) !== null ? "in" : "out";
}
