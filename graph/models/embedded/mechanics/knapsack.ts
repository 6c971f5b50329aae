/** Knapsack: items with a cost and a worth, of which the best have to be taken before the means run out. */
import { fatalPhrase, results, roles, slotPhrase, stateKeys } from "./conventions.ts";
import { gameSource, manners } from "./game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "./mechanic.ts";
import { constant } from "./theme.ts";
import { js, quoteAll, say } from "./write.ts";

export const knapsack: Mechanic = {
  name: "knapsack",
  kind: "game",
  concept: "ratio",
  cueOffset: 0,
  skills: { Optimization: 2, "Strategic Planning": 1, "Mathematical Reasoning": 1 },
  topics: "cargo bag ship load weight freight supply budget resource energy fuel food ration".split(" "),
  rules: [
    { name: "ending", options: ["reach", "close"] },
    { name: "overload", options: ["refused", "fatal"] },
    { name: "fading", options: ["steady", "fading", "dearer"] },
    { name: "waves", options: ["one", "two"] },
    { name: "giveback", options: ["never", "half"] },
    { name: "demand", options: ["high", "modest"] },
    manners,
  ],
  heldOut: false,
  phases: [
    "divide the worth of every item by its cost",
    "take the best one that still fits",
    "go on until the worth asked for is reached, and end the work if that is asked",
  ],
  answerFormat: "a verb and the name of one item",
  write,
};

function write(design: Design): string {
  const { random, theme } = design;
  const closes = branch(design, "ending") === "close";
  const takes = stepsNeeded(design.size) - (closes ? 1 : 0);
  const fatal = branch(design, "overload") === "fatal";
  const fading = branch(design, "fading");
  const waves = branch(design, "waves") === "two" && takes >= 5;
  const giveback = branch(design, "giveback") === "half";
  const decoys = takes + constant(theme, random, 0, 3);
  const items = theme.names.slice(0, takes + decoys);
  const first = Math.ceil(takes / 2);
  const bestRatio = constant(theme, random, 4, 6);
  const cheap = constant(theme, random, 2, 4);
  const verb = random.pick(["take", "load", "pack"]);
  const share =
    branch(design, "demand") === "high" ? constant(theme, random, 90, 97) : constant(theme, random, 45, 70);
  return gameSource(design, {
    goal: `gather the worth that is asked for around the ${theme.thing}, without more than what is left to spend.`,
    rules: [
      "Taking an item uses up its cost of what is left and adds its worth.",
      fatal
        ? `Taking an item that costs more than is left ${fatalPhrase}.`
        : "An item that costs more than is left is refused.",
      closes
        ? `When the worth is reached, close the books; closing them before ${fatalPhrase}.`
        : "The work is done as soon as the worth is reached.",
      ...(fading === "fading" ? ["With every item taken, those not taken lose 1 of their worth."] : []),
      ...(fading === "dearer" ? ["With every third item taken, those not taken cost 1 more."] : []),
      ...(waves ? [`After ${first} items are taken, a second lot of items comes in.`] : []),
      ...(giveback ? ["Items can be given back, for half of their cost, rounded down."] : []),
    ],
    commands: [
      {
        form: `${verb} <item>`,
        description: `${roles.takes}`,
        slots: [slotPhrase.word("item", '{{this.items.map((item) => item.name).join(", ")}}')],
        does: "this.take(words[1])",
      },
      ...(giveback
        ? [
            {
              form: "return <item>",
              description: "give an item back",
              slots: [slotPhrase.word("item", '{{this.items.map((item) => item.name).join(", ")}}')],
              does: "this.giveBack(words[1])",
            },
          ]
        : []),
      ...(closes
        ? [{ form: "close", description: `${roles.finishes}, ${roles.decides}`, does: "this.close()" }]
        : []),
    ],
    view: [
      say(`${stateKeys.worth}: {{this.worth}} of {{this.target}}`),
      say(`${stateKeys.left}: {{this.left}}`),
      `"${stateKeys.items}: " + this.offered().map((item) => item.name + " [cost " + item.cost + ", worth " + item.worth + "]").join("; ")`,
    ],
    setup: js`
      const names = this.shuffled(${quoteAll(items)});
      this.items = names.map((name, i) => {
        const good = i < ${takes};
        const cost = good ? ${cheap} + this.below(6) : ${cheap + 1} + this.below(9);
        const worth = good ? cost * (${bestRatio} + this.below(2)) + this.below(cost) : cost * (1 + this.below(${bestRatio - 2})) + this.below(cost);
        return { name, cost, worth, ${waves ? `lot: i % ${takes} < ${first} ? 1 : 2, ` : ""}taken: false };
      });
      this.left = this.items.slice(0, ${takes}).reduce((sum, item) => sum + item.cost, ${fading === "dearer" ? takes : "this.below(2)"});
      this.items = this.shuffled(this.items);
      this.worth = 0;
      this.taken = 0;
      this.target = 0;
      this.target = Math.floor(this.plan().worth * ${share / 100});
    `,
    methods: js`
      offered() {
        return this.items.filter((item) => !item.taken${waves ? ` && (item.lot === 1 || this.taken >= ${first})` : ""});
      }

      plan() {
        const kept = JSON.stringify([this.items, this.left, this.worth, this.taken]);
        const names = [];
        while (names.length < ${takes}) {
          const fitting = this.offered().filter((item) => item.cost <= this.left);
          if (fitting.length === 0 || (this.target > 0 && this.worth >= this.target)) break;
          fitting.sort((a, b) => b.worth / b.cost - a.worth / a.cost);
          this.put(fitting[0]);
          names.push(fitting[0].name);
        }
        const worth = this.worth;
        [this.items, this.left, this.worth, this.taken] = JSON.parse(kept);
        return { names, worth };
      }

      put(item) {
        item.taken = true;
        this.taken += 1;
        this.left -= item.cost;
        this.worth += item.worth;
        ${fading === "fading" && "for (const other of this.items) if (!other.taken && other.worth > 1) other.worth -= 1;"}
        ${fading === "dearer" && "if (this.taken % 3 === 0) for (const other of this.items) if (!other.taken) other.cost += 1;"}
      }

      take(name) {
        const item = this.offered().find((one) => one.name === name);
        if (!item) return "${results.refused}: there is no such item";
        if (item.cost > this.left) {
          ${fatal ? 'this.outcome = "lost";\nreturn "it breaks under the load";' : `return "${results.refused}: it costs more than is left";`}
        }
        this.put(item);
        ${!closes && 'if (this.worth >= this.target) this.outcome = "won";'}
        return "you have the " + name;
      }

      ${
        giveback &&
        js`
          giveBack(name) {
            const item = this.items.find((one) => one.taken && one.name === name);
            if (!item) return "${results.refused}: you don't have it";
            item.taken = false;
            this.left += Math.floor(item.cost / 2);
            this.worth -= item.worth;
            return "the " + name + " is gone";
          }
        `
      }

      ${
        closes &&
        js`
          close() {
            this.outcome = this.worth >= this.target ? "won" : "lost";
            return "the books are closed";
          }
        `
      }
    `,
    helpers: ["below", "shuffled"],
    solution: `return this.plan().names.map((name) => "${verb} " + name)${closes ? '.concat("close")' : ""};`,
  });
}
