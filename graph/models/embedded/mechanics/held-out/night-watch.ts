/** Night watch, held out: doors with names, each to be tried once, and locked at once where it is found open. */
import { fatalPhrase, results, roles, slotPhrase } from "../conventions.ts";
import { gameSource, manners } from "../game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "../mechanic.ts";
import { js, quoteAll, say } from "../write.ts";

export const nightWatch: Mechanic = {
  name: "night-watch",
  kind: "game",
  concept: "sweep",
  cueOffset: 4,
  skills: { "Strategic Planning": 1 },
  topics: [],
  rules: [
    { name: "repeats", options: ["wakes", "delays"] },
    { name: "leaving", options: ["thief", "forgiven"] },
    manners,
  ],
  heldOut: true,
  phases: [
    "try one door after the other and none twice",
    "lock a door as soon as it is found open",
    "go on until none is left",
  ],
  answerFormat: "a verb, with the name of a door behind it where one is asked for",
  write,
};

function write(design: Design): string {
  const { theme } = design;
  const steps = stepsNeeded(design.size);
  // About a third of the doors stand open and take two turns.
  const count = Math.max(3, Math.round(steps / 1.35));
  const open = Math.max(1, steps - count);
  const wakes = branch(design, "repeats") === "wakes";
  const forgiven = branch(design, "leaving") === "forgiven";
  return gameSource(design, {
    goal: `see to it that all ${count} doors of the ${theme.thing} are locked for the night.`,
    rules: [
      "A door is shut or found open; trying it shows which, and every door has to be tried.",
      forgiven
        ? `A door left open for another one is locked by the neighbours once; the next time it ${fatalPhrase}.`
        : `A door left open for another one lets a thief in and ${fatalPhrase}.`,
      wakes
        ? `Trying a door again wakes the house; when that happens for the second time it ${fatalPhrase}.`
        : "Trying a door again takes two turns more.",
      "The night is won as soon as every door was tried and none stands open.",
    ],
    commands: [
      {
        form: "try <door>",
        description: `try a door, ${roles.asks}`,
        slots: [slotPhrase.word("door", '{{this.doors.join(", ")}}')],
        does: "this.tryDoor(words[1])",
      },
      { form: "lock", description: roles.mends, does: "this.lock()" },
    ],
    view: [say(`Tried: {{this.tried.size}} of ${count}`)],
    setup: js`
      this.doors = this.shuffled(${quoteAll(theme.names.slice(0, count))});
      this.ajar = this.shuffled(this.doors).slice(0, ${open});
      this.tried = new Set();
      this.standing = null;
      ${wakes && "this.woken = 0;"}
      ${forgiven && "this.excused = false;"}
    `,
    methods: js`
      tryDoor(door) {
        if (!this.doors.includes(door)) return "${results.refused}: there is no such door";
        if (this.tried.has(door) && door !== this.standing) {
          ${
            wakes
              ? js`
                this.woken += 1;
                if (this.woken === 2) this.outcome = "lost";
                return "somebody wakes up";
              `
              : 'this.turn += 2;\nreturn "it was tried before";'
          }
        }
        if (this.standing !== null && door !== this.standing) {
          ${
            forgiven
              ? js`
                if (this.excused) {
                  this.outcome = "lost";
                  return "a thief was in the house";
                }
                this.excused = true;
              `
              : 'this.outcome = "lost";\nreturn "a thief was in the house";'
          }
        }
        this.tried.add(door);
        this.standing = this.ajar.includes(door) ? door : null;
        this.endOfNight();
        return this.standing === null ? "shut" : "${results.found} open";
      }

      lock() {
        if (this.standing === null) return "${results.refused}: nothing stands open";
        this.standing = null;
        this.endOfNight();
        return "locked";
      }

      endOfNight() {
        if (this.standing === null && this.tried.size === ${count}) this.outcome = "won";
      }
    `,
    helpers: ["shuffled"],
    solution: js`
      return this.doors.flatMap((door) => (this.ajar.includes(door) ? ["try " + door, "lock"] : ["try " + door]));
    `,
  });
}
