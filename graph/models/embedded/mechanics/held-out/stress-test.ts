/** Stress test, held out: how much a thing bears, found by loading specimens of which only so many may break. */
import { fatalPhrase, roles, slotPhrase, stateKeys } from "../conventions.ts";
import { gameSource, manners } from "../game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "../mechanic.ts";
import { constant } from "../theme.ts";
import { js, say } from "../write.ts";

export const stressTest: Mechanic = {
  name: "stress-test",
  kind: "game",
  concept: "bisect",
  cueOffset: 3,
  skills: { "Mathematical Reasoning": 1 },
  topics: [],
  rules: [{ name: "breaks", options: ["spare", "few"] }, manners],
  heldOut: true,
  phases: [
    "keep the largest load that held and the smallest that did not",
    "load half way between them",
    "declare when nothing lies between them",
  ],
  answerFormat: "a verb and one number",
  write,
};

function write(design: Design): string {
  const { random, theme } = design;
  const probes = stepsNeeded(design.size) - 1;
  const most = 2 ** probes - 1;
  const span = most - random.below(Math.max(1, Math.floor(most / 4)));
  const low = constant(theme, random, 5, 80);
  const few = branch(design, "breaks") === "few";
  const range = slotPhrase.number("number", low, low + span - 1);
  return gameSource(design, {
    goal: `find the load at which the ${theme.thing} first gives way.`,
    rules: [
      "A specimen holds every load below its limit, bears the limit itself evenly, and gives way above it.",
      `\`load\` tries a load on a specimen; only \`declare\` names the limit, and a wrong \`declare\` ${fatalPhrase}.`,
      ...(few
        ? [`There are ${probes + 1} specimens; when the last one has given way, the work ${fatalPhrase}.`]
        : []),
    ],
    commands: [
      {
        form: "load <number>",
        description: `load a specimen, ${roles.asks}`,
        slots: [range],
        does: "this.load(Number(words[1]))",
      },
      {
        form: "declare <number>",
        description: `name the limit, ${roles.decides}`,
        slots: [range],
        does: "this.declare(Number(words[1]))",
      },
    ],
    view: [`"${stateKeys.range}: ${low} to ${low + span - 1}"`, say("Broken: {{this.broken}}")],
    setup: js`
      this.limit = ${low} + this.below(${span});
      this.broken = 0;
    `,
    methods: js`
      load(value) {
        if (!Number.isInteger(value) || value < ${low} || value >= ${low + span}) return "refused: out of range";
        if (value === this.limit) return "even";
        if (value < this.limit) return "holds";
        this.broken += 1;
        ${few && `if (this.broken === ${probes + 1}) this.outcome = "lost";`}
        return "gives way";
      }

      declare(value) {
        this.outcome = value === this.limit ? "won" : "lost";
        return value === this.limit ? "right" : "wrong";
      }
    `,
    helpers: ["below"],
    solution: js`
      const commands = [];
      let [low, high] = [${low}, ${low + span - 1}];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        commands.push("load " + middle);
        if (middle === this.limit) break;
        if (middle < this.limit) low = middle + 1;
        else high = middle - 1;
      }
      return commands.concat("declare " + this.limit);
    `,
  });
}
