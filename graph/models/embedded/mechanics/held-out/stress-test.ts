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
  const range = slotPhrase.number("load", low, low + span - 1);
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
        form: "load <load>",
        description: `load a specimen, ${roles.asks}`,
        slots: [range],
        does: "this.load(Number(words[1]))",
      },
      {
        form: "declare <load>",
        description: `name the limit, ${roles.decides}`,
        slots: [range],
        does: "this.declare(Number(words[1]))",
      },
    ],
    view: [
      `"${stateKeys.range}: ${low} to ${low + span - 1}"`,
      ...(few ? [say("Specimens: {{this.specimens}}")] : []),
    ],
    setup: js`
      this.limit = ${low} + this.below(${span});
      ${few && `this.specimens = ${probes + 1};`}
    `,
    methods: js`
      load(value) {
        if (!Number.isFinite(value)) return "refused: not a load";
        if (value === this.limit) return "even";
        if (value < this.limit) return "holds";
        ${few && 'this.specimens -= 1;\nif (this.specimens === 0) this.outcome = "lost";'}
        return "gives way";
      }

      declare(value) {
        this.outcome = value === this.limit ? "won" : "lost";
        return value === this.limit ? "right" : "wrong";
      }
    `,
    helpers: ["below"],
    solution: 'return ["declare " + this.limit];',
  });
}
