/** Eliminating codes: sequences of symbols, of which replies count those in place and those elsewhere. */
import { results } from "../../mechanics/conventions.ts";
import { fill, readAction, slotOf } from "../commands.ts";
import { presentPart, resultOf, type View } from "../view.ts";

/** Symbols tried and codes found in one turn at most. */
const maxLooks = 30_000;
const maxCodes = 2_000;

interface Reply {
  readonly code: readonly string[];
  readonly inPlace: number;
  /** Null where replies don't tell. */
  readonly elsewhere: number | null;
}

export function eliminateCodes(view: View): string | null {
  for (const command of view.commands) {
    const named = slotOf(command, "code");
    if (named === null) continue;
    const { length, words } = named.slot;
    const replies = presentPart(view)
      .slice(1)
      .flatMap((moment) => {
        const code = readAction(command, moment.action)?.[named.name]?.split(/[\s,]+/);
        const said = resultOf(moment);
        const inPlace = countBefore(said, results.inPlace);
        return code === undefined || inPlace === null
          ? []
          : [{ code, inPlace, elsewhere: countBefore(said, results.elsewhere) }];
      });
    const distinct = /all different|no symbol twice|without repetition/.test(view.rules);
    const left = consistentCodes(length, words, distinct, replies);
    // One out of the middle says more than the first, which repeats its first symbol most.
    const code = left[Math.floor(left.length * 0.62)];
    if (code !== undefined) return fill(command, { [named.name]: code.join(" ") });
  }
  return null;
}

function countBefore(text: string, phrase: string): number | null {
  const match = new RegExp(`(\\d+) ${phrase}`).exec(text);
  return match === null ? null : Number(match[1]);
}

/**
 * The codes that would have got every reply that was given, found symbol by symbol; of a very large number only some.
 * Each place tries its symbols from another start, so that even those some differ.
 */
export function consistentCodes(
  length: number,
  words: readonly string[],
  distinct: boolean,
  replies: readonly Reply[],
): (readonly string[])[] {
  const found: (readonly string[])[] = [];
  const code: string[] = [];
  const matched = replies.map(() => 0);
  let looked = 0;
  const extend = (): void => {
    const place = code.length;
    if (place === length) {
      if (replies.every((reply, i) => matched[i] === reply.inPlace && fitsElsewhere(code, reply))) {
        found.push([...code]);
      }
      return;
    }
    for (let i = 0; i < words.length; i += 1) {
      const symbol = words[(i + place) % words.length] ?? "";
      if (distinct && code.includes(symbol)) continue;
      looked += 1;
      if (looked > maxLooks || found.length >= maxCodes) return;
      let possible = true;
      for (const [r, reply] of replies.entries()) {
        const now = (matched[r] ?? 0) + (reply.code[place] === symbol ? 1 : 0);
        if (now > reply.inPlace || now + length - place - 1 < reply.inPlace) possible = false;
      }
      if (!possible) continue;
      for (const [r, reply] of replies.entries()) {
        if (reply.code[place] === symbol) matched[r] = (matched[r] ?? 0) + 1;
      }
      code.push(symbol);
      extend();
      code.pop();
      for (const [r, reply] of replies.entries()) {
        if (reply.code[place] === symbol) matched[r] = (matched[r] ?? 0) - 1;
      }
    }
  };
  if (words.length > 0 && length > 0 && length <= 64) extend();
  return found;
}

function fitsElsewhere(secret: readonly string[], { code, inPlace, elsewhere }: Reply): boolean {
  if (elsewhere === null) return true;
  const rest = [...secret];
  let shared = 0;
  for (const symbol of code) {
    const at = rest.indexOf(symbol);
    if (at < 0) continue;
    rest.splice(at, 1);
    shared += 1;
  }
  return shared - inPlace === elsewhere;
}
