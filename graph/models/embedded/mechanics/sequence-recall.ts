/** Sequence recall: pieces are given one after the other and have to be said again from memory. */
import { fatalPhrase, results, roles, slotPhrase, stateKeys } from "./conventions.ts";
import { gameSource, manners } from "./game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "./mechanic.ts";
import { constant } from "./theme.ts";
import { js, quoteAll, say } from "./write.ts";

export const sequenceRecall: Mechanic = {
  name: "sequence-recall",
  kind: "game",
  concept: "recall",
  cueOffset: 0,
  skills: { "Memory Recall": 2.2, "Pattern Recognition": 0.7, "Language Understanding": 0.7 },
  topics: "music song melody poem voice rhythm dance language speech signal bird story".split(" "),
  rules: [
    { name: "order", options: ["forward", "backward"] },
    { name: "lumps", options: ["one", "two", "three"] },
    { name: "slips", options: ["fatal", "pardon", "restart"] },
    { name: "mute", options: ["none", "silent"] },
    { name: "bow", options: ["none", "bow"] },
    manners,
  ],
  heldOut: false,
  phases: [
    "bring out all pieces first and keep them in mind",
    "see in which order they are asked for",
    "say them one a turn without a slip",
  ],
  answerFormat: "the verb and one piece",
  write,
};

function write(design: Design): string {
  const { random, theme } = design;
  const steps = stepsNeeded(design.size);
  const backward = branch(design, "order") === "backward";
  const lump = { one: 1, two: 2, three: 3 }[branch(design, "lumps")] ?? 1;
  const slips = branch(design, "slips");
  const silent = branch(design, "mute") === "silent";
  const bow = branch(design, "bow") === "bow";
  let length = 2;
  while (length + 1 + Math.ceil((length + 1) / lump) + (bow ? 1 : 0) <= steps) length += 1;
  // Silent pieces are heard and not said, so the sequence is longer by those that fill its last lump.
  const kinds = theme.names.slice(
    0,
    Math.min(7, constant(theme, random, 2, 4) + Math.floor(design.size / 4)),
  );
  const mute = theme.names[8] ?? "hush";
  const pieces = silent ? [...kinds, mute] : kinds;
  const ask = random.pick(["next", "listen", "hear"]);
  const speak = random.pick(["say", "sing", "call"]);
  return gameSource(design, {
    goal: `say again what the ${theme.thing} tells.`,
    rules: [
      `\`${ask}\` brings ${lump === 1 ? "the next piece" : `the next ${lump} pieces, fewer at the end`}; each is told once.`,
      `After the last piece the phase is repeat, and the pieces are said one a turn, ${backward ? "the last one first" : "in the order in which they came"}.`,
      ...(silent ? [`The piece ${mute} is heard but never said; it is left out.`] : []),
      ...(bow ? ["Before the first piece is said, `bow` once."] : []),
      {
        fatal: `A wrong piece ${fatalPhrase}.`,
        pardon: `The first wrong piece is pardoned; the second ${fatalPhrase}.`,
        restart: "After a wrong piece, saying begins again with the first one.",
      }[slips] ?? "",
    ],
    commands: [
      { form: ask, description: `hear more, ${roles.waits}`, does: "this.tell()" },
      {
        form: `${speak} <piece>`,
        description: "say the piece that is due",
        slots: [slotPhrase.word("piece", pieces.join(", "))],
        does: "this.hearPiece(words[1])",
      },
      ...(bow ? [{ form: "bow", description: "bow before you speak", does: "this.bow()" }] : []),
    ],
    view: [
      say(
        `${stateKeys.phase}: {{this.told < this.pieces.length ? "listen" : ${bow ? 'this.bowed ? "repeat" : "bow"' : '"repeat"'}}}`,
      ),
      say(`${stateKeys.order}: ${backward ? "backward" : "forward"}`),
      ...(silent ? [say(`${stateKeys.skip}: ${mute}`)] : []),
      say(`${stateKeys.progress}: {{this.said}} of {{this.due.length}}`),
    ],
    setup: js`
      this.told = 0;
      this.said = 0;
      ${slips === "pardon" && "this.pardoned = false;"}
      ${bow && "this.bowed = false;"}
      const kinds = ${quoteAll(kinds)};
      this.pieces = Array.from({ length: ${length} }, () => kinds[this.below(kinds.length)]);
      ${silent && `this.pieces.splice(this.below(${length}), 1, "${mute}");`}
      this.due = this.pieces${silent ? `.filter((piece) => piece !== "${mute}")` : ""}${backward ? ".slice().reverse()" : ".slice()"};
    `,
    methods: js`
      tell() {
        if (this.told >= this.pieces.length) return "${results.refused}: everything was told";
        const now = this.pieces.slice(this.told, this.told + ${lump});
        this.told += now.length;
        return "${results.heard} " + now.join(", ");
      }

      hearPiece(piece) {
        if (this.told < this.pieces.length) return "${results.refused}: there is more to hear first";
        ${bow && `if (!this.bowed) return "${results.refused}: bow first";`}
        if (piece !== this.due[this.said]) return this.slip();
        this.said += 1;
        if (this.said === this.due.length) this.outcome = "won";
        return "${results.right}";
      }

      slip() {
        ${
          slips === "pardon"
            ? js`
              if (this.pardoned) this.outcome = "lost";
              this.pardoned = true;
            `
            : slips === "fatal"
              ? 'this.outcome = "lost";'
              : "this.said = 0;"
        }
        return "${results.wrong}";
      }

      ${
        bow &&
        js`
          bow() {
            if (this.told < this.pieces.length) return "${results.refused}: there is more to hear first";
            this.bowed = true;
            return "you bow";
          }
        `
      }
    `,
    helpers: ["below"],
    solution: js`
      const commands = [];
      for (let i = 0; i < this.pieces.length; i += ${lump}) commands.push("${ask}");
      ${bow && 'commands.push("bow");'}
      return commands.concat(this.due.map((piece) => "${speak} " + piece));
    `,
  });
}
