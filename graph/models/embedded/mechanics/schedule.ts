/** Schedule: tasks that need others done before them, to be put into an order that works. */
import { fatalPhrase, results, slotPhrase, stateKeys } from "./conventions.ts";
import { gameSource, manners } from "./game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "./mechanic.ts";
import { constant } from "./theme.ts";
import { js, quoteAll, say } from "./write.ts";

export const schedule: Mechanic = {
  name: "schedule",
  kind: "game",
  concept: "dependency",
  cueOffset: 0,
  skills: {
    "Strategic Planning": 1.5,
    "Language Understanding": 1.7,
    Optimization: 0.5,
    "Causal Inference": 0.7,
  },
  topics:
    "recipe cook build plan project process factory production construction kitchen repair festival".split(
      " ",
    ),
  rules: [
    { name: "errors", options: ["fatal", "strikes", "waste"] },
    { name: "goal", options: ["all", "last"] },
    { name: "shown", options: ["once", "always"] },
    { name: "links", options: ["loose", "tight"] },
    { name: "pause", options: ["none", "tired"] },
    manners,
  ],
  heldOut: false,
  phases: [
    "list what every task needs",
    "begin with one that needs nothing",
    "always do one whose needs are all done, and leave out what the goal does not need",
  ],
  answerFormat: "the verb and the name of one task",
  write,
};

function write(design: Design): string {
  const { random, theme } = design;
  const errors = branch(design, "errors");
  const last = branch(design, "goal") === "last";
  const always = branch(design, "shown") === "always";
  const tight = branch(design, "links") === "tight";
  const tired = branch(design, "pause") === "tired";
  const steps = stepsNeeded(design.size);
  const every = constant(theme, random, 3, 5);
  // A pause is due after every few tasks, the last one excepted.
  const needed = tired ? steps - Math.floor((steps - 1) / (every + 1)) : steps;
  const extra = last ? 2 + Math.floor(design.size / 5) : 0;
  const names = theme.names.slice(0, needed + extra);
  const strikes = constant(theme, random, 2, 3);
  const verb = random.pick(["do", "make", "prepare"]);
  const reach = tight ? 2 : constant(theme, random, 3, 4);
  return gameSource(design, {
    goal: last ? "finish the task {{this.target}}." : `finish all tasks of the ${theme.thing}.`,
    rules: [
      "A task can be done when everything that it needs is done.",
      {
        fatal: `Doing a task too early ${fatalPhrase}.`,
        strikes: `Doing a task too early spoils material; the ${strikes === 2 ? "second" : "third"} time ${fatalPhrase}.`,
        waste: "Doing a task too early has no effect.",
      }[errors] ?? "",
      ...(last ? ["Only the last task counts; some tasks are of no use for it."] : []),
      ...(tired ? [`After ${every} tasks without a pause, \`pause\` before the next one.`] : []),
      "A task that is done need not be done again.",
    ],
    commands: [
      {
        form: `${verb} <task>`,
        description: "do one task",
        slots: [slotPhrase.word("task", '{{this.tasks.join(", ")}}')],
        does: "this.work(words[1])",
      },
      ...(tired ? [{ form: "pause", description: "take a breath", does: "this.pause()" }] : []),
    ],
    view: [
      ...(last ? [say(`${stateKeys.wanted}: {{this.target}}`)] : []),
      ...(tired ? [say(`${stateKeys.tired}: {{this.streak >= ${every} ? "yes" : "no"}}`)] : []),
      ...(always ? ["this.needsLine()"] : []),
      `"${stateKeys.done}: " + (this.done.join(", ") || "nothing")`,
    ],
    firstView: always ? [] : ["this.needsLine()"],
    setup: js`
      this.done = [];
      ${errors === "strikes" && "this.strikes = 0;"}
      ${tired && "this.streak = 0;"}
      const names = this.shuffled(${quoteAll(names)});
      this.plan = names.slice(0, ${needed});
      this.needs = {};
      for (const name of names) this.needs[name] = [];
      for (let i = 0; i < ${needed - 1}; i += 1) {
        const later = Math.min(${needed - 1}, i + 1 + this.below(${reach}));
        this.needs[this.plan[later]].push(this.plan[i]);
        ${tight && "if (i > 0 && this.below(2) === 0 && !this.needs[this.plan[i]].includes(this.plan[i - 1])) this.needs[this.plan[i]].push(this.plan[i - 1]);"}
      }
      ${extra > 0 && `for (const name of names.slice(${needed})) this.needs[name].push(this.plan[this.below(${needed})]);`}
      ${last && `this.target = this.plan[${needed - 1}];`}
      this.tasks = names.slice().sort();
    `,
    methods: js`
      needsLine() {
        return "${stateKeys.needs}: " + this.tasks.map((task) => task + " after " + (this.needs[task].join(", ") || "nothing")).join("; ");
      }

      work(task) {
        if (!this.tasks.includes(task)) return "${results.refused}: there is no such task";
        if (this.done.includes(task)) return "${results.refused}: it is done already";
        ${tired && `if (this.streak >= ${every}) return "${results.refused}: a pause is due";`}
        if (this.needs[task].some((need) => !this.done.includes(need))) return this.tooEarly();
        this.done.push(task);
        ${tired && "this.streak += 1;"}
        if (${last ? "task === this.target" : `this.done.length === ${needed}`}) this.outcome = "won";
        return task + " is done";
      }

      tooEarly() {
        ${errors === "fatal" && 'this.outcome = "lost";'}
        ${
          errors === "strikes" &&
          js`
            this.strikes += 1;
            if (this.strikes >= ${strikes}) this.outcome = "lost";
          `
        }
        return "${results.wrong}: too early";
      }

      ${
        tired &&
        js`
          pause() {
            this.streak = 0;
            return "you rest a little";
          }
        `
      }
    `,
    helpers: ["below", "shuffled"],
    solution: tired
      ? js`
        const commands = [];
        for (const [i, task] of this.plan.entries()) {
          if (i > 0 && i % ${every} === 0) commands.push("pause");
          commands.push("${verb} " + task);
        }
        return commands;
      `
      : `return this.plan.map((task) => "${verb} " + task);`,
  });
}
