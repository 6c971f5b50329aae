/** What a typed line asks for: a command with its options, as in chat (`/round envs:2`) or as on the command line. */
import { InputError } from "../../config/errors.ts";
import { didYouMean } from "../../config/suggest.ts";
import type { Command } from "../commands/command.ts";
import { type OptionDefinition, optionName, type RawOptions } from "../commands/option.ts";
import { wordsOf } from "./words.ts";

export interface TerminalRequest {
  readonly command: Command;
  readonly options: RawOptions;
}

const bad = (message: string): InputError => new InputError("input.bad-option", message);

/** The command that the first words name, longest name first; and how many words its name has. */
export function commandAt(
  words: readonly string[],
  commands: readonly Command[],
): { readonly command: Command; readonly length: number } | null {
  const said = words.map((word, at) => (at === 0 ? word.replace(/^\//, "") : word).toLowerCase());
  for (const length of [2, 1]) {
    const name = said.slice(0, length).join(" ");
    const command = commands.find((one) => one.name === name);
    if (command !== undefined && name.split(" ").length === length) return { command, length };
  }
  return null;
}

function unknownCommand(words: readonly string[], commands: readonly Command[]): InputError {
  const first = (words[0] ?? "").replace(/^\//, "");
  const members = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => `/${name}`);
  if (members.length > 0) return bad(`/${first} needs one of: ${members.join(", ")}.`);
  const said = words.slice(0, 2).join(" ").replace(/^\//, "");
  return bad(
    `There is no command /${first}; /help lists them.${didYouMean(
      said,
      commands.map(({ name }) => name),
    )}`,
  );
}

/** The option that a word sets, `key:value` or `--key value`; null if it sets none by name. */
function namedOption(
  word: string,
  command: Command,
): { readonly key: string; readonly value: string | null } | null {
  const match = /^(?:--([a-z][a-z-]*)(?:=(.*))?|([a-z][a-z-]*):(.*))$/s.exec(word);
  const name = match?.[1] ?? match?.[3];
  if (match === null || name === undefined) return null;
  const key = Object.keys(command.options).find((one) => optionName(one) === name);
  if (key !== undefined) return { key, value: match[2] ?? match[4] ?? null };
  // A link has a colon, too.
  if (match[3] !== undefined && /^\/\//.test(match[4] ?? "")) return null;
  const known = Object.keys(command.options).map(optionName);
  const takes = known.length === 0 ? "none" : known.join(", ");
  throw bad(`/${command.name} has no option "${name}"; it takes ${takes}.${didYouMean(name, known)}`);
}

const yes = /^(true|yes|on|1)$/i;
const no = /^(false|no|off|0)$/i;

function givenValue(key: string, option: OptionDefinition, value: string): unknown {
  if (option.kind === "switch") {
    if (yes.test(value)) return true;
    if (no.test(value)) return false;
    throw bad(`${optionName(key)} is "${value}"; it takes true or false.`);
  }
  return value;
}

/** Throws `input.bad-option` for an unknown command or option; values are checked by the command itself. */
export function requestOf(line: string, commands: readonly Command[]): TerminalRequest {
  const all = wordsOf(line);
  if (all.at(-1)?.open === true) throw bad("A quote is not closed.");
  const words = all.map(({ text }) => text);
  const named = commandAt(words, commands);
  if (named === null) throw unknownCommand(words, commands);
  const { command, length } = named;
  const given: Record<string, unknown> = {};
  const put = (key: string, option: OptionDefinition, value: string): void => {
    if (option.many !== true) given[key] = givenValue(key, option, value);
    else {
      const several = option.kind === "path-or-link" ? [value] : value.split(",").map((one) => one.trim());
      given[key] = [...(Array.isArray(given[key]) ? given[key] : []), ...several];
    }
  };
  const args = Object.entries(command.options).filter(([, option]) => option.argument === true);
  const rest = words.slice(length);
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? "";
    const option = namedOption(word, command);
    if (option !== null) {
      const definition = command.options[option.key];
      if (definition === undefined) continue;
      let value = option.value;
      if (value === null && definition.kind === "switch") value = "true";
      if (value === null) {
        at += 1;
        value = rest[at] ?? null;
      }
      if (value === null) throw bad(`${optionName(option.key)} needs a value.`);
      put(option.key, definition, value);
      continue;
    }
    const open = args.find(([key, { many }]) => many === true || given[key] === undefined);
    if (open === undefined) throw bad(`/${command.name} does not know what to do with "${word}".`);
    const [key, definition] = open;
    // A text needs no quotes where it comes last.
    if (definition.kind === "long-text") {
      put(key, definition, rest.slice(at).join(" "));
      break;
    }
    put(key, definition, word);
  }
  return { command, options: given };
}

/** The line that does what a button does. */
export function lineOf(
  { command, options }: { readonly command: string; readonly options: RawOptions },
  quote: (value: string) => string,
): string {
  const words = Object.entries(options).map(([key, value]) => `${optionName(key)}:${quote(String(value))}`);
  return [`/${command}`, ...words].join(" ");
}
