/**
 * What the policy sees of a text: the distinct words of the first observation and of the hint, hashed to 2,048
 * features. Words of a hint are features of their own, so that what a word means in a hint can differ from what it
 * means in the rules.
 */

/** Features there are. */
export const featureCount = 2_048;

/** A text that a model could be shown is bounded; reading more than this of it would only cost time. */
const readCharacters = 16_000;

/** A sparse vector over the features; `indices` ascend, and each part's values have a Euclidean length of about 1. */
export interface Features {
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

/** A first observation and its hint apart; `hint` is null where there is none. */
export interface Opening {
  readonly observation: string;
  readonly hint: string | null;
}

/** Splits what a player saw first into the observation and the hint that was put after it (graph/prompts/agent.ts). */
export function splitHint(firstObservation: string): Opening {
  const text = firstObservation.trimEnd();
  const end = "\n</hint>";
  const start = text.lastIndexOf("<hint>\n");
  if (start < 0 || !text.endsWith(end)) return { observation: firstObservation, hint: null };
  const hint = text.slice(
    start + "<hint>\n".length,
    Math.max(start + "<hint>\n".length, text.length - end.length),
  );
  return { observation: text.slice(0, start).trimEnd(), hint };
}

const functionWords = new Set(
  "a an and are as at be by can do for from has have if in is it its no not of on or so than that the then there they this to was what when which who will with you your".split(
    " ",
  ),
);

/** The distinct words of a text that say something, in lower case, in order of appearance. */
export function wordsOf(text: string): string[] {
  const words = new Set<string>();
  for (const [word] of text
    .slice(0, readCharacters)
    .toLowerCase()
    .matchAll(/[a-z]{2,}/g)) {
    if (!functionWords.has(word)) words.add(word);
  }
  return [...words];
}

/** Chosen so that no two words that the prior knows (agent/prior.ts) share a feature, nor one with a plain word of a hint. */
const salt = "8426";

/** The feature of a word in the rules (`observation`) or in a hint: FNV-1a, folded to 11 bits. */
export function featureOf(part: "observation" | "hint", word: string): number {
  let hash = 0x811c_9dc5;
  for (const character of part === "hint" ? `${salt}hint:${word}` : salt + word) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x0100_0193) >>> 0;
  }
  return ((hash ^ (hash >>> 11) ^ (hash >>> 22)) >>> 0) % featureCount;
}

/**
 * The features of a first observation as a player saw it, hint included. A word's value is 1/√n, n being the number
 * of distinct words of its part, so that neither a long text nor a short hint drowns the other.
 */
export function featuresOf(firstObservation: string): Features {
  const { observation, hint } = splitHint(firstObservation);
  const sum = new Map<number, number>();
  const add = (part: "observation" | "hint", text: string): void => {
    const words = wordsOf(text);
    const value = 1 / Math.sqrt(Math.max(1, words.length));
    for (const word of words) {
      const feature = featureOf(part, word);
      sum.set(feature, (sum.get(feature) ?? 0) + value);
    }
  };
  add("observation", observation);
  if (hint !== null) add("hint", hint);
  const indices = [...sum.keys()].sort((a, b) => a - b);
  return { indices, values: indices.map((index) => sum.get(index) ?? 0) };
}
