/** How long a glossary takes, found out by playing it: with care, and at random. The designer sizes it by that. */
import type { Random } from "../../../../config/random.ts";

export interface Vocabulary {
  readonly words: number;
  readonly deeds: number;
  /** No two words ask for the same deed. */
  readonly own: boolean;
  /** A word stays until it is answered rightly. */
  readonly stays: boolean;
  /** A wrong answer takes all that was counted, and not one. */
  readonly resets: boolean;
}

const games = 60;
const turnsAtMost = 40;

/** Turns until `goal` right answers are counted, one game; 40 at most. */
function played(vocabulary: Vocabulary, goal: number, careful: boolean, random: Random): number {
  const { words, deeds, own, stays, resets } = vocabulary;
  const all = Array.from({ length: deeds }, (_, deed) => deed);
  const drawn = random.shuffle(all);
  const meaning = Array.from({ length: words }, (_, word) => (own ? drawn[word] : random.below(deeds)));
  const untried = meaning.map(() => random.shuffle(all));
  const taken = new Set<number | undefined>();
  let score = 0;
  let word = random.below(words);
  for (let turn = 1; turn < turnsAtMost; turn += 1) {
    const possible = (untried[word] ?? []).filter((deed) => !taken.has(deed) || deed === meaning[word]);
    const deed = careful ? possible[0] : random.below(deeds);
    const right = deed === meaning[word];
    untried[word] = right ? possible.slice(0, 1) : possible.slice(1);
    if (right && own) taken.add(deed);
    score = right ? score + 1 : resets ? 0 : Math.max(0, score - 1);
    if (score >= goal) return turn;
    if (right || !stays) word = random.below(words);
  }
  return turnsAtMost;
}

/** Mean turns of careful play. */
export function carefulTurns(vocabulary: Vocabulary, goal: number, random: Random): number {
  let turns = 0;
  for (let game = 0; game < games; game += 1) turns += played(vocabulary, goal, true, random);
  return turns / games;
}

/** The share of games that random answers win within `turns`. */
export function luck(vocabulary: Vocabulary, goal: number, turns: number, random: Random): number {
  let won = 0;
  for (let game = 0; game < games; game += 1) {
    if (played(vocabulary, goal, false, random) <= turns) won += 1;
  }
  return won / games;
}

const sizesTried = [
  [2, 4],
  [2, 5],
  [3, 4],
  [2, 6],
  [3, 5],
] as const;

/**
 * A vocabulary with as many right answers asked for as careful play reaches in `steps` turns on average, drawn from
 * those of which luck wins the fewest games.
 */
export function chooseVocabulary(
  rules: Pick<Vocabulary, "own" | "stays" | "resets">,
  { steps, turns, random }: { readonly steps: number; readonly turns: number; readonly random: Random },
): Vocabulary & { readonly goal: number } {
  const known = sizesTried.map(([words, deeds]) => {
    const vocabulary = { ...rules, words, deeds };
    // Two right answers are enough only where there is time for no more.
    let goal = steps >= 6 ? 3 : 2;
    while (goal < 10 && carefulTurns(vocabulary, goal + 1, random) <= steps) goal += 1;
    return { ...vocabulary, goal, luck: luck(vocabulary, goal, turns, random) };
  });
  return random.pick(known.sort((a, b) => a.luck - b.luck).slice(0, 3));
}
