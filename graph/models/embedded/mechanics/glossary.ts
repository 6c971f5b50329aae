/** Glossary: unknown words that each ask for one deed, learnt by trying and remembering what was wrong. */
import { fatalPhrase, results, slotPhrase, stateKeys } from "./conventions.ts";
import { gameSource, manners } from "./game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "./mechanic.ts";
import { js, quoteAll, say } from "./write.ts";

export const glossary: Mechanic = {
  name: "glossary",
  kind: "game",
  concept: "eliminate",
  cueOffset: 3,
  skills: {
    "Language Understanding": 2,
    "Logical Deduction": 0.7,
    "Memory Recall": 0.7,
    "Causal Inference": 0.7,
  },
  topics: "language word translation dictionary grammar foreign speech tribe village people custom".split(
    " ",
  ),
  rules: [
    { name: "after", options: ["stays", "moves"] },
    { name: "slip", options: ["back", "zero", "strikes"] },
    { name: "deeds", options: ["own", "shared"] },
    { name: "reply", options: ["plain", "kind"] },
    manners,
  ],
  heldOut: false,
  phases: [
    "try a deed for a new word",
    "never give a word a deed that was wrong for it, and keep what was right",
    "use what you learnt whenever the word comes back",
  ],
  answerFormat: "the verb and one deed",
  write,
};

interface Setting {
  readonly words: number;
  readonly deeds: number;
  readonly own: boolean;
  readonly stays: boolean;
  readonly slip: string;
}

/** Turns that a player who never repeats a mistake takes to reach `goal`, one game. */
function playedOnce(setting: Setting, goal: number, random: Design["random"]): number {
  const meaning = Array.from({ length: setting.words }, () => random.below(setting.deeds));
  if (setting.own)
    for (const [i, deed] of random.shuffle([...Array(setting.deeds).keys()]).entries())
      if (i < meaning.length) meaning[i] = deed;
  const open = meaning.map(() => random.shuffle([...Array(setting.deeds).keys()]));
  const known = new Set<number>();
  let score = 0;
  let word = random.below(setting.words);
  for (let turn = 1; turn < 60; turn += 1) {
    const possible = (open[word] ?? []).filter(
      (deed) => !setting.own || known.has(word) || ![...known].some((other) => meaning[other] === deed),
    );
    const right = possible[0] === meaning[word];
    if (right) {
      score += 1;
      known.add(word);
      open[word] = possible.slice(0, 1);
    } else {
      open[word] = possible.slice(1);
      score = setting.slip === "zero" ? 0 : Math.max(0, score - 1);
    }
    if (score >= goal) return turn;
    if (right || !setting.stays) word = random.below(setting.words);
  }
  return 60;
}

/** The right answers to ask for, so that careful play takes about `steps` turns on average; 200 games each. */
function goalFor(setting: Setting, steps: number, random: Design["random"]): number {
  for (let goal = 3; ; goal += 1) {
    let turns = 0;
    for (let game = 0; game < 200; game += 1) turns += playedOnce(setting, goal, random);
    if (turns / 200 > 0.92 * steps || goal > 12) return Math.max(3, goal - 1);
  }
}

/** Numbers of words and of deeds: more of either takes more turns to learn and leaves less to luck. */
const sizesTried = [
  [2, 4],
  [2, 5],
  [3, 4],
  [2, 6],
  [3, 5],
] as const;

const syllables = "zor vek mil tan qui rau bel osh dra fen lum kai".split(" ");

function write(design: Design): string {
  const { random, theme } = design;
  const steps = stepsNeeded(design.size);
  const stays = branch(design, "after") === "stays";
  const slip = branch(design, "slip");
  const own = branch(design, "deeds") === "own";
  const kind = branch(design, "reply") === "kind";
  const settings = sizesTried
    .map(([words, deeds]) => ({ words, deeds, own, stays, slip }))
    .map((setting) => ({ ...setting, goal: goalFor(setting, steps, random) }));
  const enough = settings.filter(({ goal }) => goal >= 4);
  const {
    words: count,
    deeds: deedCount,
    goal,
  } = enough.length > 0 ? random.pick(enough) : { words: 2, deeds: 3, goal: 3 };
  // As many mistakes as a player can make who never repeats one.
  const strikes = own
    ? Array.from({ length: count }, (_, i) => deedCount - 1 - i).reduce((sum, wrong) => sum + wrong, 0)
    : count * (deedCount - 1);
  const parts = random.shuffle(syllables);
  const strange = Array.from({ length: count }, (_, i) => `${parts[2 * i]}${parts[2 * i + 1]}`);
  const deeds = theme.names.slice(0, deedCount);
  const verb = random.pick(["give", "do", "offer"]);
  return gameSource(design, {
    goal: `answer the strange words of the ${theme.thing} rightly, until the progress is full.`,
    rules: [
      `Each word asks for one thing, the same in the whole episode${own ? ", and no two words for the same" : "; two words may ask for the same"}.`,
      `A right answer counts one${slip === "zero" ? ", a wrong one sets the count back to nothing" : ", a wrong one takes one away"}.`,
      stays
        ? "After a wrong answer the same word stays; after a right one a word is drawn anew."
        : "After every answer a word is drawn anew.",
      ...(slip === "strikes" ? [`The wrong answer number ${strikes + 1} ${fatalPhrase}.`] : []),
    ],
    commands: [
      {
        form: `${verb} <deed>`,
        description: "answer the word",
        slots: [slotPhrase.word("deed", '{{this.deeds.join(", ")}}')],
        does: "this.respond(words[1])",
      },
    ],
    view: [say(`${stateKeys.progress}: {{this.score}} of ${goal}`), say(`${stateKeys.word}: {{this.word}}`)],
    setup: js`
      this.score = 0;
      ${slip === "strikes" && "this.mistakes = 0;"}
      this.deeds = this.shuffled(${quoteAll(deeds)});
      this.meaning = {};
      ${own ? "const deeds = this.shuffled(this.deeds);" : ""}
      for (const ${own ? "[i, word]" : "word"} of ${quoteAll(strange)}${own ? ".entries()" : ""}) {
        this.meaning[word] = ${own ? "deeds[i]" : `this.deeds[this.below(${deedCount})]`};
      }
      this.queue = Array.from({ length: ${steps * 4} }, () => this.shuffled(Object.keys(this.meaning))[0]);
      this.word = this.queue[0];
      this.drawn = 0;
    `,
    methods: js`
      draw() {
        this.drawn += 1;
        this.word = this.queue[this.drawn % this.queue.length];
      }

      respond(deed) {
        if (!this.deeds.includes(deed)) return "${results.refused}: there is no such thing";
        if (deed === this.meaning[this.word]) {
          this.score += 1;
          if (this.score >= ${goal}) this.outcome = "won";
          this.draw();
          return "${results.right}";
        }
        ${slip !== "zero" && "this.score = Math.max(0, this.score - 1);"}
        ${slip === "zero" && "this.score = 0;"}
        ${
          slip === "strikes" &&
          js`
            this.mistakes += 1;
            if (this.mistakes > ${strikes}) this.outcome = "lost";
          `
        }
        ${kind && 'const sorry = this.word + " is not for " + deed;'}
        ${!stays && "this.draw();"}
        return ${kind ? `"${results.wrong}: " + sorry` : `"${results.wrong}"`};
      }
    `,
    helpers: own ? ["shuffled"] : ["below", "shuffled"],
    solution: `return this.queue.slice(0, ${goal}).map((word) => "${verb} " + this.meaning[word]);`,
  });
}
