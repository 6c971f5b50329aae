/**
 * Toggle and observe: work each switch once, note which lamps it changes, and then work the set of switches that adds
 * up to what is wanted (linear algebra over two values).
 */
import { roles, stateKeys } from "../../mechanics/conventions.ts";
import { commandFor, fill, readAction, slotOf } from "../commands.ts";
import { current, type View } from "../view.ts";

/** Which lamps are on, as bits; null where a text shows no lamps. */
function readLamps(text: string | null | undefined): readonly boolean[] | null {
  const words = (text ?? "").split(/[\s,]+/).filter((word) => word !== "");
  return words.length > 0 && words.every((word) => word === "on" || word === "off")
    ? words.map((word) => word === "on")
    : null;
}

export function toggle(view: View): string | null {
  const lamps = readLamps(current(view, stateKeys.lamps));
  if (lamps === null) return null;
  const wanted = readLamps(current(view, stateKeys.wanted)) ?? lamps.map(() => true);
  const missing = lamps.map((lamp, i) => lamp !== (wanted[i] ?? true));
  if (!missing.includes(true)) return commandFor(view, [roles.finishes])?.form ?? null;
  const press = view.commands.find(
    (command) => slotOf(command, "word") !== null || slotOf(command, "number") !== null,
  );
  if (press === undefined) return null;
  const word = slotOf(press, "word");
  const number = slotOf(press, "number");
  const name = word?.name ?? number?.name ?? "";
  const all =
    word?.slot.words ??
    (number === null
      ? []
      : Array.from({ length: number.slot.to - number.slot.from + 1 }, (_, i) =>
          String(number.slot.from + i),
        ));
  const effects = new Map<string, readonly boolean[]>();
  for (const [i, moment] of view.moments.entries()) {
    const pressed = readAction(press, moment.action)?.[name];
    const before = readLamps(view.moments[i - 1]?.state.get(stateKeys.lamps));
    const after = readLamps(moment.state.get(stateKeys.lamps));
    if (pressed === undefined || before === null || after === null) continue;
    effects.set(
      pressed,
      after.map((lamp, lampIndex) => lamp !== before[lampIndex]),
    );
  }
  const known = [...effects];
  const solution = combine(
    known.map(([, effect]) => effect),
    missing,
  );
  const useful =
    solution === null
      ? all.filter((one) => !effects.has(one))
      : known.filter((_, i) => solution[i]).map(([one]) => one);
  // Some mechanisms do not bear the same switch twice in a row.
  const last = readAction(press, view.moments.at(-1)?.action ?? null)?.[name];
  const next = useful.find((one) => one !== last) ?? all.find((one) => one !== last) ?? useful[0];
  return next === undefined ? null : fill(press, { [name]: next });
}

/** Which of the effects add up to `wanted` (each at most once, modulo two); null if none do. Gaussian elimination. */
export function combine(
  effects: readonly (readonly boolean[])[],
  wanted: readonly boolean[],
): readonly boolean[] | null {
  const rows = wanted.map((goal, lamp) => [...effects.map((effect) => effect[lamp] ?? false), goal]);
  const pivots: number[] = [];
  let top = 0;
  for (let column = 0; column < effects.length && top < rows.length; column += 1) {
    const found = rows.findIndex((row, i) => i >= top && row[column] === true);
    if (found < 0) continue;
    const pivot = rows[found] ?? [];
    rows[found] = rows[top] ?? [];
    rows[top] = pivot;
    for (const [i, row] of rows.entries()) {
      if (i !== top && row[column] === true) rows[i] = row.map((bit, c) => bit !== (pivot[c] ?? false));
    }
    pivots[top] = column;
    top += 1;
  }
  if (rows.slice(top).some((row) => row.at(-1) === true)) return null;
  const chosen = effects.map(() => false);
  for (const [row, column] of pivots.entries()) chosen[column] = rows[row]?.at(-1) ?? false;
  return chosen;
}
