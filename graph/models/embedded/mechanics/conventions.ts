/**
 * Text conventions: how every environment of the embedded designer phrases commands, state and feedback, so that a
 * player who knows general strategies can read an environment it has never seen. The designer writes with these
 * constants, the agent reads with them, and nothing else passes between the two.
 *
 * A first observation of a game:
 *
 *     The Harbor Gauge                                   title, made of words of the document
 *     <story, cue sentences, distractor sentences>       concepts.ts
 *     Goal: …
 *     Rules:
 *     - …                                                all of them, whatever the hidden level is
 *     Commands:
 *     - guess <number>: name a number; <number> from 1 to 64.          commandLine()
 *     - look: look around.
 *     Format: one command a turn, as \boxed{command}.
 *     Grade: 7 of 16. Turns: 12.                         gradeLine(); the grade is the size, half sizes allowed
 *     Range: 1 to 64                                     state lines `Key: value`, keys in `stateKeys`
 *
 * Every later observation of a game:
 *
 *     Turn 3 of 12.
 *     Result: too low.
 *     Range: 33 to 64                                    the state lines that hold now
 *
 * The first observation of a tool-use environment (the tools themselves are in the system message):
 *
 *     The Harbor Desk
 *     <story, cue sentences, distractor sentences>
 *     Goal: …
 *     Rules:
 *     - …
 *     Known: customer = mira; city = oslo                knownLine(); names as in the tools' parameters
 *     Remedy: jammed -> clear_unit; fine -> nothing      only where states that a tool shows ask for another tool
 *     Answer with: receipt_code                          the key whose value goes into <answer>, or a sum, see below
 *     Grade: 7 of 16. Turns: 12.
 *
 * A tool returns a JSON object. Its keys are named like the parameters of the tools that take them, so that a value
 * once seen can be passed on under its name. An error is {"error": "…"} with, where it can be mended,
 * "first": "<tool to call first>" or "retry": true (the same call again).
 * A parameter with an `enum`, or with `minimum` and `maximum`, can be swept: each of its values shows something else.
 * `Answer with: sum of amount where status is paid` asks for a number made of the `rows` that such a sweep shows; see
 * `readAggregate`. `Answer with: count of repairs` is the number of calls that the remedies asked for.
 *
 * Names (places, items, symbols, tasks) are single lower-case words [a-z]+ without spaces; numbers are integers.
 */

/** Keys of the state lines `Key: value`. What a strategy needs to know stands in these lines. */
export const stateKeys = {
  /** `Progress: 2 of 5`: parts of the goal reached. A rise starts a new part (a fresh range, a fresh code). */
  progress: "Progress",
  /** bisect. `Range: 1 to 64`: where the hidden number of the present part lies at the start of that part. */
  range: "Range",
  /** explore. `Place: cellar`. */
  place: "Place",
  /** explore. `Exits: attic, yard`: where `go <place>` leads from here; `(dark)` behind a name is a trap. */
  exits: "Exits",
  /** explore. `Here: key` or `Here: nothing`: what lies at this place; `Here: door` is where the goal is. */
  here: "Here",
  /** explore. `Hum: 3`: steps from here to what is needed next (the key, then the door); 0 = here. */
  hum: "Hum",
  /** explore. `Holding: key` or `Holding: nothing`. */
  holding: "Holding",
  /** ratio. `Items: rope [cost 3, worth 12]; lamp [cost 5, worth 9]`: what can still be had. */
  items: "Items",
  /** ratio. `Left: 14`: what may still be spent (room, money, fuel). */
  left: "Left",
  /** ratio, trend. `Worth: 31 of 80`: gathered of what is needed. Reaching it wins, or makes `finish` win. */
  worth: "Worth",
  /** trend. `Price: 14`. */
  price: "Price",
  /** trend. `Change: +2`, `Change: -2`: the last move of the price. */
  change: "Change",
  /** trend. `Signal: turn` says that the next move goes the other way; `Signal: calm` that it goes on. */
  signal: "Signal",
  /** trend. `Stance: in` or `Stance: out`: whether the next move is felt. */
  stance: "Stance",
  /** toggle. `Lamps: on off on`: one word a lamp, wanted all `on` unless a `Wanted` line says otherwise. */
  lamps: "Lamps",
  /** toggle. `Wanted: on off on`. dependency. `Wanted: feast`: the one task that counts, of which some tasks are no part. */
  wanted: "Wanted",
  /** recall. `Phase: listen` while pieces are given, `Phase: repeat` when they are asked for; `Phase: bow` asks for the command `bow`. */
  phase: "Phase",
  /** recall. `Skip: hush`: this piece is heard but never said. */
  skip: "Skip",
  /** recall. `Order: forward` or `Order: backward`: how the pieces are to be said. */
  order: "Order",
  /** dependency. `Needs: bake after mix, knead; mix after nothing`. */
  needs: "Needs",
  /** dependency, sweep. `Done: mix, knead` or `Done: nothing`; for sweep the numbers that were checked. */
  done: "Done",
  /** dependency. `Tired: yes` asks for the command `pause` before the next task. */
  tired: "Tired",
  /** sweep. `Row: 1 to 9` or `Row: 10 to 34 in steps of 3`: the spots that `check <number>` takes. */
  row: "Row",
  /** sweep. `Found: 2`: how many were found so far, the number a report asks for. */
  found: "Found",
  /** eliminate. `Word: zorvek`: what is asked for now; the same word always wants the same command. */
  word: "Word",
} as const;

/** `Result: …` is the answer to the last command. The words a strategy reads in it: */
export const results = {
  /** bisect: the hidden number is larger than the one named. */
  low: ["too low", "holds"],
  /** bisect: the hidden number is smaller than the one named (for `gives way`: smaller than it, so at most one less). */
  high: ["too high", "gives way"],
  /** eliminate: `2 in place, 1 elsewhere` as in the well-known peg game; `elsewhere` is missing where it is not told. */
  inPlace: "in place",
  elsewhere: "elsewhere",
  /** eliminate, recall: the last command was right or wrong. */
  right: "right",
  wrong: "wrong",
  /** recall: `heard red, blue`: the next pieces, in order. */
  heard: "heard",
  /** sweep: `found` / `nothing here` after `check <number>`. */
  found: "found",
  empty: "nothing here",
  /** The command was understood but had no effect now. It took a turn. */
  refused: "refused",
  /** The command was not understood. It took a turn. */
  unknown: "not a command here",
} as const;

/** Phrases in the description of a command that tell a strategy what the command is for. */
export const roles = {
  /** Decides the episode: to be used when sure. Stands in every command whose misuse is fatal. */
  decides: "a wrong one ends the episode",
  /** bisect, toggle, eliminate, sweep: asks for information and can't lose. */
  asks: "tells more",
  /** trend: the stance to be in before a rise, and the one before a fall. */
  enters: "gains while it rises",
  leaves: "safe while it falls",
  /** trend, recall: lets a turn pass, or brings the next piece. */
  waits: "takes one turn",
  /** ratio: gets an item. */
  takes: "takes an item",
  /** sweep: to be used right after `found`, before the next check. */
  mends: "mends what was just found",
  /** ratio, toggle, sweep, explore: ends the work once the goal is met. */
  finishes: "ends the work",
  /** A command of a distractor: it never helps. */
  idle: "just to look",
} as const;

/** A rule that contains this phrase makes some careless steps fatal. */
export const fatalPhrase = "ends the episode";

/** What the last observation says. */
export const ending = { won: "You win.", lost: "You lose." } as const;

/** What a slot `<name>` of a command may be replaced by. */
export type Slot =
  | { readonly kind: "number"; readonly from: number; readonly to: number; readonly by: number }
  | { readonly kind: "word"; readonly words: readonly string[] }
  /** A space-separated list of exactly `length` of the words. */
  | { readonly kind: "code"; readonly length: number; readonly words: readonly string[] };

export interface Command {
  /** E.g. `guess <number>`. */
  readonly form: string;
  readonly description: string;
  /** By slot name, without the angle brackets. */
  readonly slots: Readonly<Record<string, Slot>>;
}

/**
 * How a slot's values are phrased behind a command's description. The three phrases also serve inside generated code,
 * where the numbers and words are expressions.
 */
export const slotPhrase = {
  number: (slot: string, from: string | number, to: string | number, by: string | number = 1) =>
    `<${slot}> from ${from} to ${to}${by === 1 ? "" : ` in steps of ${by}`}`,
  word: (slot: string, words: string) => `<${slot}> one of: ${words}`,
  code: (slot: string, length: string | number, words: string) => `<${slot}> is ${length} of: ${words}`,
};

/** One line of the list of commands; `phrases` come from `slotPhrase`. */
export function commandLine(form: string, description: string, ...phrases: readonly string[]): string {
  return `- ${[`${form}: ${description}`, ...phrases].join("; ")}.`;
}

/** The commands that an observation lists, in its order; empty if it lists none. Never throws. */
export function readCommands(observation: string): Command[] {
  const lines = observation.split("\n");
  const start = lines.indexOf("Commands:");
  if (start < 0) return [];
  const commands: Command[] = [];
  for (const line of lines.slice(start + 1)) {
    const match = /^- ([a-z]+(?: (?:<[a-z]+>|[a-z]+))*): (.*?)\.?$/.exec(line);
    if (match === null) break;
    const [description = "", ...phrases] = (match[2] ?? "").split("; ");
    commands.push({ form: match[1] ?? "", description, slots: readSlots(phrases) });
  }
  return commands;
}

function readSlots(phrases: readonly string[]): Record<string, Slot> {
  const slots: Record<string, Slot> = {};
  const wordsOf = (list: string | undefined) => (list ?? "").split(", ").filter((word) => word !== "");
  for (const phrase of phrases) {
    const number = /^<([a-z]+)> from (-?\d+) to (-?\d+)(?: in steps of (\d+))?$/.exec(phrase);
    const word = /^<([a-z]+)> one of: (.*)$/.exec(phrase);
    const code = /^<([a-z]+)> is (\d+) of: (.*)$/.exec(phrase);
    if (number?.[1] !== undefined) {
      const by = Math.max(1, Number(number[4] ?? 1));
      slots[number[1]] = { kind: "number", from: Number(number[2]), to: Number(number[3]), by };
    } else if (word?.[1] !== undefined) slots[word[1]] = { kind: "word", words: wordsOf(word[2]) };
    else if (code?.[1] !== undefined) {
      slots[code[1]] = { kind: "code", length: Number(code[2]), words: wordsOf(code[3]) };
    }
  }
  return slots;
}

/** The value of the last `Key: value` line with that key, or null. */
export function readState(observation: string, key: string): string | null {
  const lines = observation.split("\n").filter((line) => line.startsWith(`${key}: `));
  return lines.at(-1)?.slice(key.length + 2) ?? null;
}

/** States size and turns in a first observation. */
export function gradeLine(grade: number, turns: number): string {
  return `Grade: ${grade} of 16. Turns: ${turns}.`;
}

/** Grade (0.5 to 16.5) and turns of a first observation; null where it states none, as those of people may. */
export function readGrade(observation: string): { readonly grade: number; readonly turns: number } | null {
  const match = /^Grade: (\d+(?:\.\d+)?) of 16\. Turns: (\d+)\.$/m.exec(observation);
  return match === null ? null : { grade: Number(match[1]), turns: Number(match[2]) };
}

/** What a ledger's answer is made of. Without `key`, every row counts. */
export interface Aggregate {
  readonly operation: "sum" | "count" | "largest" | "smallest";
  readonly field: string;
  readonly key: string | null;
  readonly relation: "is" | "is not" | "is at least";
  readonly value: string;
}

/** `sum of amount where status is paid`, `count of amount where amount is at least 12`, `largest of amount`. */
export function aggregatePhrase({ operation, field, key, relation, value }: Aggregate): string {
  return `${operation} of ${field}${key === null ? "" : ` where ${key} ${relation} ${value}`}`;
}

/** Reads what `aggregatePhrase` wrote; null if it is something else, e.g. a key. */
export function readAggregate(text: string): Aggregate | null {
  const match =
    /^(sum|count|largest|smallest) of (\w+)(?: where (\w+) (is not|is at least|is) ([\w-]+))?\.?$/.exec(
      text.trim(),
    );
  if (match === null) return null;
  const operation = match[1] as Aggregate["operation"];
  const relation = (match[4] ?? "is") as Aggregate["relation"];
  return { operation, field: match[2] ?? "", key: match[3] ?? null, relation, value: match[5] ?? "" };
}

/** Lines of a tool-use task that are not state lines. */
export const taskKeys = { known: "Known", remedy: "Remedy", answer: "Answer with" } as const;

/** `Remedy: jammed -> clear_unit; fine -> nothing`: which tool a shown state asks for. */
export function remedyLine(remedies: Readonly<Record<string, string>>): string {
  const written = Object.entries(remedies).map(([state, tool]) => `${state} -> ${tool}`);
  return `${taskKeys.remedy}: ${written.join("; ")}`;
}

/** What a tool-use task gives: names are those of the tools' parameters. */
export function knownLine(pairs: Readonly<Record<string, string | number>>): string {
  const written = Object.entries(pairs).map(([key, value]) => `${key} = ${value}`);
  return `Known: ${written.join("; ")}`;
}
