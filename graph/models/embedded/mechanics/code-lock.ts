/** Code lock: hidden codes of symbols, found from replies that count the symbols in place. */
import { fatalPhrase, results, slotPhrase, stateKeys } from "./conventions.ts";
import { gameSource, manners } from "./game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "./mechanic.ts";
import { constant } from "./theme.ts";
import { js, quoteAll, say } from "./write.ts";

export const codeLock: Mechanic = {
  name: "code-lock",
  kind: "game",
  concept: "eliminate",
  cueOffset: 0,
  skills: { "Logical Deduction": 2, "Pattern Recognition": 1.2, "Mathematical Reasoning": 0.5 },
  topics: "lock code cipher secret safe vault password crypt puzzle combination seal treasure".split(" "),
  rules: [
    { name: "replies", options: ["both", "places"] },
    { name: "repeats", options: ["distinct", "free"] },
    { name: "alarm", options: ["none", "again", "blank"] },
    { name: "turning", options: ["still", "counted"] },
    manners,
  ],
  heldOut: false,
  phases: [
    "try a code",
    "strike out every code that the replies so far rule out",
    "try one of those that are left, and begin afresh at the next lock",
  ],
  answerFormat: "the verb and the symbols, with spaces between them",
  write,
};

/** Mean tries of a player who always tries a code that fits all replies: 300 games each, measured. */
const meanTries: readonly { n: number; k: number; tries: Readonly<Record<string, number>> }[] = [
  {
    n: 2,
    k: 5,
    tries: { "both distinct": 3.0, "both free": 3.4, "places distinct": 3.8, "places free": 4.3 },
  },
  {
    n: 2,
    k: 6,
    tries: { "both distinct": 3.4, "both free": 3.8, "places distinct": 4.6, "places free": 4.9 },
  },
  {
    n: 3,
    k: 4,
    tries: { "both distinct": 3.0, "both free": 3.4, "places distinct": 3.4, "places free": 4.5 },
  },
  {
    n: 3,
    k: 5,
    tries: { "both distinct": 3.4, "both free": 3.9, "places distinct": 4.4, "places free": 5.3 },
  },
  {
    n: 3,
    k: 6,
    tries: { "both distinct": 3.8, "both free": 4.2, "places distinct": 5.3, "places free": 5.9 },
  },
  {
    n: 3,
    k: 7,
    tries: { "both distinct": 4.2, "both free": 4.6, "places distinct": 6.1, "places free": 7.0 },
  },
  {
    n: 3,
    k: 8,
    tries: { "both distinct": 4.4, "both free": 5.0, "places distinct": 6.8, "places free": 7.7 },
  },
  {
    n: 4,
    k: 5,
    tries: { "both distinct": 4.0, "both free": 4.3, "places distinct": 4.7, "places free": 6.3 },
  },
  {
    n: 4,
    k: 6,
    tries: { "both distinct": 4.0, "both free": 4.6, "places distinct": 5.8, "places free": 7.1 },
  },
];

/** The locks whose mean tries come near to nine tenths of the steps; one of the three nearest settings. */
function locksFor(design: Design): { locks: number; n: number; k: number } {
  const goal = 0.9 * stepsNeeded(design.size);
  const key = `${branch(design, "replies")} ${branch(design, "repeats")}`;
  const settings = [1, 2, 3].flatMap((locks) =>
    meanTries.map(({ n, k, tries }) => ({ locks, n, k, off: Math.abs(locks * (tries[key] ?? 4) - goal) })),
  );
  return design.random.pick(settings.sort((a, b) => a.off - b.off).slice(0, 3));
}

function write(design: Design): string {
  const { random, theme } = design;
  const { locks, n, k } = locksFor(design);
  const both = branch(design, "replies") === "both";
  const distinct = branch(design, "repeats") === "distinct";
  const alarm = branch(design, "alarm");
  const counted = branch(design, "turning") === "counted";
  const symbols = theme.names.slice(0, k);
  const verb = random.pick(["try", "enter", "dial"]);
  const cold = constant(theme, random, 3, 5);
  const list = slotPhrase.code("code", n, symbols.join(", "));
  return gameSource(design, {
    goal:
      locks === 1
        ? `open the lock of the ${theme.thing}.`
        : `open the ${locks} locks of the ${theme.thing}, one after the other.`,
    rules: [
      `A code has ${n} symbols${distinct ? ", all different" : ", and a symbol may stand in it more than once"}.`,
      both
        ? "The reply counts the symbols that are in place, and those that are in the code but elsewhere."
        : "The reply counts the symbols that are in place and says nothing of the others.",
      ...(locks > 1 ? ["Every lock has a code of its own; the next one is reached when a lock opens."] : []),
      ...(alarm === "again" ? [`Trying a code again at the same lock ${fatalPhrase}.`] : []),
      ...(alarm === "blank"
        ? [`The ${ordinal(cold)} code at one lock without a symbol in place ${fatalPhrase}.`]
        : []),
      ...(distinct ? ["A code with a symbol twice is refused."] : []),
    ],
    commands: [
      {
        form: `${verb} <code>`,
        description: "try a code at the present lock",
        slots: [list],
        does: "this.attempt(words.slice(1))",
        open: true,
      },
    ],
    view: [
      say(`${stateKeys.progress}: {{this.opened}} of ${locks}`),
      ...(counted ? [say("Tried here: {{this.tried.length}}")] : []),
    ],
    setup: js`
      this.opened = 0;
      this.tried = [];
      ${alarm === "blank" && "this.blanks = 0;"}
      this.symbols = ${quoteAll(symbols)};
      this.codes = [];
      while (this.codes.length < ${locks}) {
        ${
          distinct
            ? `this.codes.push(this.shuffled(this.symbols).slice(0, ${n}));`
            : js`
              const code = [];
              while (code.length < ${n}) code.push(this.symbols[this.below(${k})]);
              this.codes.push(code);
            `
        }
      }
    `,
    methods: js`
      attempt(code) {
        if (code.length !== ${n} || code.some((symbol) => !this.symbols.includes(symbol))) return "refused: not a code";
        ${distinct && `if (new Set(code).size < ${n}) return "refused: a symbol stands in it twice";`}
        const secret = this.codes[this.opened];
        const inPlace = code.filter((symbol, i) => symbol === secret[i]).length;
        if (inPlace === ${n}) return this.advance();
        ${
          alarm === "again" &&
          js`
            if (this.tried.includes(code.join(" "))) {
              this.outcome = "lost";
              return "wrong: that code again";
            }
          `
        }
        this.tried.push(code.join(" "));
        ${
          alarm === "blank" &&
          js`
            if (inPlace === 0) this.blanks += 1;
            if (this.blanks >= ${cold}) this.outcome = "lost";
          `
        }
        ${
          both
            ? js`
              let shared = 0;
              for (const symbol of this.symbols) {
                shared += Math.min(this.count(code, symbol), this.count(secret, symbol));
              }
              return inPlace + " ${results.inPlace}, " + (shared - inPlace) + " ${results.elsewhere}";
            `
            : `return inPlace + " ${results.inPlace}";`
        }
      }

      advance() {
        this.opened += 1;
        this.tried = [];
        ${alarm === "blank" && "this.blanks = 0;"}
        if (this.opened === ${locks}) this.outcome = "won";
        return "${n} ${results.inPlace}, the lock opens";
      }

      ${
        both &&
        js`
          count(code, wanted) {
            return code.filter((symbol) => symbol === wanted).length;
          }
        `
      }
    `,
    helpers: distinct ? ["shuffled"] : ["below"],
    solution: `return this.codes.map((code) => "${verb} " + code.join(" "));`,
  });
}

function ordinal(n: number): string {
  return ["first", "second", "third", "fourth", "fifth", "sixth"][n - 1] ?? `${n}th`;
}
