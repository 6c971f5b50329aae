/** Signal box, held out: levers in a ring that each move the signals beside them, and a bell that ends the work. */
import { fatalPhrase, roles, slotPhrase, stateKeys } from "../conventions.ts";
import { gameSource, manners } from "../game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "../mechanic.ts";
import { js, quoteAll } from "../write.ts";

export const signalBox: Mechanic = {
  name: "signal-box",
  kind: "game",
  concept: "toggle",
  cueOffset: 3,
  skills: { "Causal Inference": 1 },
  topics: [],
  rules: [{ name: "reach", options: ["two", "three"] }, manners],
  heldOut: true,
  phases: [
    "pull every lever once and see what it moves",
    "work out which of them to pull again",
    "ring when all is right",
  ],
  answerFormat: "the verb and a lever, or the bell's verb alone",
  write,
};

function write(design: Design): string {
  const { theme } = design;
  const count = Math.max(3, Math.round((stepsNeeded(design.size) - 1) / 1.4));
  const names = theme.names.slice(0, count);
  const three = branch(design, "reach") === "three" && count > 3;
  return gameSource(design, {
    goal: `set the ${count} signals of the ${theme.thing} as the plan wants them.`,
    rules: [
      `The signals stand in a ring. A lever moves ${three ? "three" : "two"} signals that stand together, from on to off or from off to on.`,
      "Which lever moves which signals is not written anywhere.",
      `\`ring\` wins when the signals stand as they are wanted; otherwise it ${fatalPhrase}.`,
    ],
    commands: [
      {
        form: "pull <lever>",
        description: `pull a lever, ${roles.asks}`,
        slots: [slotPhrase.word("lever", '{{this.levers.join(", ")}}')],
        does: "this.pull(words[1])",
      },
      { form: "ring", description: `${roles.finishes}, ${roles.decides}`, does: "this.ring()" },
    ],
    view: [
      `"${stateKeys.lamps}: " + this.signals.map((one) => (one ? "on" : "off")).join(" ")`,
      `"${stateKeys.wanted}: " + this.plan.map((one) => (one ? "on" : "off")).join(" ")`,
    ],
    setup: js`
      this.levers = this.shuffled(${quoteAll(names)});
      this.places = this.shuffled(this.levers.map((_, i) => i));
      this.plan = this.levers.map(() => this.below(2) === 0);
      this.signals = this.plan.slice();
      this.pulls = this.shuffled(this.levers).slice(0, 1 + this.below(${Math.max(1, count - 2)}));
      for (const lever of this.pulls) this.move(lever);
    `,
    methods: js`
      move(lever) {
        const place = this.places[this.levers.indexOf(lever)];
        for (let step = 0; step < ${three ? 3 : 2}; step += 1) {
          const signal = (place + step) % ${count};
          this.signals[signal] = !this.signals[signal];
        }
      }

      pull(lever) {
        if (!this.levers.includes(lever)) return "refused: there is no such lever";
        this.move(lever);
        return "iron grates on iron";
      }

      ring() {
        const right = this.signals.every((one, i) => one === this.plan[i]);
        this.outcome = right ? "won" : "lost";
        return right ? "right" : "wrong";
      }
    `,
    helpers: ["below", "shuffled"],
    solution: 'return this.pulls.map((lever) => "pull " + lever).concat("ring");',
  });
}
