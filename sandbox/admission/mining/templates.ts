/**
 * Command templates: what the solutions of several seeds have in common. Words that most seeds use stay, values that
 * change become slots which remember what filled them on which seed, so that a seed's own solution can be kept out.
 */

/** What filled a slot, with the seeds (by index) whose solutions used it. */
export type SlotValues = ReadonlyMap<string, ReadonlySet<number>>;

/** The words and numbers in the first observation of each seed, by index; lower case. */
export class Observations {
  readonly #lines: readonly (readonly string[])[];
  /** By line: most lines stand in the observations of all seeds. */
  readonly #words = new Map<string, ReadonlySet<string>>();

  /** `texts[i]` is what `reset` says on seed i. */
  constructor(texts: readonly string[]) {
    this.#lines = texts.map((text) => text.toLowerCase().split("\n"));
  }

  has(seed: number, word: string): boolean {
    return this.#lines[seed]?.some((line) => line.includes(word) && this.#wordsIn(line).has(word)) === true;
  }

  #wordsIn(line: string): ReadonlySet<string> {
    let words = this.#words.get(line);
    if (words === undefined) {
      words = new Set(tokensOf(line));
      this.#words.set(line, words);
    }
    return words;
  }
}

export interface Template {
  readonly parts: readonly (string | SlotValues)[];
  /** The seeds (by index) that it was learnt from. */
  readonly seeds: ReadonlySet<number>;
}

const templatesAtMost = 24;
/** A first word that so many seeds use is a verb, not a value. */
const verbShare = 0.5;

/** The templates of a game's solutions, the most used first. `solutions[i]` are the actions of seed i. */
export function learnTemplates(solutions: readonly (readonly string[])[]): Template[] {
  const verbs = commonFirstWords(solutions);
  const groups = new Map<string, { uses: number; seeds: Set<number>; columns: Map<string, Set<number>>[] }>();
  solutions.forEach((actions, seed) => {
    for (const action of actions) {
      const tokens = tokensOf(action);
      const first = tokens[0] ?? "";
      const key = JSON.stringify([verbs.has(first.toLowerCase()) ? first : "", tokens.map(gapOf)]);
      const group = groups.get(key) ?? { uses: 0, seeds: new Set(), columns: tokens.map(() => new Map()) };
      groups.set(key, group);
      group.uses += 1;
      group.seeds.add(seed);
      tokens.forEach((token, column) => {
        const seeds = group.columns[column]?.get(token) ?? new Set();
        seeds.add(seed);
        group.columns[column]?.set(token, seeds);
      });
    }
  });
  return [...groups.values()]
    .sort((a, b) => b.uses - a.uses)
    .slice(0, templatesAtMost)
    .map(({ columns, seeds }) => ({ parts: columns.map(constantOr), seeds }));
}

function constantOr(column: Map<string, Set<number>>): string | SlotValues {
  const [only] = column.keys();
  return column.size === 1 && only !== undefined ? only : column;
}

/** Letters and digits are apart, so that `B4` and `E2` are a letter and a number and teach all other cells. */
function tokensOf(action: string): string[] {
  return action.match(/(?<![\p{L}\p{N}])-?\d+(?:\.\d+)?|\d+|[\p{L}_]+|\s+|[^\s]/gu) ?? [];
}

/** White space and punctuation hold a template together; words and numbers are all alike. */
function gapOf(token: string): string {
  return /[\p{L}\p{N}]/u.test(token) ? "w" : token;
}

function commonFirstWords(solutions: readonly (readonly string[])[]): Set<string> {
  const counts = new Map<string, number>();
  for (const actions of solutions) {
    const words = new Set(actions.map((action) => (tokensOf(action)[0] ?? "").toLowerCase()));
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const enough = Math.max(2, solutions.length * verbShare);
  return new Set(
    [...counts].filter(([word, seeds]) => seeds >= enough && !/\d/.test(word)).map(([word]) => word),
  );
}

const othersOf = new WeakMap<SlotValues, Map<number, readonly string[]>>();

/** The values of a slot that seeds other than `own` used. */
export function valuesOfOthers(values: SlotValues, own: number): readonly string[] {
  const known = othersOf.get(values) ?? new Map<number, readonly string[]>();
  othersOf.set(values, known);
  let others = known.get(own);
  if (others === undefined) {
    others = [...values].filter(([, seeds]) => seeds.size > 1 || !seeds.has(own)).map(([value]) => value);
    known.set(own, others);
  }
  return others;
}

/** A slot whose few values come back on seed after seed (colours, directions), as against names of one seed. */
export function isClosed(values: SlotValues): boolean {
  let uses = 0;
  for (const seeds of values.values()) uses += seeds.size;
  return values.size > 0 && values.size <= 16 && uses >= values.size * 1.5;
}

/**
 * Whether the values of a slot stand in the first observations of the seeds that used them: then they name things of
 * the instance, and the present instance has names of its own. Otherwise they come from a domain that all share.
 */
export function areNames(values: SlotValues, observations: Observations): boolean {
  let uses = 0;
  let named = 0;
  for (const [value, seeds] of values) {
    for (const seed of seeds) {
      uses += 1;
      if (observations.has(seed, value.toLowerCase())) named += 1;
    }
  }
  return named >= uses * 0.7;
}
