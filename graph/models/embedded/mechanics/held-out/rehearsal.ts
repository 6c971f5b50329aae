/** Rehearsal, held out: a song that comes in verses, each of which has to be sung from memory before the next one. */
import { fatalPhrase, results, roles, slotPhrase, stateKeys } from "../conventions.ts";
import { gameSource, manners } from "../game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "../mechanic.ts";
import { constant } from "../theme.ts";
import { js, quoteAll, say } from "../write.ts";

export const rehearsal: Mechanic = {
  name: "rehearsal",
  kind: "game",
  concept: "recall",
  cueOffset: 3,
  skills: { "Memory Recall": 1 },
  topics: [],
  rules: [
    { name: "verses", options: ["two", "three"] },
    { name: "telling", options: ["whole", "single"] },
    { name: "slips", options: ["stop", "again"] },
    { name: "hall", options: ["quiet", "loud"] },
    manners,
  ],
  heldOut: true,
  phases: [
    "hear the whole verse and keep it in mind",
    "sing it one piece a turn in the order in which it came",
    "do the same with the next one",
  ],
  answerFormat: "the verb, with one piece behind it where one is asked for",
  write,
};

function write(design: Design): string {
  const { random, theme } = design;
  const steps = stepsNeeded(design.size);
  const verse = branch(design, "verses") === "two" ? 2 : 3;
  const whole = branch(design, "telling") === "whole";
  const stops = branch(design, "slips") === "stop";
  const loud = branch(design, "hall") === "loud";
  let length = 2;
  while (length + 1 + (whole ? Math.ceil((length + 1) / verse) : length + 1) <= steps) length += 1;
  const kinds = theme.names.slice(
    0,
    Math.min(8, constant(theme, random, 3, 5) + Math.floor(design.size / 4)),
  );
  return gameSource(design, {
    goal: `sing the song of the ${theme.thing} to its end.`,
    rules: [
      `The song has ${length} pieces in verses of ${verse}${length % verse === 0 ? "" : "; the last verse is shorter"}.`,
      `\`hear\` brings ${whole ? "the whole verse" : "one piece"}, and nothing is told twice.`,
      "When a verse was told, the phase is repeat: it is sung one piece a turn, in the order in which it came. Then the next one is told.",
      stops ? `A wrong piece ${fatalPhrase}.` : "After a wrong piece the verse is sung again from its start.",
      ...(loud ? ["Somebody in the hall shouts pieces that mean nothing."] : []),
    ],
    commands: [
      { form: "hear", description: `hear on, ${roles.waits}`, does: "this.hear()" },
      {
        form: "sing <piece>",
        description: "sing the piece that is due",
        slots: [slotPhrase.word("piece", kinds.join(", "))],
        does: "this.sing(words[1])",
      },
    ],
    view: [
      say(`${stateKeys.phase}: {{this.told < this.verseEnd() ? "listen" : "repeat"}}`),
      say(`${stateKeys.progress}: {{this.sung}} of ${length}`),
      ...(loud ? [`"Shout: " + this.kinds[this.below(${kinds.length})]`] : []),
    ],
    setup: js`
      this.kinds = ${quoteAll(kinds)};
      this.song = Array.from({ length: ${length} }, () => this.kinds[this.below(${kinds.length})]);
      this.told = 0;
      this.sung = 0;
    `,
    methods: js`
      verseEnd() {
        return Math.min(${length}, this.sung - (this.sung % ${verse}) + ${verse});
      }

      hear() {
        if (this.told === this.verseEnd()) return "${results.refused}: the verse was told";
        const now = this.song.slice(this.told, ${whole ? "this.verseEnd()" : "this.told + 1"});
        this.told += now.length;
        return "${results.heard} " + now.join(", ");
      }

      sing(piece) {
        if (this.told < this.verseEnd()) return "${results.refused}: there is more to hear first";
        if (piece !== this.song[this.sung]) {
          ${stops ? 'this.outcome = "lost";' : `this.sung -= this.sung % ${verse};`}
          return "${results.wrong}";
        }
        this.sung += 1;
        if (this.sung === ${length}) this.outcome = "won";
        return "${results.right}";
      }
    `,
    helpers: ["below"],
    solution: js`
      return this.song.flatMap((piece, i) => {
        const told = ${whole ? `i % ${verse} === 0 ? ["hear"] : []` : `i % ${verse} === 0 ? Array.from(this.song.slice(i, i + ${verse}), () => "hear") : []`};
        return told.concat("sing " + piece);
      });
    `,
  });
}
