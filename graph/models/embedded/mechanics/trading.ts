/** Trading: a price that moves in streaks, to be owned before it rises and left before it falls. */
import { fatalPhrase, roles, stateKeys } from "./conventions.ts";
import { gameSource, manners } from "./game.ts";
import { branch, type Design, type Mechanic, stepsNeeded, turnsOf } from "./mechanic.ts";
import { constant } from "./theme.ts";
import { js, say } from "./write.ts";

export const trading: Mechanic = {
  name: "trading",
  kind: "game",
  concept: "trend",
  cueOffset: 0,
  skills: { "Pattern Recognition": 1.3, Optimization: 1, "Causal Inference": 1, "Strategic Planning": 0.7 },
  topics: "market trade price merchant money gold bank profit export economy commerce stock".split(" "),
  rules: [
    { name: "sign", options: ["bell", "bounds", "runs"] },
    { name: "fee", options: ["free", "paid"] },
    { name: "ruin", options: ["none", "fatal"] },
    { name: "pace", options: ["even", "uneven"] },
    { name: "stake", options: ["single", "growing"] },
    manners,
  ],
  heldOut: false,
  phases: [
    "look which way the last move went and whether the signal says turn",
    "get in before moves up and out before moves down",
    "keep your stance while nothing turns",
  ],
  answerFormat: "one verb alone",
  write,
};

function write(design: Design): string {
  const { random, theme } = design;
  const steps = stepsNeeded(design.size);
  const days = turnsOf(design) + 1;
  const sign = branch(design, "sign");
  const uneven = branch(design, "pace") === "uneven" && sign !== "bounds";
  const fee = branch(design, "fee") === "paid" ? 1 : 0;
  const ruin = branch(design, "ruin") === "fatal" ? constant(theme, random, 5, 9) : 0;
  const growing = branch(design, "stake") === "growing";
  const step = constant(theme, random, 2, 6);
  const double = constant(theme, random, 2, Math.max(3, steps - 2));
  const run = constant(theme, random, 2, 3);
  const low = 40 + constant(theme, random, 0, 60);
  const counted = sign !== "bell";
  const [enter, leave] = random.pick([
    ["buy", "sell"],
    ["join", "quit"],
    ["load", "unload"],
  ] as const);
  const move = uneven ? `this.pace + this.below(${Math.max(2, step)})` : "this.pace";
  const good = theme.names[0] ?? "grain";
  return gameSource(design, {
    goal: `gain as much from the price of ${good} as is asked for.`,
    rules: [
      `Each turn is a day: your command counts first, then the price moves${uneven ? "" : " by {{this.pace}}"}.`,
      `In, you gain what the price gains and lose what it loses${growing ? `, twice as much from day ${double} on` : ""}; out, you feel nothing. You begin out.`,
      {
        bell: "The price keeps its direction until a bell rings: signal turn means that the next move goes the other way.",
        bounds:
          "The price keeps its direction until it would leave the band from {{this.floor}} to {{this.floor + this.pace * this.run}}; then the signal is turn and the next move goes the other way.",
        runs: "Every run up or down lasts exactly {{this.run}} days; when it is over, the signal is turn and the next move goes the other way.",
      }[sign] ?? "",
      ...(fee > 0 ? [`Getting in costs ${fee}.`] : []),
      ...(ruin > 0 ? [`A loss of more than ${ruin * step} in all ${fatalPhrase}.`] : []),
      "The gain asked for is reached as soon as the worth says so.",
    ],
    commands: [
      { form: enter, description: `get in, ${roles.enters}`, does: "this.day(true)" },
      { form: leave, description: `get out, ${roles.leaves}`, does: "this.day(false)" },
      { form: "wait", description: `keep your stance, ${roles.waits}`, does: "this.day(this.inside)" },
    ],
    view: [
      say(`${stateKeys.worth}: {{this.gain}} of {{this.target}}`),
      say(`${stateKeys.price}: {{this.price}}`),
      `"${stateKeys.change}: " + (this.last > 0 ? "+" : "") + this.last`,
      `"${stateKeys.signal}: " + (this.changes[this.today] > 0 === this.last > 0 ? "calm" : "turn")`,
      `"${stateKeys.stance}: " + (this.inside ? "in" : "out")`,
    ],
    setup: js`
      this.today = 0;
      this.gain = 0;
      this.inside = false;
      this.price = ${low} + this.below(20);
      this.pace = ${step} + this.below(3);
      ${counted && `this.run = ${run} + this.below(2);`}
      for (let tries = 0; tries < 50; tries += 1) {
        this.draw();
        const rises = this.changes.slice(0, ${steps}).filter((change) => change > 0).length;
        if (rises >= ${Math.max(2, Math.floor(0.4 * steps))} && rises <= ${Math.ceil(0.75 * steps)}) break;
      }
      this.target = Infinity;
      this.target = this.follow(${steps}).gain;
    `,
    methods: js`
      draw() {
        this.changes = [];
        let rising = this.below(2) === 0;
        this.last = rising ? this.pace : -this.pace;
        ${
          sign === "bounds"
            ? js`
              let place = this.below(this.run + 1);
              this.floor = this.price - this.pace * place;
              while (this.changes.length <= ${days}) {
                if (place + (rising ? 1 : -1) > this.run || place + (rising ? 1 : -1) < 0) rising = !rising;
                place += rising ? 1 : -1;
                this.changes.push(rising ? this.pace : -this.pace);
              }
            `
            : js`
              let left = this.below(${counted ? "this.run" : "3"});
              while (this.changes.length <= ${days}) {
                if (left === 0) {
                  rising = !rising;
                  left = ${counted ? "this.run" : `${run} + this.below(2)`};
                }
                const move = ${move};
                this.changes.push(rising ? move : -move);
                left -= 1;
              }
            `
        }
      }

      follow(days) {
        const commands = [];
        let inside = false;
        let gain = 0;
        for (const [day, change] of this.changes.slice(0, days).entries()) {
          const wanted = change > 0;
          commands.push(wanted === inside ? "wait" : wanted ? "${enter}" : "${leave}");
          ${fee > 0 && `if (wanted && !inside) gain -= ${fee};`}
          inside = wanted;
          if (inside) gain += ${growing ? `change * (day + 1 >= ${double} ? 2 : 1)` : "change"};
          if (gain >= this.target) break;
        }
        return { commands, gain };
      }

      day(inside) {
        ${fee > 0 && `if (inside && !this.inside) this.gain -= ${fee};`}
        this.inside = inside;
        const change = this.changes[Math.min(this.today, this.changes.length - 1)];
        if (inside) this.gain += ${growing ? `change * (this.today + 1 >= ${double} ? 2 : 1)` : "change"};
        this.price += change;
        this.last = change;
        this.today += 1;
        if (this.gain >= this.target) this.outcome = "won";
        ${ruin > 0 && `if (this.gain < -${ruin * step}) this.outcome = "lost";`}
        return change > 0 ? "the price rose by " + change : "the price fell by " + -change;
      }
    `,
    helpers: ["below"],
    solution: `return this.follow(${days}).commands;`,
  });
}
