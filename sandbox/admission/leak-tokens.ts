/** Tokens of observations and solutions, at several grains, so that a value is found however it is written. */

/**
 * `words`: `key_3` is one token. `runs`: `r2c5` is four. `digits`: every digit is a token, words stay whole.
 * `characters`: every letter and digit is a token.
 */
export const grains = ["words", "runs", "digits", "characters"] as const;
export type Grain = (typeof grains)[number];

const patterns: Readonly<Record<Grain, RegExp>> = {
  words: /[\p{L}\p{N}_]+|\n|[^\s\p{L}\p{N}_]/gu,
  runs: /\p{L}+|\p{N}+|\n|[^\s\p{L}\p{N}]/gu,
  digits: /\p{L}+|\p{N}|\n|[^\s\p{L}\p{N}]/gu,
  characters: /\p{L}|\p{N}|\n|[^\s\p{L}\p{N}]/gu,
};

/** A number written as a word is the same value. */
const numberWords = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve"
    .split(" ")
    .map((word, value) => [word, String(value)]),
);
const longestNumberWord = 6;

/** The tokens of a text as they are written; line ends are tokens, other white space is not. */
export function rawTokens(text: string, grain: Grain): string[] {
  // A thousands separator is notation: 1,200 and 1200 are one value.
  return text.replace(/(\d),(?=\d{3}(?!\d))/g, "$1").match(patterns[grain]) ?? [];
}

/** What a token is compared by. */
export function normal(token: string): string {
  const lower = token.toLowerCase();
  if (lower.length < 3 || lower.length > longestNumberWord) return lower;
  return numberWords.get(lower) ?? lower;
}

export function isPunctuation(token: string): boolean {
  // Tokens are all letters and digits, or one character that is neither.
  if (token.length > 2) return false;
  const first = token.charCodeAt(0);
  return first < 128 ? !isAsciiLetterOrDigit(first) : !/[\p{L}\p{N}]/u.test(token);
}

function isAsciiLetterOrDigit(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
}

/** How a token looks, as a pattern could ask for it (`the only 4-digit number`); null if it looks like any word. */
export function shapesOf(token: string): string[] {
  if (/^\p{N}+$/u.test(token)) return ["<number>", `<number of ${token.length}>`];
  if (/\p{N}/u.test(token) && /\p{L}/u.test(token)) return ["<code>", `<code of ${token.length}>`];
  if (/^\p{Lu}{2,}$/u.test(token)) return ["<capitals>"];
  return /^\p{Lu}\p{Ll}+$/u.test(token) ? ["<Name>"] : [];
}
