/**
 * Fixed patterns: ways to find a place in a text that do not depend on the seed. A pattern is an anchor that every
 * text has (a token, two tokens in a row, the start, the end, a shape such as `number`), which of its occurrences,
 * counted from the start or the end, and how many tokens lie between it and the place.
 */
import { shapesOf } from "./leak-tokens.ts";

export interface FixedPattern {
  readonly anchor: string;
  /** 0 = the first occurrence, −1 = the last. */
  readonly occurrence: number;
  /** Tokens from the anchor to the place. */
  readonly offset: number;
}

/** A text in which places can be found: its tokens, and where every anchor stands. */
export class Document {
  /** What the tokens are compared by. */
  readonly tokens: readonly string[];
  readonly #raw: readonly string[];
  /** Where each token stands, made when first asked: most documents are put aside before anybody asks. */
  #places: ReadonlyMap<string, readonly number[]> | null = null;
  /** The same for pairs and shapes, of which few are asked for. */
  readonly #others = new Map<string, readonly number[]>();

  /** `raw` are tokens as they are written, `tokens` what each is compared by. */
  constructor(raw: readonly string[], tokens: readonly string[]) {
    this.#raw = raw;
    this.tokens = tokens;
  }

  #tokenPlaces(): ReadonlyMap<string, readonly number[]> {
    if (this.#places !== null) return this.#places;
    const places = new Map<string, number[]>([
      ["<start>", [-1]],
      ["<end>", [this.tokens.length]],
    ]);
    this.tokens.forEach((token, at) => {
      const known = places.get(token);
      if (known === undefined) places.set(token, [at]);
      else known.push(at);
    });
    this.#places = places;
    return places;
  }

  /** Where an anchor stands, in ascending order. */
  #standsAt(anchor: string): readonly number[] {
    const places = this.#tokenPlaces().get(anchor) ?? this.#others.get(anchor);
    if (places !== undefined) return places;
    const gap = anchor.indexOf(" ");
    // No token has a space in it, and none but these a bracket and more.
    const found =
      gap >= 0
        ? this.#standsAt(anchor.slice(gap + 1)).filter((at) => this.#isAfter(anchor, gap, at))
        : anchor.length > 1 && anchor.startsWith("<")
          ? [...this.#raw.keys()].filter((at) => shapesOf(this.#raw[at] ?? "").includes(anchor))
          : [];
    this.#others.set(anchor, found);
    return found;
  }

  #isAfter(pair: string, gap: number, at: number): boolean {
    const before = this.tokens[at - 1];
    return before !== undefined && before.length === gap && pair.startsWith(before);
  }

  /** Where a token stands. */
  placesOf(token: string): ReadonlySet<number> {
    return new Set(this.#tokenPlaces().get(token));
  }

  /** Where a pattern leads, null if the text has no such anchor or ends before the place. */
  find({ anchor, occurrence, offset }: FixedPattern): number | null {
    const anchored = this.#standsAt(anchor).at(occurrence);
    if (anchored === undefined) return null;
    const at = anchored + offset;
    return at >= 0 && at < this.tokens.length ? at : null;
  }

  /** Every pattern that leads to a place. Anchors further away than `reach` tokens are left out. */
  *patternsTo(at: number, reach: number): Generator<FixedPattern> {
    yield* this.#from("<start>", -1, at);
    yield* this.#from("<end>", this.tokens.length, at);
    for (const shape of shapesOf(this.#raw[at] ?? "")) yield* this.#from(shape, at, at);
    for (let distance = 1; distance <= reach; distance += 1) {
      for (const place of [at - distance, at + distance]) {
        const token = this.tokens[place];
        if (token === undefined) continue;
        yield* this.#from(token, place, at);
        // A pair that contains the value itself would be no fixed anchor.
        const before = this.tokens[place - 1];
        if (before !== undefined && place - 1 !== at) yield* this.#from(`${before} ${token}`, place, at);
      }
    }
  }

  *#from(anchor: string, place: number, at: number): Generator<FixedPattern> {
    const places = this.#standsAt(anchor);
    const index = indexOfSorted(places, place);
    if (index < 0) return;
    yield { anchor, occurrence: index, offset: at - place };
    yield { anchor, occurrence: index - places.length, offset: at - place };
  }
}

/** Where a number stands in an ascending list; −1 if it doesn't. */
function indexOfSorted(list: readonly number[], wanted: number): number {
  let low = 0;
  let high = list.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = list[middle] ?? 0;
    if (value === wanted) return middle;
    if (value < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Patterns that together lead to the right places, in the order in which they are to be tried. */
export interface Reader {
  readonly patterns: readonly FixedPattern[];
  /** For each document, whether the patterns lead to one of its right places. */
  readonly reads: readonly boolean[];
}

/** Where the patterns lead: the first one that finds its anchor decides. */
export function readPlace(document: Document, patterns: readonly FixedPattern[]): number | null {
  for (const pattern of patterns) {
    const at = document.find(pattern);
    if (at !== null) return at;
  }
  return null;
}

const reachTokens = 24;
const occurrencesTried = 6;
/** A pattern of which one in ten readings is wrong still tells the answer. */
const precision = 0.9;
const fewestDocuments = 4;
const patternsAtMost = 4;

/**
 * Looks for fixed patterns that lead, in each document, to one of its right places. Phrasings that change with the
 * seed are covered by several patterns, each of which must be right nearly wherever it finds its anchor.
 * `rightPlaces[i]` are token positions in `documents[i]`.
 */
export function findReader(
  documents: readonly Document[],
  rightPlaces: readonly ReadonlySet<number>[],
): Reader {
  const patterns: FixedPattern[] = [];
  const covered = documents.map(() => false);
  const tried = new Set<number>();
  const enough = Math.min(fewestDocuments, documents.length);
  while (patterns.length < patternsAtMost && tried.size < 2 * patternsAtMost) {
    const reference = covered.findIndex((done, i) => !done && !tried.has(i));
    const document = documents[reference];
    if (document === undefined) break;
    tried.add(reference);
    const best = bestPattern(document, rightPlaces[reference] ?? new Set(), documents, rightPlaces, enough);
    if (best === null) continue;
    patterns.push(best);
    documents.forEach((other, i) => {
      const at = readPlace(other, patterns);
      covered[i] = at !== null && (rightPlaces[i]?.has(at) ?? false);
    });
  }
  return { patterns, reads: covered };
}

function bestPattern(
  reference: Document,
  places: ReadonlySet<number>,
  documents: readonly Document[],
  rightPlaces: readonly ReadonlySet<number>[],
  enough: number,
): FixedPattern | null {
  let best: FixedPattern | null = null;
  let bestRight = enough - 1;
  for (const at of firstAndLast([...places])) {
    for (const pattern of reference.patternsTo(at, reachTokens)) {
      const right = rightReadings(pattern, documents, rightPlaces);
      if (right > bestRight) {
        best = pattern;
        bestRight = right;
        if (right === documents.length) return best;
      }
    }
  }
  return best;
}

function firstAndLast(places: number[]): number[] {
  if (places.length <= occurrencesTried) return places;
  const half = occurrencesTried / 2;
  return [...places.slice(0, half), ...places.slice(-half)];
}

/** In how many documents a pattern reads right; 0 as soon as it is wrong too often. */
function rightReadings(
  pattern: FixedPattern,
  documents: readonly Document[],
  rightPlaces: readonly ReadonlySet<number>[],
): number {
  const wrongAllowed = Math.floor(documents.length * (1 - precision));
  let right = 0;
  let wrong = 0;
  for (let i = 0; i < documents.length; i += 1) {
    const at = documents[i]?.find(pattern) ?? null;
    if (at === null) continue;
    if (rightPlaces[i]?.has(at)) right += 1;
    else wrong += 1;
    if (wrong > wrongAllowed) return 0;
  }
  return wrong <= right * (1 - precision) * 1.2 ? right : 0;
}
