/** Circuit: switches with hidden wiring, pressed and watched until the lamps are as they are wanted. */
import { fatalPhrase, roles, slotPhrase, stateKeys } from "./conventions.ts";
import { gameSource, manners } from "./game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "./mechanic.ts";
import { constant } from "./theme.ts";
import { js, quoteAll } from "./write.ts";

export const circuit: Mechanic = {
  name: "circuit",
  kind: "game",
  concept: "toggle",
  cueOffset: 0,
  skills: { "Causal Inference": 2, "Logical Deduction": 1, "Pattern Recognition": 0.7 },
  topics: "circuit current power machine engine motor wire electric light device valve pump".split(" "),
  rules: [
    { name: "ending", options: ["commit", "hold", "open"] },
    { name: "wanted", options: ["all", "pattern"] },
    { name: "wires", options: ["random", "chain", "pairs"] },
    { name: "shock", options: ["none", "fatal"] },
    { name: "meter", options: ["none", "count"] },
    manners,
  ],
  heldOut: false,
  phases: [
    "press every switch once and note which lamps it changes",
    "work out which presses turn the lamps that are still wrong",
    "press those, and only then end the work",
  ],
  answerFormat: "the verb and the name of a switch, or the ending verb alone",
  write,
};

function write(design: Design): string {
  const { random, theme } = design;
  const steps = stepsNeeded(design.size);
  // Every switch is pressed once to learn it and about half of them again; ending takes one or two turns more.
  const ending = branch(design, "ending");
  const commits = ending === "commit";
  const open = ending === "open";
  const count = Math.max(2, Math.round((steps - (open ? 0 : commits ? 1 : 2)) / 1.4));
  const pattern = branch(design, "wanted") === "pattern";
  const wires = branch(design, "wires");
  const shock = branch(design, "shock") === "fatal";
  const meter = branch(design, "meter") === "count";
  const names = theme.names.slice(0, count);
  const chance = constant(theme, random, 25, 60);
  const verb = random.pick(["press", "flip", "turn"]);
  const ender = commits ? random.pick(["commit", "start", "seal"]) : random.pick(["hold", "rest", "stay"]);
  const wired =
    {
      random: `other > lamp && this.below(100) < ${chance}`,
      chain: "other === lamp + 1",
      pairs: `other > lamp && (other - lamp) % ${2 + random.below(2)} === 0`,
    }[wires] ?? "false";
  const right = pattern
    ? "this.lamps.every((lamp, i) => lamp === this.wanted[i])"
    : "this.lamps.every((lamp) => lamp)";
  return gameSource(design, {
    goal: pattern
      ? `bring the ${count} lamps of the ${theme.thing} into the wanted state${open ? "" : " and end the work"}.`
      : `have all ${count} lamps of the ${theme.thing} on${open ? "" : " and end the work"}.`,
    rules: [
      "Each switch turns certain lamps over, on to off and off to on; which ones does not change during the episode.",
      "Every lamp can be set as it is wanted.",
      open
        ? "The work is done as soon as the lamps are as wanted."
        : commits
          ? `\`${ender}\` wins when the lamps are as wanted; otherwise it ${fatalPhrase}.`
          : `\`${ender}\` twice running wins when the lamps are as wanted; otherwise the second one ${fatalPhrase}.`,
      ...(shock ? [`Using the same switch twice running ${fatalPhrase}.`] : []),
      ...(wires === "chain" ? ["A switch turns over one lamp or two lamps side by side."] : []),
    ],
    commands: [
      {
        form: `${verb} <switch>`,
        description: `use a switch, ${roles.asks}`,
        slots: [slotPhrase.word("switch", '{{this.names.join(", ")}}')],
        does: "this.press(words[1])",
      },
      ...(open
        ? []
        : [{ form: ender, description: `${roles.finishes}, ${roles.decides}`, does: "this.finish()" }]),
    ],
    view: [
      `"${stateKeys.lamps}: " + this.lamps.map((lamp) => (lamp ? "on" : "off")).join(" ")`,
      ...(pattern
        ? [`"${stateKeys.wanted}: " + this.wanted.map((lamp) => (lamp ? "on" : "off")).join(" ")`]
        : []),
      ...(meter
        ? [
            `"Right so far: " + this.lamps.filter(${pattern ? "(lamp, i) => lamp === this.wanted[i]" : "(lamp) => lamp"}).length`,
          ]
        : []),
    ],
    setup: js`
      this.names = this.shuffled(${quoteAll(names)});
      ${shock && "this.previous = null;"}
      ${ending === "hold" && "this.held = 0;"}
      const lamps = Array.from({ length: ${count} }, (_, i) => i);
      const wires = lamps.map((lamp) => lamps.filter((other) => other === lamp || (${wired})));
      this.wires = {};
      for (const [i, name] of this.shuffled(this.names).entries()) this.wires[name] = wires[i];
      ${pattern && "this.wanted = lamps.map(() => this.below(2) === 0);"}
      this.lamps = ${pattern ? "this.wanted.slice()" : "lamps.map(() => true)"};
      const size = ${Math.ceil(count / 2)} + this.below(${Math.max(1, count - Math.ceil(count / 2))});
      this.answer = this.shuffled(this.names).slice(0, size);
      for (const name of this.answer) this.turnOver(name);
    `,
    methods: js`
      turnOver(name) {
        for (const lamp of this.wires[name]) this.lamps[lamp] = !this.lamps[lamp];
      }

      press(name) {
        if (!this.names.includes(name)) return "refused: there is no such switch";
        ${ending === "hold" && "this.held = 0;"}
        ${
          shock &&
          js`
            if (this.previous === name) {
              this.outcome = "lost";
              return "it burns out";
            }
            this.previous = name;
          `
        }
        this.turnOver(name);
        ${open && `if (${right}) this.outcome = "won";`}
        return "${random.pick(["click", "a relay ticks", "something moves"])}";
      }

      ${
        !open &&
        js`
          finish() {
            ${ending === "hold" && 'this.held += 1;\nif (this.held < 2) return "you hold still";'}
            const good = ${right};
            this.outcome = good ? "won" : "lost";
            return good ? "all is as wanted" : "wrong";
          }
        `
      }
    `,
    helpers: ["below", "shuffled"],
    solution: `return this.answer.map((name) => "${verb} " + name)${open ? "" : `.concat(${commits ? `"${ender}"` : `"${ender}", "${ender}"`})`};`,
  });
}
