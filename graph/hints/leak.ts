/** The leak check of hints: whether a hint gives an answer, a hidden value or the whole solution away. */
import { type Move, movesOf } from "./moves.ts";
import { type Stated, statedTo, withoutStrings } from "./stated.ts";
import { findWords, isNumber, isSame, isSignificant, spelledOut, wordsOf } from "./words.ts";

/** What a hint is held against. */
export interface HintSubject {
  /** `solution()` of several seeds, as admission reports them; games list bare commands, tool use raw calls. */
  readonly solutions: readonly { readonly seed: number; readonly actions: readonly string[] }[];
  /** First observations the player sees: what they state is no secret. At least one, if there is one. */
  readonly firstObservations?: readonly string[];
  readonly source: string;
}

/** Everything the rules look at, prepared once. */
interface Case {
  readonly hint: string;
  readonly words: readonly string[];
  readonly solutions: readonly (readonly Move[])[];
  readonly stated: Stated;
  readonly source: string;
  /** Whether a move, told by its text, is in the solution of every seed. */
  readonly isConstant: (move: Move) => boolean;
}

/**
 * Null if nothing leaks, otherwise the sentence for the rewrite. A hint is one text for all seeds, so what counts is
 * what holds for every seed (a move, an argument, the whole solution) and what some seed keeps from its player (a
 * value, an answer). Commands, formats and values that the first observation or the tools state are free to name, and
 * so is the middle of a stated range.
 */
export function hintLeak(hint: string, subject: HintSubject): string | null {
  const solutions = subject.solutions
    .map(({ actions }) => movesOf(actions))
    .filter((moves) => moves.length > 0);
  const keys = solutions.map((moves) => new Set(moves.map(keyOf)));
  const subjectCase: Case = {
    hint,
    words: [...wordsOf(hint), ...spelledOut(hint).flatMap((word) => ["\n", word])],
    solutions,
    stated: statedTo(subject.firstObservations ?? [], subject.source, solutions.flat()),
    source: subject.source,
    isConstant: (move) => keys.every((set) => set.has(keyOf(move))),
  };
  for (const rule of [copiedCode, answer, hiddenValue, constantMove, winningMove, wholeSolution]) {
    const problem = rule(subjectCase);
    if (problem !== null) return problem;
  }
  return null;
}

/** A code block, or a stretch of the source's code outside its strings. */
function copiedCode({ hint, source }: Case): string | null {
  if (/```|~~~/.test(hint)) return "It holds a code block; describe the approach in words.";
  const code = withoutStrings(source).replace(/\s+/g, "");
  const dense = hint.replace(/\s+/g, "");
  for (let at = 0; at + copiedCharacters <= dense.length; at += 1) {
    const window = dense.slice(at, at + copiedCharacters);
    if ((window.match(/[=(){}[\];<>*%&|+]/g) ?? []).length >= 3 && code.includes(window)) {
      return "It copies code of the environment; describe the approach in words.";
    }
  }
  return null;
}

const copiedCharacters = 20;

/** The content of a solution's `<answer>`: in answer tags, said to be the answer, or recognisable by itself. */
function answer({ hint, words, solutions, stated }: Case): string | null {
  const tagged = [...hint.matchAll(/<answer>([\s\S]*?)<\/answer>/gi)].map((match) =>
    wordsOf(match[1] ?? "").join(" "),
  );
  for (const move of solutions.flat()) {
    if (!move.isAnswer || move.args.length === 0) continue;
    const found =
      tagged.includes(move.args.join(" ")) ||
      isSaidToBe(hint, move.args) ||
      (isRecognisable(move.args, stated) && findWords(words, move.args, 0) >= 0);
    if (found) return `It gives the answer away (${quote(move.text)}); say how to find it instead.`;
  }
  return null;
}

/** "The answer is X", "the secret number is always X", "code: X". */
function isSaidToBe(hint: string, value: readonly string[]): boolean {
  return [...hint.matchAll(saidToBe)].some((match) => {
    const words = wordsOf(hint.slice(match.index + match[0].length));
    return findWords(words.slice(0, value.length), value, 0) > 0;
  });
}

const saidToBe =
  /\b(?:answer|result|solution|total|number|secret|code|combination|password|passphrase|word|value|key|target)\b(?:\s+[\w-]+){0,2}?\s*(?:\s(?:is|equals|must be|will be|should be)(?:\s+(?:always|exactly|just|simply))?\s|=|:)/gi;

/** Whether words that a player isn't told stand out enough to be known for the value that they are. */
function isRecognisable(value: readonly string[], stated: Stated): boolean {
  if (value.some((word) => !isStated(word, stated) && isSignificant(word))) return true;
  return value.length >= 3 && !stated.together(value);
}

/**
 * A value of a solution that the player isn't told: a word or number big enough to be no accident. A number in the
 * middle of a solution (a guess on the way) only counts if it is the same for every seed or stands in the source.
 */
function hiddenValue({ words, solutions, stated, source, isConstant }: Case): string | null {
  for (const move of solutions.flat()) {
    if (move.isAnswer) continue;
    for (const value of move.values) {
      const [first] = value;
      if (first === undefined || !isRecognisable(value, stated)) continue;
      if (value.length === 1 && !counts(first, move)) continue;
      if (findWords(words, value, 0) < 0) continue;
      return `It gives away ${quote(value.join(" "))}, which the player has to find out: the solution uses it and the first observation doesn't state it.`;
    }
  }
  return null;

  function counts(word: string, move: Move): boolean {
    return !isNumber(word) || move.isLast || isConstant(move) || new RegExp(`\\b${word}\\b`).test(source);
  }
}

/** A move that is the same for every seed, with an argument that isn't stated: `press 7`, however the hint words it. */
function constantMove({ words, solutions, stated, isConstant }: Case): string | null {
  const said = words.map(digitOf);
  for (const move of solutions[0] ?? []) {
    const { verb, args } = move;
    if (verb === null || args.length === 0 || !isConstant(move)) continue;
    if (stated.together([verb, ...args]) || !args.some((word) => isHiddenArgument(word, stated))) continue;
    if (!saysMove(said, verb, args)) continue;
    if (!isFixed(move, solutions) && !isOnlyOfItsVerb(move, solutions)) continue;
    return `It gives away the move ${quote(move.text)}, which the first observation doesn't state; say how to find it.`;
  }
  return null;
}

/**
 * Whether a move has the same place in every solution, counted from the start or from the end. Where few moves exist
 * (`take 1` to `take 5`), one of them is in every solution by chance, but hardly in the same place.
 */
function isFixed(move: Move, solutions: Case["solutions"]): boolean {
  const wanted = keyOf(move);
  const [first = []] = solutions;
  return first.some(
    (_, at) =>
      solutions.every((moves) => isMove(moves[at], wanted)) ||
      solutions.every((moves) => isMove(moves.at(-1 - at), wanted)),
  );
}

/** Whether its command never has other arguments: then it is no matter of chance wherever it comes. */
function isOnlyOfItsVerb(move: Move, solutions: Case["solutions"]): boolean {
  const wanted = keyOf(move);
  return solutions.flat().every((other) => other.verb !== move.verb || keyOf(other) === wanted);
}

function isMove(move: Move | undefined, key: string): boolean {
  return move !== undefined && keyOf(move) === key;
}

/** A small number is somewhere in most observations, so that alone doesn't make it stated. */
function isHiddenArgument(word: string, stated: Stated): boolean {
  if (isNumber(word)) return !stated.isMiddle(word) && !(isSignificant(word) && stated.has(word));
  return !stated.has(word) && !articles.has(word);
}

/** The verb, at most four words on the first argument, then the others with at most one word between two. */
function saysMove(words: readonly string[], verb: string, args: readonly string[]): boolean {
  const [first = "", ...others] = args;
  return words.some((word, at) => {
    if (!isSame(word, verb)) return false;
    const found = words.findIndex((next, place) => place > at && place <= at + 5 && isSame(next, first));
    if (found < 0) return false;
    const rest = words.slice(found + 1, found + 1 + 2 * others.length);
    return findWords(["", ...rest], ["", ...others], 1) >= 0;
  });
}

/**
 * What wins for some seed, though each word of it may be stated by itself: three arguments or more in a row, the only
 * move there is, or an argument that is said to be the secret.
 */
function winningMove({ hint, words, solutions, stated }: Case): string | null {
  for (const moves of solutions) {
    const move = moves.at(-1);
    if (move === undefined || move.verb === null || move.args.length === 0) continue;
    const whole = [move.verb, ...move.args];
    if (stated.together(whole) || move.args.every((word) => stated.isMiddle(word))) continue;
    const inRow = move.args.length >= 3 && !stated.together(move.args) && findWords(words, move.args, 0) >= 0;
    const only = moves.length === 1 && findWords(words, whole, 0) >= 0;
    if (inRow || only || (!stated.together(move.args) && isSaidToBe(hint, move.args))) {
      return `It gives away ${quote(move.args.join(" "))}, which wins for some seed; say how to find it.`;
    }
  }
  return null;
}

/**
 * The whole solution in order. If every seed has the same one, it counts however much is said in between, and of a
 * longer one three quarters are enough; a single seed's counts if it is listed closely.
 */
function wholeSolution({ words, solutions, stated, isConstant }: Case): string | null {
  for (const moves of solutions) {
    const brief = moves.flatMap((move) =>
      move.args.length > 0 || move.verb === null ? move.args : [move.verb],
    );
    const full = moves.flatMap((move) => (move.verb === null ? move.args : [move.verb, ...move.args]));
    const wanted = (brief.length < 4 ? full : brief).filter((word) => !articles.has(word));
    if (wanted.length < 2) continue;
    const game = moves.every((move) => move.verb !== null);
    const share = commonInOrder(words, wanted) / wanted.length;
    const listed = moves.every(isConstant)
      ? share === 1 || (game && brief.length >= 4 && share >= 0.75)
      : share === 1 && wanted.length >= 3 && !stated.together(wanted) && findWords(words, wanted, 3) >= 0;
    if (listed) return "It lists the solution step by step; describe the approach instead.";
  }
  return null;
}

/** Words too common in a hint to tell anything. */
const articles: ReadonlySet<string> = new Set(["a", "i", "an", "the"]);

/** `seven` as `7`. `one` stays: it is a pronoun more often than a number. */
function digitOf(word: string): string {
  const digit = ["two", "three", "four", "five", "six", "seven", "eight", "nine"].indexOf(word);
  return digit < 0 ? word : String(digit + 2);
}

/** Length of the longest common subsequence. */
function commonInOrder(words: readonly string[], wanted: readonly string[]): number {
  let row = new Array<number>(wanted.length + 1).fill(0);
  for (const word of words) {
    const next = [0];
    for (const [at, other] of wanted.entries()) {
      next.push(isSame(word, other) ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function isStated(word: string, stated: Stated): boolean {
  return stated.has(word) || stated.isMiddle(word);
}

function keyOf(move: Move): string {
  return JSON.stringify([move.verb, move.args, move.told, move.isAnswer]);
}

function quote(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `"${line.length > 60 ? `${line.slice(0, 59)}…` : line}"`;
}
