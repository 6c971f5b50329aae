/** Values for blanks: what a random player fills in, drawn from what it has seen so far and from other seeds. */
import type { Random } from "../../../config/random.ts";
import { type Blank, isNumeric, Mined, type Range, Reader } from "./observation.ts";

/** Reads observations, each one once: they come back again and again over the episodes of one environment. */
export class Miner {
  readonly #mined = new Map<string, Mined>();
  readonly #reader = new Reader();

  mine(observation: string): Mined {
    const known = this.#mined.get(observation);
    if (known !== undefined) return known;
    const mined = new Mined(observation, this.#reader);
    this.#mined.set(observation, mined);
    return mined;
  }
}

/** What a player has seen of an episode. It is read only as far as somebody asks. */
export class Seen {
  readonly #miner: Miner;
  readonly #texts: string[] = [];
  /** Values by the name they stand behind: `order_id: A-17`, `"city": "Oslo"`. */
  readonly #named = new Map<string, string[]>();
  #textsNamed = 0;
  readonly #words = new Gathered<string>();
  readonly #numbers = new Gathered<number>();

  constructor(miner: Miner) {
    this.#miner = miner;
  }

  add(observation: string): void {
    this.#texts.push(observation);
  }

  get first(): Mined {
    return this.#miner.mine(this.#texts[0] ?? "");
  }

  get latest(): Mined {
    return this.#miner.mine(this.#texts.at(-1) ?? "");
  }

  words(): readonly string[] {
    return this.#words.of(this.#texts, (text) => this.#miner.mine(text).words);
  }

  numbers(): readonly number[] {
    return this.#numbers.of(this.#texts, (text) => this.#miner.mine(text).numbers);
  }

  named(name: string): readonly string[] {
    for (; this.#textsNamed < this.#texts.length; this.#textsNamed += 1) {
      for (const [key, value] of pairsOf(this.#texts[this.#textsNamed] ?? "")) {
        const known = this.#named.get(key);
        if (known === undefined) this.#named.set(key, [value]);
        else if (!known.includes(value)) known.push(value);
      }
    }
    return this.#named.get(name.toLowerCase()) ?? [];
  }

  mentions(value: string): boolean {
    return this.#texts.some((text) => text.includes(value));
  }
}

/** The different values of a list of texts that grows, each text asked once. */
class Gathered<T> {
  readonly #found = new Set<T>();
  #list: readonly T[] = [];
  #texts = 0;

  of(texts: readonly string[], valuesIn: (text: string) => readonly T[]): readonly T[] {
    for (; this.#texts < texts.length; this.#texts += 1) {
      for (const value of valuesIn(texts[this.#texts] ?? "")) this.#found.add(value);
    }
    if (this.#list.length < this.#found.size) this.#list = [...this.#found];
    return this.#list;
  }
}

function* pairsOf(observation: string): Generator<[string, string]> {
  const pairs = /\b([A-Za-z_]\w{0,30})"?\s{0,2}[:=]\s{0,2}(?:"([^"\n]{1,60})"|(-?[\w@#.-]{1,40}))/g;
  for (const match of observation.slice(0, 8_000).matchAll(pairs)) {
    const value = match[2] ?? (match[3] ?? "").replace(/\.$/, "");
    if (value !== "") yield [(match[1] ?? "").toLowerCase(), value];
  }
}

/** A value for a blank of a mined command. */
export function valueForBlank(blank: Blank, seen: Seen, random: Random): string {
  if (blank.choices.length > 0) return random.pick(blank.choices);
  if (blank.range !== null) return String(integerBetween(blank.range.low, blank.range.high, random));
  const numbers = seen.latest.numbers.length > 0 ? seen.latest.numbers : seen.numbers();
  if (isNumeric(blank.label)) return String(numberFrom(numbers, random));
  const words = seen.words();
  if (words.length > 0 && (numbers.length === 0 || random.next() < 0.7)) return random.pick(words);
  return String(numberFrom(numbers, random));
}

/** A slot as a player sees it: what other seeds put there, and how that is to be understood. */
export interface SlotView {
  readonly others: readonly string[];
  /** Few values that come back on seed after seed. */
  readonly closed: boolean;
  /** They name things of the instance. */
  readonly names: boolean;
  /** The values as numbers if all of them are whole ones, empty otherwise. */
  readonly numbers: readonly number[];
  /** From the least to the greatest of the numbers, if they are a scale. */
  readonly scale: Range | null;
}

/** A span of numbers wider than this is no scale but a set of names. */
const widestScale = 50;

export function slotView(others: readonly string[], closed: boolean, names: boolean): SlotView {
  const values = others.map(Number);
  const numbers = values.every((value) => Number.isInteger(value)) ? values : [];
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const isScale = numbers.length >= 3 && !(names && high - low > widestScale);
  return { others, closed, names, numbers, scale: isScale ? { low, high } : null };
}

/** A value for a slot of a template. */
export function valueForSlot(view: SlotView, seen: Seen, random: Random): string {
  const { others, closed, names, numbers, scale } = view;
  if (numbers.length > 0) {
    const shown = seen.latest.numbers.length > 0 ? seen.latest.numbers : seen.numbers();
    // A hidden number lies among the numbers that other seeds hid.
    if (random.next() < 0.75) {
      if (scale !== null) return String(integerBetween(scale.low, scale.high, random));
      return String(numberFrom(names ? shown : numbers, random));
    }
    return String(numberFrom([...numbers, ...shown], random));
  }
  if (others.length > 0 && closed) return random.pick(others);
  const words = seen.words();
  if (!names && others.length > 0 && (words.length === 0 || random.next() < 0.8)) return random.pick(others);
  const mentioned = others.filter((value) => seen.mentions(value));
  if (mentioned.length > 0 && (words.length === 0 || random.next() < 0.5)) return random.pick(mentioned);
  if (words.length > 0) return random.pick(words);
  return others.length > 0 ? random.pick(others) : String(numberFrom(seen.numbers(), random));
}

function numberFrom(numbers: readonly number[], random: Random): number {
  return numbers.length === 0 ? random.below(10) : random.pick(numbers);
}

export function integerBetween(low: number, high: number, random: Random): number {
  return low + random.below(Math.max(1, Math.floor(high - low) + 1));
}
