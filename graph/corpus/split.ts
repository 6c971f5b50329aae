/** A text cut into pieces that fit a prompt: at paragraphs where it can be, else at lines, sentences and words. */

/**
 * The text as it is kept: Unix line ends, no control characters, no trailing blanks, at most one empty line in a row,
 * well-formed Unicode.
 */
export function tidyText(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/^\ufeff/, "")
      .replace(/\r\n?|[\u2028\u2029]/g, "\n")
      .replace(/\f/g, "\n\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
      .replace(/[\u0000-\u0008\u000b\u000e-\u001f\u007f]/g, "")
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .replace(/^\n+/, "")
      .trimEnd()
  );
}

/** Whether there is a letter or a digit in it. */
export function hasText(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/**
 * `text` (tidied) in pieces of at most `limit` characters (UTF-16 units, at least 2), about equally long, so that no
 * piece is a mere remainder. Nothing but white space at the cuts is lost. Pieces without text are left out.
 */
export function splitText(text: string, limit: number): string[] {
  if (text.length <= limit) return hasText(text) ? [text] : [];
  const target = text.length / Math.ceil(text.length / limit);
  const pieces: string[] = [];
  let piece = "";
  for (const paragraph of text.split("\n\n")) {
    for (const part of breakLong(paragraph, limit)) {
      if (piece === "") piece = part;
      else if (piece.length < target && piece.length + 2 + part.length <= limit) piece += `\n\n${part}`;
      else {
        pieces.push(piece);
        piece = part;
      }
    }
  }
  pieces.push(piece);
  return pieces.filter(hasText);
}

function breakLong(paragraph: string, limit: number): string[] {
  const parts: string[] = [];
  let rest = paragraph;
  while (rest.length > limit) {
    const at = breakPoint(rest, limit);
    parts.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  parts.push(rest);
  return parts.filter((part) => part !== "");
}

/** Where to cut: behind the last line end, sentence end or blank in the second half of the first `limit` characters. */
function breakPoint(text: string, limit: number): number {
  const from = Math.floor(limit / 2);
  const half = text.slice(from, limit);
  const line = half.lastIndexOf("\n");
  if (line >= 0) return from + line + 1;
  let sentence = -1;
  for (const match of half.matchAll(/[.!?…。！？]["')\]]?\s/g)) sentence = match.index + match[0].length;
  if (sentence >= 0) return from + sentence;
  const blank = /\s(?=\S*$)/.exec(half);
  if (blank !== null) return from + blank.index + 1;
  return /[\ud800-\udbff]/.test(text[limit - 1] ?? "") ? limit - 1 : limit;
}
