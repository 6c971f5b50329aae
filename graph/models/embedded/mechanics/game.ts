/** The frame of every game: parsing a command, counting turns, ending the episode, and the text around a mechanic. */
import { commandLine, ending, gradeLine, results, roles } from "./conventions.ts";
import { branch, type Design, type Rule, tagsLine, turnsOf } from "./mechanic.ts";
import { idleCommands, proseLines } from "./prose.ts";
import { capital } from "./theme.ts";
import { js, quote, say } from "./write.ts";

/** One command of a game. */
export interface GameCommand {
  /** E.g. `guess <number>`. */
  readonly form: string;
  readonly description: string;
  /** Phrases of conventions.ts `slotPhrase`, with run-time expressions in double braces. */
  readonly slots?: readonly string[];
  /**
   * A JavaScript expression for what comes after `Result: `. `words` holds the words of the command; it is evaluated
   * only if the verb and the number of words fit (any number of words for a slot of several).
   */
  readonly does: string;
  /** True if its slot takes several words. */
  readonly open?: boolean;
}

/** What a mechanic contributes. Texts may hold run-time expressions in double braces. */
export interface GameParts {
  readonly goal: string;
  readonly rules: readonly string[];
  readonly commands: readonly GameCommand[];
  /** State lines as JavaScript expressions (spreads allowed). */
  readonly view: readonly string[];
  /** State lines that only the first observation shows. */
  readonly firstView?: readonly string[];
  /** Statements of `reset`. */
  readonly setup: string;
  /** Methods of the mechanic: they set `this.outcome` to "won" or "lost" and return result texts. */
  readonly methods: string;
  /** Helpers it calls. */
  readonly helpers: readonly ("below" | "shuffled")[];
  /** Statements of `solution`, which return the list of commands. */
  readonly solution: string;
}

/** What becomes of commands that are not understood; every game mechanic has this rule. */
export const manners: Rule = { name: "manners", options: ["lenient", "strict", "costly"] };

const helperSources = {
  below: js`
    below(count) {
      return Math.floor(Math.random() * count);
    }
  `,
  shuffled: js`
    shuffled(list) {
      const copy = list.slice();
      for (let last = copy.length - 1; last > 0; last -= 1) {
        const other = Math.floor(Math.random() * (last + 1));
        [copy[last], copy[other]] = [copy[other], copy[last]];
      }
      return copy;
    }
  `,
} as const;

/** The source of a game. */
export function gameSource(design: Design, parts: GameParts): string {
  const { random, theme } = design;
  const turns = turnsOf(design);
  const manner = branch(design, manners.name);
  const idle = idleCommands(design);
  const commands: readonly GameCommand[] = random.shuffle([
    ...parts.commands,
    ...idle.map(({ verb, answer }) => ({ form: verb, description: roles.idle, does: quote(answer) })),
  ]);
  const mannerRules =
    {
      lenient: [],
      strict: ["The third command that is not understood ends the episode."],
      costly: ["A command that is not understood takes two turns instead of one."],
    }[manner] ?? [];
  const opening = [
    ...proseLines(design),
    `Goal: ${parts.goal}`,
    "Rules:",
    ...[...parts.rules, ...mannerRules].map((rule) => `- ${rule}`),
    "Commands:",
    ...commands.map(({ form, description, slots }) => commandLine(form, description, ...(slots ?? []))),
    "Format: one command a turn, as \\boxed{command}.",
    gradeLine(design.size, turns),
  ];
  const first = parts.firstView ?? [];
  return `${js`
    ${tagsLine(design)}
    class ${className(theme.title)} {
      static maxTurns = ${turns};

      constructor() {
        this.reset(0);
      }

      reset(seed) {
        this.turn = 0;
        this.outcome = "open";
        ${manner === "strict" && "this.misunderstood = 0;"}
        ${parts.setup}
        return { observation: this.opening().concat(this.view()).join("\n"), info: {} };
      }

      opening() {
        return [
          ${opening.map((line) => `${say(line)},`)}
          ${first.map((line) => `${line},`)}
        ];
      }

      view() {
        return [
          ${parts.view.map((line) => `${line},`)}
        ];
      }

      step(action) {
        if (this.outcome !== "open") return this.reply("${results.refused}: the episode is over");
        this.turn += 1;
        const boxed = /\\boxed\{([^{}]*)\}/.exec(String(action));
        const words = (boxed ? boxed[1] : String(action)).trim().toLowerCase().split(/\s+/);
        ${dispatch(commands, random.below(3))}
        ${misunderstood(manner)}
        return this.reply("${results.unknown}");
      }

      reply(result) {
        const lines = ["Turn " + this.turn + " of ${turns}.", "Result: " + result + "."];
        if (this.outcome === "open") lines.push(...this.view());
        else lines.push(this.outcome === "won" ? "${ending.won}" : "${ending.lost}");
        return {
          observation: lines.join("\n"),
          reward: this.outcome === "won" ? 1 : 0,
          terminated: this.outcome !== "open",
          truncated: this.outcome === "open" && this.turn >= ${turns},
          info: { turn: this.turn },
        };
      }

      ${parts.methods}

      solution() {
        ${parts.solution}
      }

      ${parts.helpers.map((name) => helperSources[name]).join("\n\n")}
    }
  `}\n`;
}

/** The theme's class name, ending in Env. */
export function className(title: string): string {
  return `${title
    .split(" ")
    .map((word) => capital(word.replace(/[^A-Za-z0-9]/g, "")))
    .join("")}Env`;
}

function misunderstood(manner: string): string {
  if (manner === "costly") return "this.turn += 1;";
  if (manner === "lenient") return "";
  return js`
    this.misunderstood += 1;
    if (this.misunderstood >= 3) this.outcome = "lost";
  `;
}

/** How the command reaches its method: tests in a row, a switch, or a table of handlers. */
function dispatch(commands: readonly GameCommand[], style: number): string {
  const entries = commands.map((command) => {
    const parts = command.form.split(" ");
    return { verb: parts[0] ?? "", length: parts.length, does: command.does, open: command.open ?? false };
  });
  const fits = ({ length, open }: (typeof entries)[number]) =>
    open ? `words.length >= ${length}` : `words.length === ${length}`;
  if (style === 0) {
    return entries
      .map(
        (entry) =>
          `if (words[0] === ${quote(entry.verb)} && ${fits(entry)}) return this.reply(${entry.does});`,
      )
      .join("\n");
  }
  if (style === 1) {
    return js`
      switch (words[0]) {
        ${entries.map(
          (entry) => js`
            case ${quote(entry.verb)}:
              if (${fits(entry)}) return this.reply(${entry.does});
              break;
          `,
        )}
      }
    `;
  }
  return js`
    const handlers = {
      ${entries.map((entry) => `${entry.verb}: () => (${fits(entry)} ? ${entry.does} : null),`)}
    };
    const result = Object.hasOwn(handlers, words[0]) ? handlers[words[0]]() : null;
    if (result !== null) return this.reply(result);
  `;
}
