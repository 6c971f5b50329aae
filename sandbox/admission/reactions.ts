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
    const { bare: known } = this.#reader.read(before);
    for (const { written, bare } of this.#reader.read(observation).lines) {
      if (bare === "" || known.has(bare)) continue;
      this.#lines.add(bare);
      this.#lines.add(withoutNumbers(withoutPhrases(written, phrases)));
    }
  }

  /** Whether an answer says nothing, but what was said before, that nonsense does not bring up too. */
  covers(before: string, observation: string, action: string): boolean {
    const known = this.#reader.read(before);
    let phrases: readonly string[] | null = null;
    for (const { written, bare } of this.#reader.read(observation).lines) {
      if (bare === "" || this.#lines.has(bare) || known.bare.has(bare)) continue;
      phrases ??= echoPhrases(action);
      if (!this.#lines.has(withoutNumbers(withoutPhrases(written, phrases)))) return false;
    }
    return true;
  }
}

interface Line {
  readonly written: string;
  /** Without its numbers. */
  readonly bare: string;
}

/** An observation in lines. */
class ReadText {
  readonly text: string;
  readonly lines: readonly Line[];
  #bare: ReadonlySet<string> | null = null;

  constructor(text: string, lines: readonly Line[]) {
    this.text = text;
    this.lines = lines;
  }

  /** Its lines without their numbers. */
  get bare(): ReadonlySet<string> {
    this.#bare ??= new Set(this.lines.map(({ bare }) => bare));
    return this.#bare;
  }
}

/** Reads observations line by line, each line once: they come back in observation after observation. */
class LineReader {
  readonly #lines = new Map<string, Line>();
  /** What follows an observation is compared with it, so that each is asked for twice in a row. */
  #latest = new ReadText("", []);
  #former = this.#latest;

  read(text: string): ReadText {
    if (text === this.#latest.text) return this.#latest;
    if (text === this.#former.text) return this.#former;
    const lines = start(text)
      .split("\n")
      .map((line) => this.#line(line));
    this.#former = this.#latest;
    this.#latest = new ReadText(text, lines);
    return this.#latest;
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
