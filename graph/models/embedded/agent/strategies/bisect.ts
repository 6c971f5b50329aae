/** Bisect: keep the two ends of what is still possible, name the middle, move one end with every reply. */
import { type Command, results, roles, type Slot, stateKeys } from "../../mechanics/conventions.ts";
import { commandFor, fill, readAction, slotOf } from "../commands.ts";
import { type Moment, presentPart, resultOf, type View } from "../view.ts";

type NumberSlot = Extract<Slot, { kind: "number" }>;

const anyOf = (words: readonly string[]): RegExp => new RegExp(`\\b(?:${words.join("|")})\\b`);
const lowWords = anyOf([...results.low, "higher", "larger", "bigger", "greater", "above", "too small"]);
const highWords = anyOf([...results.high, "lower", "smaller", "less", "below", "too large", "too big"]);
const equalWords = anyOf(["even", "equal", "exactly", "correct", "just right"]);

export function bisect(view: View): string | null {
  const takesNumber = (command: Command): boolean => slotOf(command, "number") !== null;
  const decide = commandFor(view, [roles.decides], takesNumber);
  const ask =
    commandFor(view, [roles.asks], takesNumber) ??
    view.commands.find((command) => takesNumber(command) && command !== decide) ??
    decide;
  if (ask === null) return null;
  const named = slotOf(ask, "number");
  if (named === null) return null;
  const part = presentPart(view);
  let [low, high] = startOf(part, named.slot);
  const by = named.slot.by;
  for (const moment of part.slice(1)) {
    const value = namedIn([ask, decide], moment);
    if (value === null) continue;
    const said = resultOf(moment);
    if (equalWords.test(said)) [low, high] = [value, value];
    else if (lowWords.test(said)) low = Math.max(low, value + by);
    else if (highWords.test(said)) high = Math.min(high, value - by);
  }
  if (low > high) return null;
  const middle = low + by * Math.floor((high - low) / by / 2);
  const command = low === high && decide !== null ? decide : ask;
  const slot = slotOf(command, "number");
  const next = slot === null ? null : fill(command, { [slot.name]: middle });
  // A reply that moved neither end was not understood.
  return next === part.at(-1)?.action ? null : next;
}

/** The ends at the start of the part: those of its `Range` line, or else of the slot. */
function startOf(part: readonly Moment[], slot: NumberSlot): [number, number] {
  const match = /(-?\d+) to (-?\d+)/.exec(part[0]?.state.get(stateKeys.range) ?? "");
  return match === null ? [slot.from, slot.to] : [Number(match[1]), Number(match[2])];
}

function namedIn(commands: readonly (Command | null)[], moment: Moment): number | null {
  for (const command of commands) {
    if (command === null) continue;
    const values = readAction(command, moment.action);
    const value = Number(Object.values(values ?? {}).at(-1) ?? Number.NaN);
    if (Number.isFinite(value)) return value;
  }
  return null;
}
