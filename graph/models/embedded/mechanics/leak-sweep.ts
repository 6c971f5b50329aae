/** Leak sweep: a row of spots that all have to be checked with care, until every leak is found. */
import { fatalPhrase, results, roles, slotPhrase, stateKeys } from "./conventions.ts";
import { gameSource, manners } from "./game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "./mechanic.ts";
import { constant } from "./theme.ts";
import { js, say } from "./write.ts";

export const leakSweep: Mechanic = {
  name: "leak-sweep",
  kind: "game",
  concept: "sweep",
  cueOffset: 0,
  skills: { "Spatial Reasoning": 1.2, "Memory Recall": 0.7, "Strategic Planning": 0.5, Optimization: 0.5 },
  topics: "water pipe leak field search wall garden coast border survey inspection rain".split(" "),
  rules: [
    { name: "care", options: ["neighbour", "fatal", "march", "free"] },
    { name: "ending", options: ["report", "all"] },
    { name: "mending", options: ["none", "mend"] },
    { name: "numbers", options: ["plain", "spaced"] },
    { name: "noise", options: ["none", "drip"] },
    manners,
  ],
  heldOut: false,
  phases: [
    "begin at one end of the row",
    "check one spot after the other and none twice, and mend what you find if that is asked",
    "report at the end if a report is asked for",
  ],
  answerFormat: "a verb, with a number behind it where one is asked for",
  write,
};

function write(design: Design): string {
  const { random, theme } = design;
  const care = branch(design, "care");
  const reports = branch(design, "ending") === "report";
  const mends = branch(design, "mending") === "mend";
  const drip = branch(design, "noise") === "drip";
  const by = branch(design, "numbers") === "spaced" ? constant(theme, random, 2, 5) : 1;
  const start = by === 1 ? 1 : constant(theme, random, 10, 40);
  const work = stepsNeeded(design.size) - (reports ? 1 : 0);
  // With mending, about a third of the spots take two turns.
  const count = Math.max(3, mends ? Math.round(work / 1.35) : work);
  const leaks = mends ? Math.max(1, work - count) : Math.max(2, Math.round(count / 3));
  // A report of a number that hardly varies would be a guess.
  const most = reports
    ? `1 + this.below(${mends ? Math.max(1, work + 1 - count) : count - 1})`
    : mends
      ? String(leaks)
      : `${leaks} + this.below(2)`;
  const end = start + by * (count - 1);
  const spot = slotPhrase.number("number", start, end, by);
  const asker = random.pick(["check", "inspect", "tap"]);
  return gameSource(design, {
    goal: reports
      ? `find out how many leaks the ${count} spots of the ${theme.thing} have${mends ? ", mend them" : ""}, and report the number.`
      : `find all leaks among the ${count} spots of the ${theme.thing}${mends ? " and mend them" : ""}; how many there are is not known before.`,
    rules: [
      "A spot leaks or does not; checking it shows which.",
      {
        neighbour:
          "Any spot may be the first; after that only one beside a spot that was checked can be reached.",
        fatal: `Checking a spot a second time ${fatalPhrase}.`,
        free: "A spot may be checked again, to no avail.",
        march: "The spots are checked from the lowest number upwards; one out of turn can't be reached.",
      }[care] ?? "",
      reports
        ? `Report once, when all is known; a wrong report ${fatalPhrase}.`
        : `The work is over when the last leak is found${mends ? " and mended" : ""}.`,
      ...(mends ? ["A leak has to be mended right after it is found, before another spot is checked."] : []),
      ...(drip ? ["A drip is heard when a spot beside the checked one leaks."] : []),
    ],
    commands: [
      {
        form: `${asker} <number>`,
        description: `look at one spot, ${roles.asks}`,
        slots: [spot],
        does: "this.check(Number(words[1]))",
      },
      ...(mends ? [{ form: "mend", description: roles.mends, does: "this.mend()" }] : []),
      ...(reports
        ? [
            {
              form: "report <count>",
              description: `say how many leaks were found, ${roles.finishes}, ${roles.decides}`,
              slots: [slotPhrase.number("count", 0, count)],
              does: "this.report(Number(words[1]))",
            },
          ]
        : []),
    ],
    view: [
      `"${stateKeys.row}: ${start} to ${end}${by > 1 ? ` in steps of ${by}` : ""}"`,
      `"${stateKeys.done}: " + (this.checked.join(", ") || "nothing")`,
      say(`${stateKeys.found}: {{this.found}}`),
    ],
    setup: js`
      this.checked = [];
      this.found = 0;
      ${mends && "this.open = false;"}
      const spots = Array.from({ length: ${count} }, (_, i) => ${by === 1 ? `i + ${start}` : `${start} + ${by} * i`});
      this.spots = spots;
      this.leaks = this.shuffled(spots).slice(0, ${most});
    `,
    methods: js`
      check(spot) {
        if (!this.spots.includes(spot)) return "${results.refused}: there is no such spot";
        ${mends && `if (this.open) return "${results.refused}: the leak has to be mended first";`}
        ${
          care === "march" &&
          `if (spot > this.spots[0] && !this.checked.includes(spot - ${by})) return "${results.refused}: it can't be reached yet";`
        }
        ${
          care === "neighbour" &&
          js`
            const near = this.checked.length === 0 || this.checked.some((other) => Math.abs(other - spot) <= ${by});
            if (!near) return "${results.refused}: it can't be reached yet";
          `
        }
        if (this.checked.includes(spot)) {
          ${care === "fatal" ? 'this.outcome = "lost";\nreturn "wrong: that spot again";' : `return "${results.refused}: it was checked before";`}
        }
        this.checked.push(spot);
        ${drip && `const sound = this.leaks.some((leak) => Math.abs(leak - spot) === ${by}) ? ", a drip is heard" : "";`}
        if (!this.leaks.includes(spot)) return "${results.empty}"${drip ? " + sound" : ""};
        this.found += 1;
        ${mends ? "this.open = true;" : !reports && 'if (this.found === this.leaks.length) this.outcome = "won";'}
        return "${results.found}"${drip ? " + sound" : ""};
      }

      ${
        mends &&
        js`
          mend() {
            if (!this.open) return "${results.refused}: nothing is to be mended";
            this.open = false;
            ${!reports && 'if (this.found === this.leaks.length) this.outcome = "won";'}
            return "mended";
          }
        `
      }

      ${
        reports &&
        js`
          report(count) {
            ${mends ? "const good = !this.open && count === this.leaks.length && this.found === count;" : "const good = count === this.leaks.length;"}
            this.outcome = good ? "won" : "lost";
            return good ? "right" : "wrong";
          }
        `
      }
    `,
    helpers: reports || !mends ? ["below", "shuffled"] : ["shuffled"],
    solution: js`
      const commands = [];
      for (const spot of this.spots) {
        commands.push("${asker} " + spot);
        ${mends && 'if (this.leaks.includes(spot)) commands.push("mend");'}
        ${!reports && "if (this.leaks.every((leak) => leak <= spot)) break;"}
      }
      ${reports && 'commands.push("report " + this.leaks.length);'}
      return commands;
    `,
  });
}
