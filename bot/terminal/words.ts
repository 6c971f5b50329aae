/** A typed line as words: spaces separate them, quotes hold them together, a backslash takes the next character as it is. */

export interface Word {
  readonly text: string;
  /** Where it begins in the line. */
  readonly start: number;
  /** Whether a quote in it was never closed. */
  readonly open: boolean;
}

/** The words of a line. `brief:"a game"` is one word, `brief:a game`. */
export function wordsOf(line: string): readonly Word[] {
  const words: Word[] = [];
  let text = "";
  let start = -1;
  let quote = "";
  const begin = (at: number): void => {
    if (start < 0) start = at;
  };
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === "\\" && quote !== "'" && at + 1 < line.length) {
      begin(at);
      at += 1;
      text += line.charAt(at);
    } else if (quote !== "") {
      if (character === quote) quote = "";
      else text += character;
    } else if (/\s/.test(character)) {
      if (start >= 0) words.push({ text, start, open: false });
      text = "";
      start = -1;
    } else if (character === '"' || (character === "'" && (start < 0 || text.endsWith(":")))) {
      // Within a word it is an apostrophe.
      begin(at);
      quote = character;
    } else {
      begin(at);
      text += character;
    }
  }
  if (start >= 0) words.push({ text, start, open: quote !== "" });
  return words;
}

/** A value as it has to be typed. */
export function typed(value: string): string {
  return /^[^\s"'\\]+$/.test(value)
    ? value
    : `"${value.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;
}
