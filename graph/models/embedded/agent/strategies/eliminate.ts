/** Eliminate: list everything that can be true, strike out what a reply contradicts, and try one of what is left. */
import type { View } from "../view.ts";
import { eliminateCodes } from "./eliminate-codes.ts";
import { eliminateWords } from "./eliminate-words.ts";

export function eliminate(view: View): string | null {
  return eliminateCodes(view) ?? eliminateWords(view);
}
