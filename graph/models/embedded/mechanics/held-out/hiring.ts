/** Hiring, held out: people can be hired again and again, and each of them asks for more every time. */
import { results, roles, slotPhrase, stateKeys } from "../conventions.ts";
import { gameSource, manners } from "../game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "../mechanic.ts";
import { constant } from "../theme.ts";
import { js, quoteAll, say } from "../write.ts";

export const hiring: Mechanic = {
  name: "hiring",
  kind: "game",
  concept: "ratio",
  cueOffset: 3,
  skills: { Optimization: 1 },
  topics: [],
  rules: [{ name: "wages", options: ["steady", "all"] }, manners],
  heldOut: true,
  phases: [
    "divide what each gives by what it costs now",
    "hire the best one",
    "work it out anew after every hire",
  ],
  answerFormat: "the verb and one name",
  write,
};

function write(design: Design): string {
  const { random, theme } = design;
  const hires = stepsNeeded(design.size);
  const people = theme.names.slice(0, 3 + Math.floor(hires / 2));
  const rise = constant(theme, random, 2, 4);
  const all = branch(design, "wages") === "all";
  return gameSource(design, {
    goal: `get the work of the ${theme.thing} done for the money that there is.`,
    rules: [
      "Hiring somebody uses up the cost of what is left and adds the worth; the same one can be hired again.",
      `After a hire ${all ? `everybody asks for 1 more, and the one who was hired for ${rise} more` : `the one who was hired asks for ${rise} more`}.`,
      "The work is done as soon as the worth is reached.",
    ],
    commands: [
      {
        form: "hire <name>",
        description: roles.takes,
        slots: [slotPhrase.word("name", '{{this.people.map((one) => one.name).join(", ")}}')],
        does: "this.hire(words[1])",
      },
    ],
    view: [
      say(`${stateKeys.worth}: {{this.worth}} of {{this.target}}`),
      say(`${stateKeys.left}: {{this.left}}`),
      `"${stateKeys.items}: " + this.people.map((one) => one.name + " [cost " + one.cost + ", worth " + one.worth + "]").join("; ")`,
    ],
    setup: js`
      this.people = this.shuffled(${quoteAll(people)}).map((name) => {
        const cost = 3 + this.below(7);
        return { name, cost, worth: cost * (2 + this.below(4)) + this.below(cost) };
      });
      this.best = [];
      this.worth = 0;
      this.left = 10000;
      const people = this.people.map((one) => ({ ...one }));
      for (let i = 0; i < ${hires}; i += 1) {
        const [first] = this.people.slice().sort((a, b) => b.worth / b.cost - a.worth / a.cost);
        this.best.push(first.name);
        this.pay(first);
      }
      this.target = this.worth;
      this.left = 10000 - this.left + this.below(3);
      this.people = people;
      this.worth = 0;
    `,
    methods: js`
      pay(one) {
        this.left -= one.cost;
        this.worth += one.worth;
        one.cost += ${rise};
        ${all && "for (const other of this.people) other.cost += 1;"}
      }

      hire(name) {
        const one = this.people.find((person) => person.name === name);
        if (!one) return "${results.refused}: nobody of that name";
        if (one.cost > this.left) return "${results.refused}: there is not enough left";
        this.pay(one);
        if (this.worth >= this.target) this.outcome = "won";
        return name + " gets to work";
      }
    `,
    helpers: ["below", "shuffled"],
    solution: 'return this.best.map((name) => "hire " + name);',
  });
}
