/** Repair round: units to be inspected one by one, and a fitting tool to be chosen for what each of them has. */
import { remedyLine } from "./conventions.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "./mechanic.ts";
import { constant } from "./theme.ts";
import { codesAt, type Tool, toolSource } from "./tool-use.ts";
import { js, quote, quoteAll } from "./write.ts";

export const repairRound: Mechanic = {
  name: "repair-round",
  kind: "tool-use",
  concept: "sweep",
  cueOffset: 6,
  skills: {
    "Tool Selection": 2,
    "State Modification": 2,
    "Error Recovery": 0.7,
    "Multi-Step Workflows": 0.5,
  },
  topics: "repair machine maintenance engine station patient doctor plant animal inspection workshop".split(
    " ",
  ),
  rules: [
    { name: "mistake", options: ["breaks", "refused"] },
    { name: "ending", options: ["code", "count"] },
    { name: "order", options: ["any", "listed"] },
    { name: "wear", options: ["none", "worsens"] },
    { name: "supplies", options: ["endless", "counted"] },
  ],
  heldOut: false,
  phases: [
    "inspect one unit after the other",
    "use the tool that the table names for what it shows, at once",
    "when all are well, end the round as the task asks",
  ],
  answerFormat: "one tool call a turn, at last the value that is asked for as the answer",
  write,
};

const ailments: readonly (readonly [state: string, tool: string, description: string])[] = [
  ["jammed", "clear_unit", "Clears a unit."],
  ["dry", "refill_unit", "Refills a unit."],
  ["loose", "tighten_unit", "Tightens a unit."],
  ["hot", "cool_unit", "Cools a unit down."],
  ["dirty", "clean_unit", "Cleans a unit."],
];

function write(design: Design): string {
  const { random, theme } = design;
  const breaks = branch(design, "mistake") === "breaks";
  const code = branch(design, "ending") === "code";
  const listed = branch(design, "order") === "listed";
  const worsens = branch(design, "wear") === "worsens";
  const work = stepsNeeded(design.size) - (code ? 2 : 1);
  const units = Math.max(2, Math.ceil(work * 0.6));
  const ill = Math.max(1, work - units);
  const kinds = random.shuffle(ailments).slice(0, constant(theme, random, 2, 4));
  const wear = units + ill + constant(theme, random, 2, 4);
  const supplies = branch(design, "supplies") === "counted" ? ill + constant(theme, random, 2, 4) : 0;
  const names = theme.names.slice(0, units);
  const unit = { name: "unit", type: "string" as const, values: "this.units" };
  const inspect = random.pick(["inspect_unit", "examine_unit"]);
  const tools: Tool[] = [
    {
      name: inspect,
      description: "Shows the state of a unit.",
      parameters: [unit],
      body: js`
        ${worsens && "this.clock += 1;"}
        if (!this.units.includes(unit)) return { error: "there is no such unit" };
        ${listed && 'const turn = this.units.find((name) => !this.seen.has(name));\nif (turn && unit !== turn && !this.seen.has(unit)) return { error: "out of turn, the next one is " + turn };'}
        ${(listed || code) && "this.seen.add(unit);"}
        return { unit, state: this.state[unit] };
      `,
    },
    ...kinds.map(([state, tool, description]) => ({
      name: tool,
      description,
      parameters: [unit],
      body: `return this.treat(unit, ${quote(state)});`,
    })),
    ...(code
      ? [
          {
            name: "close_round",
            description: "Ends the round once all units are well, and gives its code.",
            parameters: [],
            body: js`
              const open = this.units.filter((name) => this.state[name] !== "fine" || !this.seen.has(name));
              if (open.length > 0) return { error: open.length + " units are not inspected or not well" };
              return { closing_code: this.closing };
            `,
          },
        ]
      : []),
  ];
  return toolSource(design, {
    goal: `inspect all ${units} units of the ${theme.thing} and treat those that are not fine.`,
    rules: [
      "The table of remedies says which tool a state asks for.",
      breaks
        ? "A tool that the state does not ask for breaks the unit for good."
        : "A tool that the state does not ask for is refused.",
      ...(supplies > 0 ? [`There are supplies for ${supplies} treatments, wrong ones included.`] : []),
      ...(listed ? ["The units are inspected in the order in which the tool lists them."] : []),
      ...(worsens
        ? [
            `Once ${wear} inspections were made, every treatment leaves one of the units ${kinds[0]?.[0] ?? "dry"}.`,
          ]
        : []),
      code
        ? "The round is closed when all units were inspected and are fine."
        : "The number of units that were not fine is asked for, once all are treated.",
    ],
    facts: [
      remedyLine({ ...Object.fromEntries(kinds.map(([state, tool]) => [state, tool])), fine: "nothing" }),
    ],
    answer: code ? "closing_code" : "count of repairs",
    tools,
    setup: js`
      this.units = this.shuffled(${quoteAll(names)});
      ${(listed || code) && "this.seen = new Set();"}
      ${worsens && "this.clock = 0;"}
      this.state = {};
      for (const name of this.units) this.state[name] = "fine";
      const states = ${quoteAll(kinds.map(([state]) => state))};
      ${supplies > 0 && `this.supplies = ${supplies};`}
      this.ill = this.shuffled(this.units).slice(0, ${ill}${units > ill + 1 ? " + this.below(2)" : ""});
      for (const name of this.ill) this.state[name] = states[this.below(states.length)];
      ${code && `this.closing = this.code("round", ${codesAt(design.size)});`}
      this.expectedAnswer = ${code ? "this.closing" : "String(this.ill.length)"};
    `,
    methods: js`
      treat(unit, wanted) {
        if (!this.units.includes(unit)) return { error: "there is no such unit" };
        ${supplies > 0 && 'if (this.supplies === 0) return { error: "the supplies are used up" };\nthis.supplies -= 1;'}
        if (this.state[unit] !== wanted) {
          ${breaks ? 'this.state[unit] = "broken";\nreturn { unit, state: "broken" };' : 'return { error: "that is not what the unit needs" };'}
        }
        this.state[unit] = "fine";
        ${worsens && `if (this.clock >= ${wear}) this.state[this.units[this.clock % this.units.length]] = ${quote(kinds[0]?.[0] ?? "dry")};`}
        return { unit, state: "fine" };
      }

      ${
        !code &&
        js`
          checkAnswer(answer) {
            const well = this.units.every((name) => this.state[name] === "fine");
            return well && Number(answer) === this.ill.length;
          }
        `
      }
    `,
    helpers: code ? ["below", "shuffled", "code"] : ["below", "shuffled"],
    solution: js`
      const calls = [];
      const remedies = { ${kinds.map(([state, tool]) => `${state}: ${quote(tool)}`).join(", ")} };
      for (const unit of this.units) {
        calls.push(this.call(${quote(inspect)}, { unit }));
        const remedy = remedies[this.state[unit]];
        if (remedy) calls.push(this.call(remedy, { unit }));
      }
      ${code && 'calls.push(this.call("close_round", {}));'}
      return calls.concat(this.answer(this.expectedAnswer));
    `,
  });
}
