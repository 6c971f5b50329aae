/** Texts as words, so that a hint, a solution and an observation can be compared whatever their punctuation. */

/** The words and numbers of a text in order, in lower case; `P-381`, `get_order` and `12.5` are one word each. */
export function wordsOf(text: string): string[] {
  const joined = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/(\d),(?=\d{3}\b)/g, "$1");
  return (joined.match(/[\p{L}\p{N}]+(?:[._'’-][\p{L}\p{N}]+)*/gu) ?? []).map(canonical);
}

/** A word and its parts: `P-381` is also `p` and `381`. */
export function withParts(word: string): string[] {
  const parts = word.split(/[._'’-]/);
  return parts.length === 1 ? [word] : [word, ...parts];
}

/** Whether a word is big enough to be recognised as a value by itself: 4 characters, or a number of 3 digits. */
export function isSignificant(word: string): boolean {
  const digits = word.replace(/\D/g, "").length;
  return /\p{L}/u.test(word) ? word.length >= 4 && !functionWords.has(word) : digits >= 3;
}

export function isNumber(word: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(word);
}

/**
 * Where `wanted` is found in `words`: the index after its last word, −1 if nowhere. Up to `gap` other words may stand
 * between two of its words; the search starts at `from`.
 */
export function findWords(
  words: readonly string[],
  wanted: readonly string[],
  gap: number,
  from = 0,
): number {
  for (let start = from; start < words.length; start += 1) {
    let at = start;
    let matched = 0;
    for (const word of wanted) {
      const reach = matched === 0 ? at : at + gap;
      while (at <= reach && at < words.length && !isSame(words[at], word)) at += 1;
      if (at > reach || at >= words.length) break;
      matched += 1;
      at += 1;
    }
    if (matched === wanted.length) return at;
  }
  return -1;
}

/** Whether a word of a text is, or has as a part, the word looked for. */
export function isSame(word: string | undefined, wanted: string): boolean {
  if (word === undefined || word === wanted) return word === wanted;
  return word.length > wanted.length && word.includes(wanted) && withParts(word).includes(wanted);
}

/**
 * Values spelled out: runs of three or more single letters, digits or digit names, joined (`7-3-1`, `seven three one`,
 * `X Y Z Z Y`). A hint must not get past the check by spelling.
 */
export function spelledOut(text: string): string[] {
  const marks = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const runs: string[] = [];
  let run: string[] = [];
  for (const mark of [...marks, "|end|"]) {
    const digit = digitNames.indexOf(mark);
    if (digit >= 0 || /^[\p{L}\p{N}]$/u.test(mark)) {
      run.push(digit >= 0 ? String(digit) : mark);
      continue;
    }
    if (run.length >= 3) runs.push(run.join(""));
    run = [];
  }
  return runs;
}

const digitNames = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/** Words that carry an action's grammar and no value. */
const functionWords = new Set(
  "about after again also always another away back been before being below between both down each else even ever every from have here into itself just less like more most much must next none once only onto other over same should since some such than that their them then there these they this those through twice under until upon very what when where which while will with within without your".split(
    " ",
  ),
);

function canonical(word: string): string {
  return /^\d+\.\d*0+$/.test(word) ? word.replace(/\.?0+$/, "") : word;
}
