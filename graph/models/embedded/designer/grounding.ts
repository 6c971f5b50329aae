/** Grounding: what of a document and a brief the designer's choices are conditioned on. */
import { keyedRandom, keyedSeed } from "../../../../config/random.ts";
import { mechanics } from "../mechanics/mechanics.ts";
import { contentWords, numbersOf } from "../mechanics/theme.ts";

/** Buckets that the words of documents are hashed to. */
export const themeBuckets = 32;
/** Buckets of one document that count: those with the most of its words. */
const bucketsShown = 3;
/** Words of a document that count: its most frequent ones. */
const wordsRead = 16;
/** Half the range of the logits that a bucket gives to a choice before any learning. */
const themeSpread = 0.7;

export interface Grounding {
  /** E.g. `theme=7`; none without a document. */
  readonly themes: readonly string[];
  /** `topic=trading` for the mechanics that the document's words call for, at most two. */
  readonly topics: readonly string[];
  /** `numbers=2`: the first number of the document, folded to four classes. */
  readonly numbers: readonly string[];
  /** `brief=trading`, `brief=small`, … for what the brief asks for. */
  readonly wishes: readonly string[];
}

/** The features of a document and a brief. */
export function groundingOf(document: string, brief: string): Grounding {
  const words = contentWords(document, wordsRead);
  const counts = new Map<number, number>();
  for (const word of words) {
    const bucket = keyedSeed("theme", word) % themeBuckets;
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  const [first] = numbersOf(document);
  return {
    themes: [...counts]
      .sort((a, b) => b[1] - a[1])
      .slice(0, bucketsShown)
      .map(([bucket]) => `theme=${bucket}`),
    topics: calledFor(document, 2).map((name) => `topic=${name}`),
    numbers: first === undefined ? [] : [`numbers=${first % 4}`],
    wishes: [...calledFor(brief, 2), ...sizesIn(brief)].map((wish) => `brief=${wish}`),
  };
}

/** The mechanics whose topic words a text uses most. */
function calledFor(text: string, most: number): string[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  const counted = mechanics
    .filter((mechanic) => !mechanic.heldOut)
    .map(({ name, topics }) => {
      const wanted = new Set([...topics, ...name.split("-")].flatMap((word) => [word, `${word}s`]));
      return { name, hits: words.filter((word) => wanted.has(word)).length };
    });
  return counted
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits)
    .slice(0, most)
    .map(({ name }) => name);
}

const sizeWords: readonly (readonly [wish: string, words: RegExp])[] = [
  ["small", /\b(easy|easier|simple|small|short|gentle|beginner|beginners)\b/i],
  ["large", /\b(hard|harder|difficult|large|big|long|challenging|complex)\b/i],
  ["tight", /\b(tight|few turns|strict|efficient)\b/i],
  ["generous", /\b(generous|many turns|relaxed|forgiving)\b/i],
  ["plain", /\b(plain|clean|no distractors|without distractors)\b/i],
];

function sizesIn(brief: string): string[] {
  return sizeWords.filter(([, words]) => words.test(brief)).map(([wish]) => wish);
}

const leanings = new Map<string, number>();

/**
 * What a theme bucket says for an option before any learning: a fixed draw in ± 0.7, so that documents differ in what
 * is made of them from the first round on, and learning can add to it.
 */
export function leaning(site: string, theme: string, option: string): number {
  const key = `${site}|${theme}|${option}`;
  const known = leanings.get(key);
  if (known !== undefined) return known;
  const drawn = themeSpread * (2 * keyedRandom("leaning", key).next() - 1);
  leanings.set(key, drawn);
  return drawn;
}
