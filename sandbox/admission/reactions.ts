/**
 * Reactions: what an environment says to an action, apart from what it says anyway. Two reactions are the same if they
 * differ in nothing but the echo of what was done.
 */

/** The lines of an observation that were not in the one before, with numbers and the action's echo left out. */
export function reactionKey(before: string, observation: string, action: string): string {
  const known = new Set(before.split("\n").map(withoutNumbers));
  const phrases = echoPhrases(action);
  const lines = observation
    .split("\n")
    .map((line) => withoutNumbers(withoutPhrases(line, phrases)))
    .filter((line) => line !== "" && !known.has(line));
  return [...new Set(lines)].join("\n");
}

function withoutNumbers(line: string): string {
  return line
    .toLowerCase()
    .replace(/\d+(?:\.\d+)?/g, "#")
    .replace(/\s+/g, " ")
    .trim();
}

const echoMark = "⟦echo⟧";

/** The ways in which an action is likely to be quoted, the longest first. */
function echoPhrases(action: string): string[] {
  const bare = bareOf(action);
  const rest = bare.replace(/^\S+\s+/, "");
  const values = /<tool_call>/.test(action)
    ? [...action.matchAll(/"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?)/g)].map(
        (match) => match[1] ?? match[2] ?? "",
      )
    : [];
  const phrases = [action, bare, rest, ...values].map((phrase) => phrase.trim().toLowerCase());
  return [...new Set(phrases)].filter((phrase) => phrase.length > 0).sort((a, b) => b.length - a.length);
}

function bareOf(action: string): string {
  return action.replace(/^\\boxed\{([\s\S]*)\}$/, "$1").replace(/<\/?(?:tool_call|answer)>/g, "");
}

function withoutPhrases(text: string, phrases: readonly string[]): string {
  let left = text.toLowerCase();
  for (const phrase of phrases) {
    let at = left.indexOf(phrase);
    while (at >= 0) {
      const end = at + phrase.length;
      if (isApart(left, at, end)) left = `${left.slice(0, at)}${echoMark}${left.slice(end)}`;
      at = left.indexOf(phrase, at + echoMark.length);
    }
  }
  return left;
}

/** Whether a phrase stands by itself: `3` in `13` is no echo of `3`. */
function isApart(text: string, start: number, end: number): boolean {
  const word = /[\p{L}\p{N}]/u;
  return !word.test(text.slice(start - 1, start)) && !word.test(text.slice(end, end + 1));
}

/**
 * Whether two observations say the same, except for the echo of the actions that led to them. Words are compared one
 * by one: where they differ, each must come from its own actions (a quoted value, its length).
 */
export function sameButForEcho(
  a: { readonly observation: string; readonly actions: readonly string[] },
  b: { readonly observation: string; readonly actions: readonly string[] },
): boolean {
  const left = echoTokens(a.observation, a.actions);
  const right = echoTokens(b.observation, b.actions);
  if (left.tokens.length !== right.tokens.length) {
    // Echoes of several words shift what follows: compare what is left without them.
    return left.rest() === right.rest();
  }
  return left.tokens.every((token, i) => {
    const other = right.tokens[i] ?? "";
    return token === other || (left.isEcho(token) && right.isEcho(other));
  });
}

function echoTokens(observation: string, actions: readonly string[]) {
  const echoes = new Set([echoMark]);
  let text = observation;
  for (const action of actions.toReversed()) {
    const phrases = echoPhrases(action);
    text = withoutPhrases(text, phrases);
    for (const phrase of phrases) {
      echoes.add(String(phrase.length));
      for (const word of phrase.match(wordsOf) ?? []) echoes.add(word);
    }
  }
  const tokens = text.toLowerCase().match(wordsOf) ?? [];
  const isEcho = (token: string) => echoes.has(token);
  return { tokens, isEcho, rest: () => tokens.filter((token) => !isEcho(token)).join(" ") };
}

const wordsOf = /⟦echo⟧|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;
