/**
 * Leaks as a whole: solutions of any length that stand in the observation one token after the other, from a place
 * that fixed patterns find (`Path: up, up, left`).
 */
import { Document, findReader, readPlace } from "./fixed-patterns.ts";
import { type Instance, type Leak, leakShare, mostPass, Tokens } from "./leak-instances.ts";
import { type Grain, isPunctuation } from "./leak-tokens.ts";

/** What is skipped between the tokens of a sequence, besides punctuation. */
interface Reading {
  readonly grain: Grain;
  /** The numbers of a numbered list. */
  readonly numbers: boolean;
  /** Words that every action has, such as `move`: the observation may list the rest alone. */
  readonly words: ReadonlySet<string>;
}

const linkWords = new Set(["then", "and", "to"]);

export function sequenceLeak(all: readonly Tokens[], grain: Grain): Leak | null {
  const everywhere = tokensOfEveryAction(all);
  const digits = all.some(({ solution }) => solution.some((token) => /\p{N}/u.test(token)));
  for (const words of everywhere.size > 0 ? [new Set<string>(), everywhere] : [everywhere]) {
    for (const numbers of digits ? [false] : [false, true]) {
      const leak = leakOf(all, { grain, numbers, words });
      if (leak !== null) return leak;
    }
  }
  return null;
}

function leakOf(all: readonly Tokens[], reading: Reading): Leak | null {
  const enough = all.length * leakShare;
  const sequences = all.map(({ solution }) => compress(solution, reading));
  if (sequences.filter(({ length }) => length >= 2).length < enough) return null;
  const isThere = ({ observation, written }: Tokens, i: number) => {
    const sequence = sequences[i] ?? [];
    // Cheap, and most sequences end here.
    if (!sequence.every((token) => written.has(token))) return false;
    return contains(compress(observation, reading), sequence);
  };
  if (!mostPass(all, isThere)) return null;
  const documents = all.map((tokens) => documentOf(tokens, reading));
  const reader = findReader(
    documents,
    documents.map((document, i) => startsOf(document, sequences[i] ?? [])),
  );
  const seeds = all.filter((_, i) => reader.reads[i]).map(({ instance }) => instance.seed);
  const shown = reader.reads.indexOf(true);
  const document = documents[shown];
  const at = document === undefined ? null : readPlace(document, reader.patterns);
  if (document === undefined || at === null || seeds.length < enough) return null;
  const reads = (instance: Instance) => {
    const tokens = new Tokens(instance, reading.grain);
    const other = documentOf(tokens, reading);
    const start = readPlace(other, reader.patterns);
    return start !== null && startsOf(other, compress(tokens.solution, reading)).has(start);
  };
  const example = {
    seed: all[shown]?.instance.seed ?? 0,
    context: document.tokens.slice(Math.max(0, at - 3), at).join(" "),
    value: (sequences[shown] ?? []).join(" "),
  };
  return { seeds, example, reads };
}

function documentOf({ raw, observation }: Tokens, reading: Reading): Document {
  return new Document(
    raw.filter((_, i) => isKept(observation[i] ?? "", reading)),
    compress(observation, reading),
  );
}

function compress(tokens: readonly string[], reading: Reading): string[] {
  return tokens.filter((token) => isKept(token, reading));
}

function isKept(token: string, { numbers, words }: Reading): boolean {
  if (isPunctuation(token) || linkWords.has(token) || words.has(token)) return false;
  return !(numbers && /^\p{N}+$/u.test(token));
}

function contains(text: readonly string[], sequence: readonly string[]): boolean {
  return sequence.length > 0 && ` ${text.join(" ")} `.includes(` ${sequence.join(" ")} `);
}

function tokensOfEveryAction(all: readonly Tokens[]): ReadonlySet<string> {
  let common: readonly string[] | null = null;
  for (const { solution } of all) {
    for (let start = 0; start <= solution.length; ) {
      const next = solution.indexOf("\n", start);
      const end = next < 0 ? solution.length : next;
      const action = solution.slice(start, end);
      common = (common ?? action).filter((token) => action.includes(token));
      if (common.length === 0) return new Set();
      start = end + 1;
    }
  }
  return new Set(common);
}

function startsOf(document: Document, sequence: readonly string[]): Set<number> {
  const starts = new Set<number>();
  if (sequence.length === 0) return starts;
  for (const at of document.placesOf(sequence[0] ?? "")) {
    if (sequence.every((value, i) => document.tokens[at + i] === value)) starts.add(at);
  }
  return starts;
}
