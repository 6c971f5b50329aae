/** Lines broken to a width, by what a terminal shows. */
import wrapAnsi from "wrap-ansi";

/** `text` broken into lines of at most `width` characters: between words, or inside one that is too long. */
export function wrap(text: string, width: number): string {
  return wrapAnsi(text, Math.max(1, width), { hard: true, trim: true });
}
