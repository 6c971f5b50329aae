/** Interval search: a hidden number, found by replies that say on which side of a guess it lies. */
import { fatalPhrase, roles, slotPhrase, stateKeys } from "./conventions.ts";
import { gameSource, manners } from "./game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "./mechanic.ts";
import { constant } from "./theme.ts";
import { js, say } from "./write.ts";

export const intervalSearch: Mechanic = {
  name: "interval-search",
  kind: "game",
  concept: "bisect",
  cueOffset: 0,
  skills: {
    "Mathematical Reasoning": 2,
    "Logical Deduction": 1,
    "Pattern Recognition": 0.5,
    "Language Understanding": 0.5,
  },
  topics: "measure depth weight temperature number scale gauge height signal frequency pressure".split(" "),
  rules: [
    { name: "verdict", options: ["guess", "declare"] },
    { name: "parts", options: ["one", "two"] },
    { name: "grain", options: ["unit", "coarse"] },
    { name: "origin", options: ["shifting", "fixed"] },
    { name: "repeats", options: ["idle", "fatal"] },
    { name: "replies", options: ["plain", "warm"] },
    manners,
  ],
  heldOut: false,
  phases: [
    "keep the two ends of what is still possible",
    "name the value half way between them",
    "move one end with every reply",
  ],
  answerFormat: "the verb and one number",
  write,
};

function write(design: Design): string {
  const { random, theme } = design;
  const steps = stepsNeeded(design.size);
  const declares = branch(design, "verdict") === "declare";
  // Two short searches of a few values each would be won by luck.
  const parts = branch(design, "parts") === "two" && steps >= 7 ? 2 : 1;
  const by = branch(design, "grain") === "coarse" ? constant(theme, random, 2, 9) : 1;
  const fatal = branch(design, "repeats") === "fatal";
  const warm = branch(design, "replies") === "warm";
  const spans = Array.from({ length: parts }, (_, part) => {
    const share = part === 0 ? Math.ceil(steps / parts) : Math.floor(steps / parts);
    // A search of d steps tells 2^d − 1 values apart; deciding takes one step more.
    const most = 2 ** (declares ? share - 1 : share) - 1;
    return most - random.below(Math.max(1, Math.floor(most / 4)));
  });
  const near = by * Math.max(1, Math.floor((spans[0] ?? 8) / constant(theme, random, 6, 10)));
  const asker = random.pick(["probe", "guess", "test"]);
  const decider = random.pick(["declare", "name"]);
  const range = slotPhrase.number("number", "{{this.low}}", "{{this.high}}", by);
  const start = constant(theme, random, 1, 60);
  const shifting = branch(design, "origin") === "shifting" && steps >= 6;
  return gameSource(design, {
    goal:
      parts === 2
        ? `find the two hidden numbers of the ${theme.thing}, one after the other.`
        : `find the hidden number of the ${theme.thing}.`,
    rules: [
      `The hidden number lies in the range that is shown, both ends included${by > 1 ? `, a multiple of ${by} above its lower end` : ""}.`,
      declares
        ? `The reply to \`${asker}\` is too low, too high or even; only \`${decider}\` finds the number, and a wrong \`${decider}\` ${fatalPhrase}.`
        : "A value that is not the hidden number is called too low or too high; the number itself is found when it is named.",
      ...(parts === 2 ? ["Once the first number is found, the second is sought in a range of its own."] : []),
      ...(fatal ? [`Naming the same value twice running ${fatalPhrase}.`] : []),
      ...(warm ? [`A reply adds the word warm when the value is at most ${near} away.`] : []),
    ],
    commands: [
      {
        form: `${asker} <number>`,
        description: declares ? `name a value, ${roles.asks}` : "name a value",
        slots: [range],
        does: "this.compare(Number(words[1]))",
      },
      ...(declares
        ? [
            {
              form: `${decider} <number>`,
              description: `say which number is hidden, ${roles.decides}`,
              slots: [range],
              does: "this.decide(Number(words[1]))",
            },
          ]
        : []),
    ],
    view: [
      say(`${stateKeys.progress}: {{this.found}} of ${parts}`),
      say(`${stateKeys.range}: {{this.low}} to {{this.high}}`),
    ],
    setup: js`
      this.found = 0;
      this.searches = [${spans.join(", ")}].map((span) => {
        const low = ${shifting ? `${by === 1 ? "" : `${by} * `}(${start} + this.below(${20 + random.below(60)}))` : String(by * start)};
        return { low, high: low + ${by === 1 ? "" : `${by} * `}(span - 1), hidden: low + ${by === 1 ? "" : `${by} * `}this.below(span) };
      });
      this.begin();
    `,
    methods: js`
      begin() {
        const search = this.searches[this.found];
        this.low = search.low;
        this.high = search.high;
        this.hidden = search.hidden;
        ${fatal && "this.previous = null;"}
      }

      find() {
        this.found += 1;
        if (this.found === this.searches.length) this.outcome = "won";
        ${parts === 2 && "else this.begin();"}
        return "found";
      }

      compare(value) {
        if (!Number.isInteger(value) || value < this.low || value > this.high) return "refused: out of range";
        ${by > 1 && `if ((value - this.low) % ${by} !== 0) return "refused: not a multiple of ${by} above the lower end";`}
        ${
          fatal &&
          js`
          if (value === this.previous) {
            this.outcome = "lost";
            return "wrong: the same value again";
          }
          this.previous = value;
        `
        }
        ${declares ? 'if (value === this.hidden) return "even";' : "if (value === this.hidden) return this.find();"}
        ${warm && `const warmth = Math.abs(value - this.hidden) <= ${near} ? ", warm" : "";`}
        return ${warm ? '(value < this.hidden ? "too low" : "too high") + warmth' : 'value < this.hidden ? "too low" : "too high"'};
      }

      ${
        declares &&
        js`
        decide(value) {
          if (value === this.hidden) return this.find();
          this.outcome = "lost";
          return "wrong";
        }
      `
      }
    `,
    helpers: ["below"],
    solution: js`
      const commands = [];
      for (const search of this.searches) {
        let { low, high } = search;
        let middle = low;
        do {
          middle = low + ${by === 1 ? "Math.floor((high - low) / 2)" : `${by} * Math.floor((high - low) / ${2 * by})`};
          ${declares ? `if (low < high) commands.push("${asker} " + middle);` : `commands.push("${asker} " + middle);`}
          if (middle < search.hidden) low = middle + ${by};
          else high = middle - ${by};
        } while (middle !== search.hidden);
        ${declares && `commands.push("${decider} " + search.hidden);`}
      }
      return commands;
    `,
  });
}
