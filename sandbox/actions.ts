/**
 * The two action formats, from text to what `step` receives: `\boxed{…}` for games, `<tool_call>` and `<answer>` for
 * tool use. The agent's text, a person's input and `solution()` all pass through here, so no one has a private format.
 */
import type { EnvironmentKind } from "../config/words.ts";

/** The last balanced `\boxed{…}` of a text, without the wrapper; null if there is none. */
export function lastBoxed(text: string): string | null {
  const opening = "\\boxed{";
  for (let at = text.lastIndexOf(opening); at >= 0; at = at === 0 ? -1 : text.lastIndexOf(opening, at - 1)) {
    const start = at + opening.length;
    let depth = 1;
    for (let i = start; i < text.length; i += 1) {
      if (text[i] === "{") depth += 1;
      else if (text[i] === "}") depth -= 1;
      if (depth === 0) return text.slice(start, i).trim();
    }
  }
  return null;
}

/** A bare command (a line of a game's `solution()`, a person's input) in the format `step` receives. Idempotent. */
export function wrapAction(kind: EnvironmentKind, action: string): string {
  if (kind === "tool-use") return action;
  return lastBoxed(action) === null ? `\\boxed{${action}}` : action;
}

/**
 * What of an agent's text reaches `step`. Games: the last boxed action alone. Tool use: the last tool call or answer
 * alone. A text with neither is passed on whole, so that the environment can say what it expected.
 */
export function actionOf(kind: EnvironmentKind, text: string): string {
  if (kind === "game") {
    const boxed = lastBoxed(text);
    return boxed === null ? text : `\\boxed{${boxed}}`;
  }
  const calls = [...text.matchAll(/<tool_call>[\s\S]*?<\/tool_call>|<answer>[\s\S]*?<\/answer>/g)];
  return calls.at(-1)?.[0] ?? text;
}
