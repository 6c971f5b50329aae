/** Eliminating meanings: each word wants one command all the time, so that what was wrong for it once stays wrong. */
import { results, stateKeys } from "../../mechanics/conventions.ts";
import { fill, readAction, slotOf } from "../commands.ts";
import { latest, resultOf, type View } from "../view.ts";

export function eliminateWords(view: View): string | null {
  const word = latest(view).state.get(stateKeys.word);
  if (word === undefined) return null;
  for (const command of view.commands) {
    const named = slotOf(command, "word");
    if (named === null) continue;
    const right = new Map<string, string>();
    const wrong = new Set<string>();
    for (const [i, moment] of view.moments.entries()) {
      const asked = view.moments[i - 1]?.state.get(stateKeys.word);
      const given = readAction(command, moment.action)?.[named.name];
      if (asked === undefined || given === undefined) continue;
      if (resultOf(moment).startsWith(results.right)) right.set(asked, given);
      else if (asked === word && resultOf(moment).startsWith(results.wrong)) wrong.add(given);
    }
    const oneEach = view.rules.includes("no two words for the same");
    const taken = new Set(oneEach ? right.values() : []);
    const choice = right.get(word) ?? named.slot.words.find((deed) => !wrong.has(deed) && !taken.has(deed));
    if (choice !== undefined) return fill(command, { [named.name]: choice });
  }
  return null;
}
