/** What is wrong with a hint: empty, too long, or a leak. The sentence goes back to whoever wrote it. */
import { hintWords } from "../prompts/hint.ts";
import { type HintSubject, hintLeak } from "./leak.ts";

/** For hints that are long without having many words. */
const hintCharacters = 2_000;

/**
 * Null if the hint can be used, otherwise one sentence that says what to change. `hint` is what `cleanHint` leaves.
 */
export function hintProblem(hint: string, subject: HintSubject): string | null {
  const words = hint.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  if (words === 0) return "The answer holds no hint.";
  if (hint.length > hintCharacters) {
    return `The hint has ${hint.length} characters; at most ${hintCharacters} are allowed.`;
  }
  if (words > hintWords) return `The hint has ${words} words; at most ${hintWords} are allowed.`;
  return hintLeak(hint, subject);
}
