/** What a player is told without any hint: nothing of that can leak. */
import type { Move } from "./moves.ts";
import { findWords, withParts, wordsOf } from "./words.ts";

export interface Stated {
  /** Whether the word, or a word that has it as a part, is told. */
  has(word: string): boolean;
  /** Whether these words stand together in what is told. */
  together(words: readonly string[]): boolean;
  /** Whether the number is the middle of a range of ten or more that is told: advice to bisect may name it. */
  isMiddle(word: string): boolean;
}

/**
 * What the first observations and the definitions of the tools say. Without an observation the sentences in the
 * source stand in for it.
 */
export function statedTo(
  firstObservations: readonly string[],
  source: string,
  moves: readonly Move[],
): Stated {
  const texts = firstObservations.some((text) => text.trim() !== "") ? firstObservations : prose(source);
  const passages = [...texts, ...toolTexts(source)].map(wordsOf);
  const told = new Set([...passages.flat(), ...moves.flatMap((move) => move.told)].flatMap(withParts));
  const middles = new Set(texts.flatMap(middlesOf));
  return {
    has: (word) => told.has(word),
    together: (words) => passages.some((passage) => findWords(passage, words, 0) >= 0),
    isMiddle: (word) => middles.has(word),
  };
}

/** The contents of the string literals of a source, JavaScript or Python. */
export function stringLiterals(source: string): string[] {
  return [...source.matchAll(literal)].map((match) => match[0].slice(1, -1));
}

/** A source without its string literals. */
export function withoutStrings(source: string): string {
  return source.replace(literal, "");
}

const literal = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g;

function prose(source: string): string[] {
  return stringLiterals(source).filter((text) => text.trim().split(/\s+/).length >= 4);
}

/** The literals in the definitions of the tools: names, descriptions, enumerations. */
function toolTexts(source: string): string[] {
  const start = /^[ \t]*(?:def[ \t]+get_tools\b|tools[ \t]*\([ \t]*\)[ \t]*\{)/m.exec(source);
  if (start === null) return [];
  const indent = /^[ \t]*/.exec(start[0])?.[0] ?? "";
  const rest = source.slice(start.index + start[0].length);
  // The method ends where the next member of the class begins, at the same indentation.
  const end = new RegExp(`\\n${indent}(?=[\\w#@*]|$)`).exec(rest);
  return stringLiterals(end === null ? rest : rest.slice(0, end.index));
}

function middlesOf(text: string): string[] {
  const ranges = text.matchAll(/(\d+)\s*(?:to|and|through|-|–|—|\.{2,3}|…)\s*(\d+)/g);
  return [...ranges].flatMap((range) => {
    const [low, high] = [Number(range[1]), Number(range[2])];
    if (high - low < 9) return [];
    const middle = (low + high) / 2;
    return [String(Math.floor(middle)), String(Math.ceil(middle))];
  });
}
