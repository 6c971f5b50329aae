/**
 * What a random player can read off an observation: the commands it offers, with blanks where a value goes, and the
 * values that could fill them. Generous on purpose: a player that misses the legal commands would prove nothing.
 */
import { couldBeCommand, MinedLine, type NamesInLine, spokenIn } from "./line.ts";

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
/** Lines and commands that are remembered at most: observations may be made of nothing but new ones. */
const remembered = 4_000;

/** Lines that were read and commands that were taken apart, for all observations of an environment. */
export class Reader {
  readonly #lines = new Map<string, MinedLine>();
  readonly #commands = new Map<string, Command>();

  line(written: string): MinedLine {
    const known = this.#lines.get(written);
    if (known !== undefined) return known;
    const line = new MinedLine(written);
    if (this.#lines.size < remembered) this.#lines.set(written, line);
    return line;
  }

  /** A command as an observation with these ranges means it. */
  command(written: string, ranges: () => readonly Range[]): Command {
    const known = this.#commands.get(written);
    if (known !== undefined) return known;
    let ranged = false;
    const command = commandOf(written, () => {
      ranged = true;
      return ranges();
    });
    if (!ranged && this.#commands.size < remembered) this.#commands.set(written, command);
    return command;
  }
}

/** One observation, read as far as somebody asks; only its first 8,000 characters count. */
export class Mined {
  readonly #text: string;
  readonly #reader: Reader;
  #commands: readonly Command[] | null = null;
  #words: readonly string[] | null = null;
  #numbers: readonly number[] | null = null;

  constructor(observation: string, reader = new Reader()) {
    this.#text = observation.slice(0, textAtMost);
    this.#reader = reader;
  }

  get commands(): readonly Command[] {
    if (this.#commands === null) {
      const lines = this.#lines();
      let ranges: readonly Range[] | null = null;
      const rangesOfAll = () => {
        ranges ??= rangesOf(textOf(lines));
        return ranges;
      };
      const offers = lines.map((line) => line.commands);
      const spoken = lines.some(({ speaksOn }) => speaksOn)
        ? spokenIn(textOf(lines)).filter(couldBeCommand)
        : offers.flatMap((offer) => offer.spoken);
      const found = new Set(offers.flatMap(({ quoted }) => quoted));
      for (const { listed } of offers) for (const command of listed) found.add(command);
      for (const command of spoken) found.add(command);
      this.#commands = [...found]
        .slice(0, commandsAtMost)
        .map((command) => this.#reader.command(command, rangesOfAll));
    }
    return this.#commands;
  }

  /** Words, names and codes that stand out: quoted, listed, capitalised, or with digits in them. */
  get words(): readonly string[] {
    if (this.#words === null) {
      const lines = this.#lines();
      const found = new Set(lines.flatMap(({ quoted }) => quoted));
      for (const { listed } of lines) for (const word of listed.flatMap(lastWords)) found.add(word);
      for (const name of namesAmong(lines.map(({ names }) => names))) found.add(name);
      this.#words = [...found]
        .filter((value) => value.length <= 40 && !/[<>{}[\]]/.test(value))
        .slice(0, valuesAtMost);
    }
    return this.#words;
  }

  get numbers(): readonly number[] {
    this.#numbers ??= [...new Set(this.#lines().flatMap(({ numbers }) => numbers))].slice(0, valuesAtMost);
    return this.#numbers;
  }

  #lines(): MinedLine[] {
    return this.#text.split("\n").map((line) => this.#reader.line(line));
  }
}

function textOf(lines: readonly MinedLine[]): string {
  return lines.map(({ text }) => text).join("\n");
}

/** Codes, capitalised words within a sentence, addresses. */
function namesAmong(lines: readonly NamesInLine[]): string[] {
  const names = lines.flatMap(({ names: inside, first }, i) =>
    first !== null && lines[i - 1]?.goesOn === true ? [first, ...inside] : inside,
  );
  return [...lines.flatMap(({ codes }) => codes), ...names, ...lines.flatMap(({ addresses }) => addresses)];
}

function lastWords(item: string): string[] {
  const words = item.split(" ");
  return [item, words.at(-1) ?? ""].filter((word) => /[\p{L}\p{N}]/u.test(word));
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

function commandOf(command: string, ranges: () => readonly Range[]): Command {
  const parts = partsOf(command, ranges);
  const [first] = parts;
  return { head: typeof first === "string" ? headOf(first) : "", parts };
}

/** The first word of a command, lower case. */
export function headOf(command: string): string {
  return (command.match(/[\p{L}\p{N}_]+/u)?.[0] ?? "").toLowerCase();
}

function partsOf(command: string, ranges: () => readonly Range[]): CommandPart[] {
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

function blankOf(label: string, ranges: () => readonly Range[]): Blank {
  const choices = label.split(/\s*[|/]\s*/).filter((choice) => choice !== "");
  const own = rangesOf(label)[0] ?? null;
  if (choices.length > 1) return { label, choices, range: null };
  return { label, choices: [], range: own ?? (isNumeric(label) ? (ranges()[0] ?? null) : null) };
}

/** Whether a blank asks for a number. */
export function isNumeric(label: string): boolean {
  return /^(?:n|m|k|x|y|z|#)$|num|count|amount|index|digit|integer|row|col|position|slot|price|quantity|qty|size|steps?|days?|bid|guess|value|coordinate/i.test(
    label,
  );
}
