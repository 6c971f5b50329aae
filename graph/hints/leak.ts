/** The leak check of hints: whether a hint gives an answer or a hidden value away. */

/** What a hint is held against. */
export interface HintSubject {
  /** `solution()` of several seeds, as admission reports them; games list bare commands, tool use raw calls. */
  readonly solutions: readonly { readonly seed: number; readonly actions: readonly string[] }[];
  /** First observations the player sees: what they state is no secret. At least one, if there is one. */
  readonly firstObservations?: readonly string[];
  readonly source: string;
}

/** Null if nothing leaks, otherwise the sentence for the rewrite. It never repeats the hidden value itself. */
export function hintLeak(hint: string, _subject: HintSubject): string | null {
  if (/```/.test(hint)) return "It holds a code block; say it in words.";
  return null;
}
