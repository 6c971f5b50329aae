/** Lines broken to a width, by what a terminal shows. */
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** Where a word that is too long for a line may be broken: at the humps of a name, after the joints of an id or path. */
const joints = /(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=[-_./:])/u;

/** A word that is too long, broken at its joints as late as the width allows. */
function broken(word: string, width: number): string {
  if (word.length <= width || stringWidth(word) <= width) return word;
  const lines: string[] = [];
  for (const part of word.split(joints)) {
    const last = lines.at(-1);
    if (last !== undefined && stringWidth(last + part) <= width) lines[lines.length - 1] = last + part;
    else lines.push(part);
  }
  return lines.join("\n");
}

/** `text` broken into lines of at most `width` characters: between words, or inside one that is too long. */
export function wrap(text: string, width: number): string {
  const least = Math.max(1, width);
  const words = text.replaceAll(/[^\s]+/g, (word) => broken(word, least));
  return wrapAnsi(words, least, { hard: true, trim: true });
}
