/** Follow the trend: what moved goes on moving until a sign of turning; be in before a rise and out before a fall. */
import { roles, stateKeys } from "../../mechanics/conventions.ts";
import { commandFor, fill, slotOf } from "../commands.ts";
import { current, latest, readCount, type View } from "../view.ts";

/** `+2`, or the moves of several goods, `rope +2; lamp -1`. */
function readMoves(text: string | undefined): Map<string, number> {
  const moves = new Map<string, number>();
  for (const match of (text ?? "").matchAll(/(?:([A-Za-z_]+) )?([+-]?\d+)/g)) {
    moves.set(match[1] ?? "", Number(match[2]));
  }
  return moves;
}

export function trend(view: View): string | null {
  const { state } = latest(view);
  const worth = readCount(current(view, stateKeys.worth));
  const finish = commandFor(view, [roles.finishes]);
  if (worth !== null && worth.done >= worth.all && finish !== null) return finish.form;
  const moves = readMoves(state.get(stateKeys.change));
  if (moves.size === 0) return null;
  const turns = (state.get(stateKeys.signal) ?? "calm").startsWith("turn") ? -1 : 1;
  const expected = [...moves].map(([good, move]) => ({ good, move: move * turns }));
  const best = expected.sort((a, b) => b.move - a.move)[0];
  const enter = commandFor(view, [roles.enters]);
  const leave = commandFor(view, [roles.leaves]);
  const wait = commandFor(view, [roles.waits]);
  const stance = state.get(stateKeys.stance);
  if (best !== undefined && best.move > 0) {
    if (stance === "in" && wait !== null) return wait.form;
    if (enter === null) return null;
    const slot = slotOf(enter, "word");
    return slot === null ? enter.form : fill(enter, { [slot.name]: best.good });
  }
  return (stance === "out" && wait !== null ? wait : (leave ?? wait))?.form ?? null;
}
