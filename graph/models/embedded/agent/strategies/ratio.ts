/** Greedy by ratio: of what can still be had, take what gives most for its cost, and end the work once it is enough. */
import { roles, stateKeys } from "../../mechanics/conventions.ts";
import { commandFor, fill, slotOf } from "../commands.ts";
import { current, readCount, type View } from "../view.ts";

interface Item {
  readonly name: string;
  readonly cost: number;
  readonly worth: number;
}

/** `rope [cost 3, worth 12]; lamp [cost 5, worth 9]`. */
function readItems(text: string | null): Item[] {
  return (text ?? "").split(";").flatMap((part) => {
    const name = /^\s*([^[]+?)\s*\[/.exec(part)?.[1];
    const cost = Number(/(?:cost|weight|price|size) (-?[\d.]+)/.exec(part)?.[1] ?? Number.NaN);
    const worth = Number(/(?:worth|value|gain|profit) (-?[\d.]+)/.exec(part)?.[1] ?? Number.NaN);
    return name === undefined || Number.isNaN(cost) || Number.isNaN(worth) ? [] : [{ name, cost, worth }];
  });
}

export function ratio(view: View): string | null {
  const worth = readCount(current(view, stateKeys.worth));
  const enough = worth !== null && worth.done >= worth.all;
  const finish = commandFor(view, [roles.finishes]);
  if (enough && finish !== null) return finish.form;
  const take = commandFor(view, [roles.takes], (command) => slotOf(command, "word") !== null);
  if (take === null) return null;
  const left = Number(current(view, stateKeys.left) ?? Number.POSITIVE_INFINITY);
  const items = readItems(current(view, stateKeys.items)).filter((item) => item.cost <= left);
  const best = items.sort((a, b) => b.worth / b.cost - a.worth / a.cost)[0];
  const slot = slotOf(take, "word");
  if (best === undefined || slot === null) return null;
  return fill(take, { [slot.name]: best.name });
}
