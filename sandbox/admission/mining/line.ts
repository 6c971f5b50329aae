/**
 * What a random player can read off one line of an observation: what it offers, and which values stand in it. Lines
 * come back in observation after observation, so each is read once, and only as far as somebody asks.
 */

const itemAtMost = 120;

export class MinedLine {
  /** With every run of white space as one space: patterns that allow for some of it are slow on more. */
  readonly text: string;
  #quoted: readonly string[] | null = null;
  #listed: readonly string[] | null = null;
  #commands: CommandsInLine | null = null;
  #names: NamesInLine | null = null;
  #numbers: readonly number[] | null = null;

  constructor(written: string) {
    this.text = written.replace(/\s+/g, " ");
  }

  /** What stands in quotation marks. */
  get quoted(): readonly string[] {
    this.#quoted ??= quotedIn(this.text);
    return this.#quoted;
  }

  /** `Commands: go north, go south` and `- open door: opens it` and `2) pear`. */
  get listed(): readonly string[] {
    this.#listed ??= listedIn(this.text);
    return this.#listed;
  }

  /** What of it could be a command. */
  get commands(): CommandsInLine {
    this.#commands ??= {
      quoted: this.quoted.filter(couldBeCommand),
      listed: this.listed.filter(couldBeCommand),
      spoken: spokenIn(this.text).filter(couldBeCommand),
    };
    return this.#commands;
  }

  /** Whether what it begins to say goes on in the next line. */
  get speaksOn(): boolean {
    return cueAtEnd.test(this.text);
  }

  get names(): NamesInLine {
    this.#names ??= namesIn(this.text);
    return this.#names;
  }

  get numbers(): readonly number[] {
    this.#numbers ??= numbersIn(this.text);
    return this.#numbers;
  }
}

export interface CommandsInLine {
  readonly quoted: readonly string[];
  readonly listed: readonly string[];
  readonly spoken: readonly string[];
}

export function couldBeCommand(text: string): boolean {
  return text !== "" && text.length <= 60 && text.split(" ").length <= 6;
}

const cue =
  /\b(?:commands?|actions?|moves?|options?|choices?|choose|pick|available|legal|valid|allowed|exits?|type|say|enter|reply|answer|respond|use|try|format|example|e\.g\.|you (?:can|may)|one of|items?|here|to|by|with)\b[^:\n]{0,60}:\s*(.+)$/i;

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

const speakers =
  "(?:you (?:can|may|must|could)|please|then|either|commands? (?:are|is)|choose(?: from| between)?|pick|answer|reply with|say)";
const speech = new RegExp(`\\b${speakers}\\s+([^.!?\\n:]{2,120})`, "gi");
const cueAtEnd = new RegExp(`\\b${speakers}\\s*$`, "i");

/**
 * `You can go north, south or east.`: every item also with the verb of the first. In a line, or in a whole text in which
 * a line speaks on in the next.
 */
export function spokenIn(text: string): string[] {
  const found: string[] = [];
  for (const match of text.matchAll(speech)) {
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

export interface NamesInLine {
  readonly codes: readonly string[];
  /** Capitalised words within a sentence. */
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  /** A capitalised word at its beginning: within a sentence if the line before goes on in this one. */
  readonly first: string | null;
  /** Whether a sentence goes on in the next line. */
  readonly goesOn: boolean;
}

function namesIn(text: string): NamesInLine {
  const found = text.match(/[\w\u00c0-\uffff@#.+-]+/g) ?? [];
  const tokens = found.filter((token) => token.length <= itemAtMost);
  const codes = tokens.filter((token) => /\d/.test(token) && /[A-Za-z\u00c0-\uffff]/.test(token));
  const names = text.match(/(?<=[\p{L}\p{N},;:]\s)\p{Lu}[\p{L}\p{N}_-]+/gu) ?? [];
  const addresses = tokens.filter((token) => /\w@\w/.test(token));
  const first = /^\p{Lu}[\p{L}\p{N}_-]+/u.exec(text)?.[0] ?? null;
  return {
    codes: codes.map(withoutEnd),
    names: names.map(withoutEnd),
    addresses: addresses.map(withoutEnd),
    first: first === null ? null : withoutEnd(first),
    goesOn: /[\p{L}\p{N},;:]$/u.test(text),
  };
}

function withoutEnd(value: string): string {
  return value.replace(/[._-]+$/, "");
}

function numbersIn(text: string): number[] {
  const written = text.match(/(?<![\p{L}\p{N}.])-?\d{1,12}(?:\.\d{1,6})?(?![\p{L}\p{N}])/gu) ?? [];
  return written.map(Number);
}
