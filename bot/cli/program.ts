/** The command line's grammar, built from the command declarations: commander parses it and writes its help. */
import { Command as Commander, CommanderError, Option } from "commander";
import { InputError } from "../../config/errors.ts";
import { type Command, isOffered } from "../commands/command.ts";
import {
  choicesOf,
  isRequired,
  type OptionDefinition,
  optionName,
  optionsOn,
  placeholderOf,
  type RawOptions,
} from "../commands/option.ts";

/** What a command line asks for. */
export type Request =
  | {
      readonly type: "run";
      readonly command: Command;
      readonly options: RawOptions;
      readonly json: boolean;
      readonly data: string | undefined;
    }
  | { readonly type: "show"; readonly text: string; readonly json: boolean };

export interface ProgramOptions {
  readonly version: string;
  /** Characters of a line of help. */
  readonly width: number;
}

const groupSummaries: Readonly<Record<string, string>> = {
  campaign: "Campaigns: many rounds in a row, with training",
  env: "Environments",
  doc: "Documents that designs are grounded on",
  hint: "Hints that people write",
  settings: "The model, budgets and approval policy of the lab in chat",
};

const intro = `A self-play lab: one model designs executable training environments and plays them, with and
without a hint. The gap between the two, the regret, steers what it designs next.`;

const firstSteps = `
First steps:
  spadework round            one self-play round with the embedded policy, no key needed
  spadework COMMAND --help   what a command takes`;

function described(option: OptionDefinition): string {
  const choices = option.kind === "choice" ? ` (${choicesOf(option).join(", ")})` : "";
  const fallback = option.fallback === undefined ? "" : ` (default: ${option.fallback})`;
  return `${option.summary}${choices}${fallback}`;
}

function flagsOf(key: string, option: OptionDefinition): string {
  if (option.kind === "switch") return `--${optionName(key)}`;
  return `--${optionName(key)} <${placeholderOf(key, option)}${option.many === true ? "..." : ""}>`;
}

function addShared(to: Commander): void {
  to.option("--data <DIR>", "where the lab keeps its data (default: the setting dataDir, else var)");
  to.option("--json", "print one JSON document on stdout");
}

/** Declares one command under its parent; `chosen` is told when it is the one that was typed. */
function addCommand(
  parent: Commander,
  command: Command,
  chosen: (command: Command, options: RawOptions, leaf: Commander) => void,
): void {
  const leaf = parent.command(command.name.split(" ").at(-1) ?? command.name);
  leaf.summary(command.summary);
  leaf.description(
    command.details === undefined ? command.summary : `${command.summary}\n\n${command.details}`,
  );
  const options = optionsOn(command.options, "command-line");
  const args = options.filter(([, option]) => option.argument === true);
  for (const [key, option] of args) {
    const name = `${placeholderOf(key, option)}${option.many === true ? "..." : ""}`;
    leaf.argument(isRequired(option) ? `<${name}>` : `[${name}]`, described(option));
  }
  for (const [key, option] of options) {
    if (option.argument === true) continue;
    leaf.addOption(new Option(flagsOf(key, option), described(option)));
  }
  addShared(leaf);
  if (command.examples !== undefined) {
    leaf.addHelpText(
      "after",
      `\nExamples:\n${command.examples.map((line) => `  spadework ${line}`).join("\n")}`,
    );
  }
  leaf.action(() => {
    const given: Record<string, unknown> = {};
    args.forEach(([key], at) => {
      const value: unknown = leaf.processedArgs[at];
      if (value !== undefined) given[key] = value;
    });
    const flags: Record<string, unknown> = leaf.opts();
    for (const [key, option] of options) {
      const value = flags[key];
      if (option.argument !== true && value !== undefined) given[key] = value;
    }
    chosen(command, given, leaf);
  });
}

/** Commander's sentence as ours: no "error:", one line, the suggestion as a sentence of its own. */
function sentence({ code, message }: CommanderError): string {
  const clean = message
    .replace(/^error: /, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll("'", '"')
    .trim();
  const named = /"([^"]*)"/.exec(clean)?.[1] ?? "";
  if (code === "commander.optionMissingArgument") return `${named.split(" ")[0]} needs a value: ${named}.`;
  if (code === "commander.missingArgument") return `${named} is missing.`;
  const [what = "", meant] = clean.split(/ \(Did you mean (?:one of )?(.*)\?\)$/);
  const suggestion = meant === undefined ? "" : ` Did you mean ${meant.replaceAll(", ", " or ")}?`;
  return `${what.charAt(0).toUpperCase()}${what.slice(1).replace(/\.$/, "")}.${suggestion}`;
}

/**
 * What the words after `spadework` ask for. Throws `input.bad-option` for anything that is no command, no option of it,
 * or an option without its value.
 */
export function parseCommandLine(
  words: readonly string[],
  all: readonly Command[],
  { version, width }: ProgramOptions,
): Request {
  const commands = all.filter((command) => isOffered(command, "command-line"));
  let shown = "";
  let request: Request | null = null;
  const program = new Commander("spadework");
  program.exitOverride();
  program.configureOutput({
    writeOut: (text) => {
      shown += text;
    },
    writeErr: () => {},
    getOutHelpWidth: () => width,
    getErrHelpWidth: () => width,
    getOutHasColors: () => false,
  });
  program
    .description(intro)
    .version(version, "--version", "print the version")
    .addHelpText("after", firstSteps);
  program.helpOption("-h, --help", "print help");
  program.helpCommand("help [COMMAND]", "print help on a command");
  addShared(program);

  const groups = new Map<string, Commander>();
  for (const command of commands) {
    const [first = "", second] = command.name.split(" ");
    let parent = program;
    if (second !== undefined) {
      const members = commands
        .filter(({ name }) => name.startsWith(`${first} `))
        .map(({ name }) => name.split(" ")[1]);
      parent =
        groups.get(first) ??
        program
          .command(first)
          .helpCommand(false)
          .description(groupSummaries[first] ?? first)
          .summary(`${groupSummaries[first] ?? first}: ${members.join(", ")}`);
      groups.set(first, parent);
    }
    addCommand(parent, command, (chosen, options, leaf) => {
      const shared: Record<string, unknown> = leaf.optsWithGlobals();
      request = {
        type: "run",
        command: chosen,
        options,
        json: shared.json === true,
        data: typeof shared.data === "string" ? shared.data : undefined,
      };
    });
  }

  const json = words.includes("--json");
  try {
    program.parse([...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { type: "show", text: shown, json };
    if (error.code === "commander.help") throw missingCommand(words, commands);
    throw new InputError("input.bad-option", sentence(error));
  }
  if (request === null) throw missingCommand(words, commands);
  return request;
}

/** A group of commands without one of its commands. */
function missingCommand(words: readonly string[], commands: readonly Command[]): InputError {
  const group = words.find((word) => commands.some(({ name }) => name.startsWith(`${word} `))) ?? "spadework";
  const members = commands
    .filter(({ name }) => name.startsWith(`${group} `))
    .map(({ name }) => name.split(" ")[1]);
  const takes = members.length > 0 ? members : commands.map(({ name }) => name);
  return new InputError("input.bad-option", `"${group}" needs a command: one of ${takes.join(", ")}.`);
}

/** Whether the words name no command at all, so that the default one is meant. */
export function namesNoCommand(words: readonly string[]): boolean {
  const probe = new Commander("spadework").exitOverride().helpOption(false).allowUnknownOption();
  addShared(probe);
  const { operands, unknown } = probe.parseOptions([...words]);
  return operands.length === 0 && unknown.length === 0;
}
