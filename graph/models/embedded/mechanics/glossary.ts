/** Glossary: unknown words that each ask for one deed, learnt by trying and remembering what was wrong. */
import { fatalPhrase, results, slotPhrase, stateKeys } from "./conventions.ts";
import { gameSource, manners } from "./game.ts";
import { chooseVocabulary } from "./glossary-play.ts";
import { branch, type Design, type Mechanic, stepsNeeded, turnsOf } from "./mechanic.ts";
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

const syllables = "zor vek mil tan qui rau bel osh dra fen lum kai".split(" ");

function write(design: Design): string {
  const { random, theme } = design;
  const steps = stepsNeeded(design.size);
  const stays = branch(design, "after") === "stays";
  const slip = branch(design, "slip");
  const own = branch(design, "deeds") === "own";
  const kind = branch(design, "reply") === "kind";
  const {
    words: count,
    deeds: deedCount,
    goal,
  } = chooseVocabulary({ own, stays, resets: slip === "zero" }, { steps, turns: turnsOf(design), random });
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
