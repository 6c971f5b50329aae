/** Tide nets, held out: nets to be out while the water rises and in while it falls, with a catch that may be lost. */
import { roles, stateKeys } from "../conventions.ts";
import { gameSource, manners } from "../game.ts";
import { branch, type Design, type Mechanic, stepsNeeded, turnsOf } from "../mechanic.ts";
import { constant } from "../theme.ts";
import { js, say } from "../write.ts";

export const tideNets: Mechanic = {
  name: "tide-nets",
  kind: "game",
  concept: "trend",
  cueOffset: 3,
  skills: { "Pattern Recognition": 1 },
  topics: [],
  rules: [{ name: "loss", options: ["part", "all"] }, manners],
  heldOut: true,
  phases: [
    "see which way the water went and whether it is about to turn",
    "cast before it rises",
    "haul before it falls",
  ],
  answerFormat: "one verb alone",
  write,
};

function write(design: Design): string {
  const { random, theme } = design;
  const steps = stepsNeeded(design.size);
  const hours = turnsOf(design) + 1;
  const all = branch(design, "loss") === "all";
  const catchOf = constant(theme, random, 3, 9);
  return gameSource(design, {
    goal: `bring in the catch that the ${theme.thing} needs.`,
    rules: [
      "Each turn is an hour: your command counts first, then the water rises or falls.",
      `While the nets are in the water, a rise brings ${catchOf} fish, and a fall takes ${all ? "half of the whole catch" : `${2 * catchOf} fish`} away.`,
      "Signal turn means that the water goes the other way next; otherwise it goes on as it did.",
      "The catch counts as soon as it is large enough.",
    ],
    commands: [
      { form: "cast", description: `put the nets into the water, ${roles.enters}`, does: "this.hour(true)" },
      { form: "haul", description: `take the nets out, ${roles.leaves}`, does: "this.hour(false)" },
      {
        form: "rest",
        description: `leave the nets as they are, ${roles.waits}`,
        does: "this.hour(this.cast)",
      },
    ],
    view: [
      say(`${stateKeys.worth}: {{this.fish}} of {{this.needed}}`),
      `"${stateKeys.change}: " + (this.before ? "+1" : "-1")`,
      `"${stateKeys.signal}: " + (this.water[this.now] === this.before ? "calm" : "turn")`,
      `"${stateKeys.stance}: " + (this.cast ? "in" : "out")`,
    ],
    setup: js`
      this.now = 0;
      this.fish = 0;
      this.cast = false;
      this.before = this.below(2) === 0;
      this.water = [];
      let rising = this.before;
      let left = this.below(2);
      while (this.water.length <= ${hours}) {
        if (left === 0) {
          rising = this.water.length === 0 || !rising;
          left = 1 + this.below(3);
        }
        this.water.push(rising);
        left -= 1;
      }
      const rises = this.water.slice(0, ${steps}).filter((up) => up).length;
      this.needed = ${catchOf} * Math.max(1, rises);
    `,
    methods: js`
      hour(cast) {
        this.cast = cast;
        const up = this.water[Math.min(this.now, this.water.length - 1)];
        if (cast && up) this.fish += ${catchOf};
        if (cast && !up) this.fish = ${all ? "Math.floor(this.fish / 2)" : `Math.max(0, this.fish - ${2 * catchOf})`};
        this.before = up;
        this.now += 1;
        if (this.fish >= this.needed) this.outcome = "won";
        return up ? "the water rose" : "the water fell";
      }
    `,
    helpers: ["below"],
    solution: js`
      const commands = [];
      let fish = 0;
      for (const up of this.water) {
        if (fish >= this.needed) break;
        commands.push(up ? "cast" : "haul");
        if (up) fish += ${catchOf};
      }
      return commands;
    `,
  });
}
