/**
 * Reactions: what an environment says to an action, apart from what it says anyway. Two reactions are the same if they
 * differ in nothing but the echo of what was done.
 */

/**
 * How an environment answers junk: the lines that nonsense brings up, numbers left out, as they are and without the
 * echo of the action. Either form counts, as an action may be a word that the environment says anyway (`command`).
 */
export class JunkAnswers {
  readonly #lines = new Set<string>();
  readonly #reader = new LineReader();

  /** Learns from an answer to nonsense. */
  learn(before: string, observation: string, action: string): void {
    const phrases = echoPhrases(action);
    for (const { written, bare } of this.#newLines(before, observation)) {
      this.#lines.add(bare);
      this.#lines.add(withoutNumbers(withoutPhrases(written, phrases)));
    }
  }

  /** Whether an answer says nothing that nonsense does not bring up too. */
  covers(before: string, observation: string, action: string): boolean {
    let phrases: readonly string[] | null = null;
    for (const { written, bare } of this.#newLines(before, observation)) {
      if (this.#lines.has(bare)) continue;
      phrases ??= echoPhrases(action);
      if (!this.#lines.has(withoutNumbers(withoutPhrases(written, phrases)))) return false;
    }
    return true;
  }

  /** The lines of an observation that were not in the one before. */
  #newLines(before: string, observation: string): readonly Line[] {
    const { bare: known } = this.#reader.read(before);
    return this.#reader.read(observation).lines.filter(({ bare }) => bare !== "" && !known.has(bare));
  }
}

interface Line {
  readonly written: string;
  /** Without its numbers. */
  readonly bare: string;
}

interface ReadText {
  readonly lines: readonly Line[];
  readonly bare: ReadonlySet<string>;
}

/** Reads observations line by line, each line once: they come back in observation after observation. */
class LineReader {
  readonly #lines = new Map<string, Line>();
  /** What follows an observation is compared with it, so that each is asked for twice in a row. */
  #last: ReadonlyMap<string, ReadText> = new Map();

  read(text: string): ReadText {
    const known = this.#last.get(text);
    if (known !== undefined) return known;
    const lines = start(text)
      .split("\n")
      .map((line) => this.#line(line));
    const read = { lines, bare: new Set(lines.map(({ bare }) => bare)) };
    this.#last = new Map([...[...this.#last].slice(-1), [text, read]]);
    return read;
  }

  #line(written: string): Line {
    const known = this.#lines.get(written);
    if (known !== undefined) return known;
    const line = { written, bare: withoutNumbers(written) };
    if (this.#lines.size < linesRemembered) this.#lines.set(written, line);
    return line;
  }
}

/** An environment may say nothing but new lines. */
const linesRemembered = 4_000;

/** Observations may be very long; what tells reactions apart stands near their start. */
const charactersCompared = 8_000;

function start(text: string): string {
  return text.length <= charactersCompared ? text : text.slice(0, charactersCompared);
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
  return phrases.reduce(withoutPhrase, text.toLowerCase());
}

function withoutPhrase(text: string, phrase: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + phrase.length)) {
    const end = at + phrase.length;
    if (!isApart(text, at, end)) continue;
    pieces.push(text.slice(done, at), echoMark);
    done = end;
  }
  return pieces.length === 0 ? text : pieces.join("") + text.slice(done);
}

/** Whether a phrase stands by itself: `3` in `13` is no echo of `3`. */
function isApart(text: string, start: number, end: number): boolean {
  return !letterOrDigit.test(text.slice(start - 1, start)) && !letterOrDigit.test(text.slice(end, end + 1));
}

const letterOrDigit = /[\p{L}\p{N}]/u;

/** An observation taken apart for comparing, with what the actions before it may have echoed into it. */
export interface Echoing {
  readonly tokens: readonly string[];
  readonly echoes: ReadonlySet<string>;
}

/** Takes an observation apart. `actions` are all of its episode so far: histories echo old ones. */
export function echoing(observation: string, actions: readonly string[]): Echoing {
  const echoes = new Set([echoMark]);
  let text = start(observation);
  for (const action of actions.toReversed()) {
    const phrases = echoPhrases(action);
    text = withoutPhrases(text, phrases);
    for (const phrase of phrases) {
      echoes.add(String(phrase.length));
      for (const word of phrase.match(wordsOf) ?? []) echoes.add(word);
    }
  }
  return { tokens: text.toLowerCase().match(wordsOf) ?? [], echoes };
}

/**
 * Whether two observations say the same, except for the echo of the actions that led to them. Words are compared one
 * by one: where they differ, each must come from its own actions (a quoted value, its length). With `counted`, numbers
 * that are one apart are the same too: a turn or an attempt more may have been counted on one side.
 */
export function sameButForEcho(a: Echoing, b: Echoing, counted = false): boolean {
  if (a.tokens.length !== b.tokens.length) {
    // Echoes of several words shift what follows: compare what is left without them.
    const [left, right] = [withoutEchoes(a), withoutEchoes(b)];
    return left.length === right.length && left.every((token, i) => isSame(token, right[i] ?? "", counted));
  }
  return a.tokens.every((token, i) => {
    const other = b.tokens[i] ?? "";
    return isSame(token, other, counted) || (a.echoes.has(token) && b.echoes.has(other));
  });
}

function isSame(token: string, other: string, counted: boolean): boolean {
  if (token === other) return true;
  return (
    counted && /^\d+$/.test(token) && /^\d+$/.test(other) && Math.abs(Number(token) - Number(other)) === 1
  );
}

function withoutEchoes({ tokens, echoes }: Echoing): string[] {
  return tokens.filter((token) => !echoes.has(token));
}

const wordsOf = /⟦echo⟧|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;
