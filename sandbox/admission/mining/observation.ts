/**
 * What a random player can read off an observation: the commands it offers, with blanks where a value goes, and the
 * values that could fill them. Generous on purpose: a player that misses the legal commands would prove nothing.
 */

/** A command as text and blanks; a blank says what the observation calls it, and its choices if it names them. */
export type CommandPart = string | Blank;
export interface Blank {
  readonly label: string;
  /** Empty: any value of the observation. */
  readonly choices: readonly string[];
  /** Whole numbers from low to high; null if the observation gives no range. */
  readonly range: Range | null;
}
export interface Range {
  readonly low: number;
  readonly high: number;
}

export interface Command {
  /** Its first word, lower case; empty if it begins with a blank. */
  readonly head: string;
  readonly parts: readonly CommandPart[];
}

const commandsAtMost = 60;
const valuesAtMost = 80;
const textAtMost = 8_000;
const itemAtMost = 120;

/** One observation, read as far as somebody asks; only its first 8,000 characters count. */
export class Mined {
  readonly #text: string;
  #quoted: readonly string[] | null = null;
  #listed: readonly string[] | null = null;
  #commands: readonly Command[] | null = null;
  #words: readonly string[] | null = null;
  #numbers: readonly number[] | null = null;

  constructor(observation: string) {
    // Runs of white space make patterns that allow for some of it slow.
    this.#text = observation.slice(0, textAtMost).replace(/[^\S\n]+/g, " ");
  }

  get commands(): readonly Command[] {
    if (this.#commands === null) {
      const ranges = rangesOf(this.#text);
      const written = new Set([...this.#quotes(), ...this.#lists(), ...spokenIn(this.#text)]);
      this.#commands = [...written]
        .filter(couldBeCommand)
        .slice(0, commandsAtMost)
        .map((command) => commandOf(command, ranges));
    }
    return this.#commands;
  }

  /** Words, names and codes that stand out: quoted, listed, capitalised, or with digits in them. */
  get words(): readonly string[] {
    this.#words ??= [
      ...new Set([...this.#quotes(), ...this.#lists().flatMap(lastWords), ...namesIn(this.#text)]),
    ]
      .filter((value) => value.length <= 40 && !/[<>{}[\]]/.test(value))
      .slice(0, valuesAtMost);
    return this.#words;
  }

  get numbers(): readonly number[] {
    this.#numbers ??= numbersOf(this.#text).slice(0, valuesAtMost);
    return this.#numbers;
  }

  #quotes(): readonly string[] {
    this.#quoted ??= quotedIn(this.#text);
    return this.#quoted;
  }

  #lists(): readonly string[] {
    this.#listed ??= this.#text.split("\n").flatMap(listedIn);
    return this.#listed;
  }
}

const cue =
  /\b(?:commands?|actions?|moves?|options?|choices?|choose|pick|available|legal|valid|allowed|exits?|type|say|enter|reply|answer|respond|use|try|format|example|e\.g\.|you (?:can|may)|one of|items?|here|to|by|with)\b[^:\n]{0,60}:\s*(.+)$/i;

/** `Commands: go north, go south` and `- open door: opens it` and `2) pear`. */
function listedIn(line: string): string[] {
  const bullet = /^\s*(?:[-*•·]|\(?(\d{1,3}|[A-Za-z])[.):])\s+(.+)$/.exec(line);
  const found: string[] = [];
  if (bullet !== null) {
    if (bullet[1] !== undefined) found.push(bullet[1]);
    const head = clean((bullet[2] ?? "").split(/\s*(?::|—|–| - |\s\(|=)\s*/)[0] ?? "");
    found.push(head, ...split(head));
  }
  const list = cue.exec(line)?.[1];
  if (list !== undefined) found.push(...split(list));
  else if (/^[^:]{1,30}:\s/.test(line)) found.push(...split(line.slice(line.indexOf(":") + 1)));
  return found;
}

/** `You can go north, south or east.`: every item also with the verb of the first. */
function spokenIn(text: string): string[] {
  const found: string[] = [];
  for (const match of text.matchAll(
    /\b(?:you (?:can|may|must|could)|please|then|either|commands? (?:are|is)|choose(?: from| between)?|pick|answer|reply with|say)\s+([^.!?\n:]{2,120})/gi,
  )) {
    const items = split(match[1] ?? "");
    const verb = /^(\p{L}+)\s/u.exec(items[0] ?? "")?.[1];
    found.push(...items);
    if (verb !== undefined) found.push(...items.slice(1).map((item) => `${verb} ${item}`));
  }
  return found;
}

function quotedIn(text: string): string[] {
  const found: string[] = [];
  const marks =
    /\\boxed\{([^{}\n]{1,60})\}|`([^`\n]{1,60})`|"([^"\n]{1,60})"|“([^”\n]{1,60})”|«([^»\n]{1,60})»|(?<![\p{L}\p{N}])'([^'\n]{1,60})'(?!\p{L})/gu;
  for (const match of text.matchAll(marks)) {
    const inside = match.slice(1).find((part) => part !== undefined);
    if (inside !== undefined) found.push(clean(inside));
  }
  return found;
}

/** Cuts a list at commas, bars and conjunctions, not inside brackets; a slash between single words separates too. */
function split(list: string): string[] {
  const kept: string[] = [];
  const keep = (inside: string) => `\ue000${kept.push(inside) - 1}\ue001`;
  const restore = (item: string) =>
    item.replace(/\ue000(\d+)\ue001/g, (_, index) => kept[Number(index)] ?? "");
  return list
    .replace(/<[^<>\n]*>|\[[^[\]\n]*\]|\{[^{}\n]*\}/g, keep)
    .replace(/\.\s.*$/, "")
    .split(/\s*(?:,|;|\||\s\/\s|(?<=\p{L})\/(?=\p{L})|\bor\b|\band\b)\s*/u)
    .map((item) => clean(restore(item)))
    .filter((item) => item !== "");
}

function clean(item: string): string {
  return item
    .slice(0, itemAtMost)
    .replace(/\\boxed\{([^{}]*)\}/g, "$1")
    .replace(/^[\s"'`“”«(*_-]+|[\s"'`“”».,;:!?)*_-]+$/g, "")
    .replace(/\s+/g, " ");
}

function couldBeCommand(text: string): boolean {
  return text !== "" && text.length <= 60 && text.split(" ").length <= 6;
}

function lastWords(item: string): string[] {
  const words = item.split(" ");
  return [item, words.at(-1) ?? ""].filter((word) => /[\p{L}\p{N}]/u.test(word));
}

/** Codes, capitalised words within a sentence, addresses. */
function namesIn(text: string): string[] {
  const found = text.match(/[\w\u00c0-\uffff@#.+-]+/g) ?? [];
  const tokens = found.filter((token) => token.length <= itemAtMost);
  const codes = tokens.filter((token) => /\d/.test(token) && /[A-Za-z\u00c0-\uffff]/.test(token));
  const names = text.match(/(?<=[\p{L}\p{N},;:]\s)\p{Lu}[\p{L}\p{N}_-]+/gu) ?? [];
  const mails = tokens.filter((token) => /\w@\w/.test(token));
  return [...codes, ...names, ...mails].map((value) => value.replace(/[._-]+$/, ""));
}

function numbersOf(text: string): number[] {
  const written = text.match(/(?<![\p{L}\p{N}.])-?\d{1,12}(?:\.\d{1,6})?(?![\p{L}\p{N}])/gu) ?? [];
  return [...new Set(written.map(Number))];
}

function rangesOf(text: string): Range[] {
  const found: Range[] = [];
  for (const match of text.matchAll(/(-?\d{1,9})\s*(?:to|and|through|up to|[-–—]|\.\.\.?)\s*(-?\d{1,9})/g)) {
    const low = Number(match[1]);
    const high = Number(match[2]);
    if (low < high) found.push({ low, high });
  }
  return found.slice(0, 12);
}

/** `<n>`, `[item]`, `{place}`, `N`, `ITEM`, `#`, `left|right` inside brackets. */
const blank =
  /<([^<>\n]{1,40})>|\[([^[\]\n]{1,40})\]|\{([^{}\n]{1,40})\}|\b([A-Z]{2,}|[NMKXYZ])\b|(#|_{2,}|\?{1,3}|…|\.\.\.)/g;

function commandOf(command: string, ranges: readonly Range[]): Command {
  const parts = partsOf(command, ranges);
  const [first] = parts;
  return { head: typeof first === "string" ? headOf(first) : "", parts };
}

/** The first word of a command, lower case. */
export function headOf(command: string): string {
  return (command.match(/[\p{L}\p{N}_]+/u)?.[0] ?? "").toLowerCase();
}

function partsOf(command: string, ranges: readonly Range[]): CommandPart[] {
  const parts: CommandPart[] = [];
  let end = 0;
  for (const match of command.matchAll(blank)) {
    const label = match.slice(1).find((part) => part !== undefined) ?? "";
    // A command that is one word in capitals is a command, not a blank.
    if (match[0] === command && match[4] !== undefined) continue;
    if (match.index > end) parts.push(command.slice(end, match.index));
    parts.push(blankOf(label, ranges));
    end = match.index + match[0].length;
  }
  if (end < command.length) parts.push(command.slice(end));
  return parts;
}

function blankOf(label: string, ranges: readonly Range[]): Blank {
  const choices = label.split(/\s*[|/]\s*/).filter((choice) => choice !== "");
  const own = rangesOf(label)[0] ?? null;
  if (choices.length > 1) return { label, choices, range: null };
  return { label, choices: [], range: own ?? (isNumeric(label) ? (ranges[0] ?? null) : null) };
}

/** Whether a blank asks for a number. */
export function isNumeric(label: string): boolean {
  return /^(?:n|m|k|x|y|z|#)$|num|count|amount|index|digit|integer|row|col|position|slot|price|quantity|qty|size|steps?|days?|bid|guess|value|coordinate/i.test(
    label,
  );
}
