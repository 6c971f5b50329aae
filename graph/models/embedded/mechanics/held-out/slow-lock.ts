/** Slow lock, held out: one code, and a try with nothing in place costs more time than others. */
import { results, slotPhrase, stateKeys } from "../conventions.ts";
import { gameSource, manners } from "../game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "../mechanic.ts";
import { js, quoteAll, say } from "../write.ts";

export const slowLock: Mechanic = {
  name: "slow-lock",
  kind: "game",
  concept: "eliminate",
  cueOffset: 6,
  skills: { "Logical Deduction": 1 },
  topics: [],
  rules: [{ name: "penalty", options: ["blank", "repeat"] }, manners],
  heldOut: true,
  phases: ["try a code", "strike out every code that the replies rule out", "try one of those that are left"],
  answerFormat: "the verb and the symbols, with spaces between them",
  write,
};

/** Length and symbols of the code for 4 to 11 steps: careful play needs about nine tenths of them on average. */
const settings = [
  [2, 4],
  [2, 5],
  [3, 5],
  [3, 6],
  [3, 7],
  [4, 7],
  [3, 9],
  [3, 10],
] as const;

function write(design: Design): string {
  const { theme } = design;
  const [length, count] = settings[stepsNeeded(design.size) - 4] ?? [3, 6];
  const blank = branch(design, "penalty") === "blank";
  const symbols = theme.names.slice(0, count);
  return gameSource(design, {
    goal: `set the ${length} wheels of the ${theme.thing} as they were.`,
    rules: [
      `Each wheel shows one of ${count} symbols, and no symbol is on two wheels.`,
      "The reply counts the wheels that are in place.",
      blank
        ? "A setting with no wheel in place takes a turn more."
        : "A setting tried before takes a turn more.",
    ],
    commands: [
      {
        form: "set <wheels>",
        description: "set all wheels",
        slots: [slotPhrase.code("wheels", length, symbols.join(", "))],
        does: "this.set(words.slice(1))",
        open: true,
      },
    ],
    view: [say(`${stateKeys.progress}: 0 of 1`)],
    setup: js`
      this.symbols = ${quoteAll(symbols)};
      this.secret = this.shuffled(this.symbols).slice(0, ${length});
      ${!blank && "this.settings = new Set();"}
    `,
    methods: js`
      set(wheels) {
        if (wheels.length !== ${length} || wheels.some((wheel) => !this.symbols.includes(wheel))) return "refused: not a setting";
        const inPlace = wheels.filter((wheel, i) => wheel === this.secret[i]).length;
        if (inPlace === ${length}) this.outcome = "won";
        ${blank ? "if (inPlace === 0) this.turn += 1;" : 'if (this.settings.has(wheels.join(" "))) this.turn += 1;\nthis.settings.add(wheels.join(" "));'}
        return inPlace + " ${results.inPlace}";
      }
    `,
    helpers: ["shuffled"],
    solution: 'return ["set " + this.secret.join(" ")];',
  });
}
