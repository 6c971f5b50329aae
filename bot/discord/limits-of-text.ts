/** How much a message of Discord holds, and texts cut so that no character is torn. */

export const limits = {
  /** Characters of all text displays of a message together. */
  text: 4_000,
  /** Components of a message, nested ones counted. */
  components: 40,
  buttonsInRow: 5,
  /** Characters of a choice of a completion. */
  choice: 100,
  buttons: 25,
  files: 10,
  fileBytes: 10 * 1024 * 1024,
  /** Bytes of all files of a message together. */
  messageBytes: 24 * 1024 * 1024,
  label: 80,
  customId: 100,
  threadName: 100,
  altText: 1_024,
  mentions: 20,
} as const;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Characters around a cut that are looked at to find whole ones; longer ones are stacks of marks. */
const around = 64;

/** The longest beginning of at most `length` UTF-16 units that ends with a whole character. */
export function headOf(text: string, length: number): string {
  if (text.length <= length) return text;
  if (length <= 0) return "";
  const from = Math.max(0, length - around);
  const index = graphemes.segment(text.slice(from, length + around)).containing(length - from)?.index ?? 0;
  if (index > 0 || from === 0) return text.slice(0, from + index);
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

/** `text` in at most `length` UTF-16 units, ending with "…" if it was longer. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${headOf(text, length - 1)}…`;
}

/**
 * The longest beginning of `text` whose written form has at most `length` characters. Writing may add characters, as
 * escaping does, and never takes any away.
 */
export function longestHead(text: string, length: number, write: (head: string) => string): string {
  if (text.length <= length && write(text).length <= length) return text;
  let fits = 0;
  let tooLong = Math.min(text.length, length) + 1;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (write(headOf(text, middle)).length <= length) fits = middle;
    else tooLong = middle;
  }
  return headOf(text, fits);
}
