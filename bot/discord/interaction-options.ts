/** The options of a command as Discord hands them in: typed values, lists written in one field, and attached files. */
import {
  ApplicationCommandOptionType,
  type ChatInputCommandInteraction,
  type CommandInteractionOption,
  ComponentType,
  type ModalSubmitInteraction,
} from "discord.js";
import type { Command } from "../commands/command.ts";
import { GivenFile } from "../commands/given-file.ts";
import { type OptionDefinition, optionName, optionsOn, type RawOptions } from "../commands/option.ts";
import { type AttachedFile, download, type FileRules } from "./interaction-files.ts";

/** Options with their files still to be fetched. */
export interface Given {
  readonly values: RawOptions;
  readonly files: ReadonlyMap<string, readonly AttachedFile[]>;
}

/** `env show` of a command and its subcommand. */
export function commandName(commandWord: string, subcommand: string | null): string {
  return subcommand === null ? commandWord : `${commandWord} ${subcommand}`;
}

/** A text that holds several values: ids and links have no spaces, choices may. */
export function listOf({ kind }: OptionDefinition, text: string): string[] {
  return text
    .split(kind === "choice" ? /,/ : /[\s,]+/)
    .flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));
}

function givenValue(option: OptionDefinition, value: string | number | boolean): unknown {
  return option.many === true && typeof value === "string" ? listOf(option, value) : value;
}

/** The innermost options: those of the subcommand if there is one. */
function leaves(options: readonly CommandInteractionOption[]): readonly CommandInteractionOption[] {
  return options.flatMap((option) =>
    option.type === ApplicationCommandOptionType.Subcommand ||
    option.type === ApplicationCommandOptionType.SubcommandGroup
      ? leaves(option.options ?? [])
      : [option],
  );
}

/** Options of a slash command. Those that the command does not have stay under the name they came with, to be refused. */
export function givenOptions({ options }: ChatInputCommandInteraction, command: Command): Given {
  const known = optionsOn(command.options, "discord");
  const values: Record<string, unknown> = {};
  const files = new Map<string, AttachedFile[]>();
  for (const { name, value, attachment } of leaves(options.data)) {
    const [key, option] = known.find(([each]) => optionName(each) === name) ?? [name, null];
    if (attachment !== undefined && attachment !== null) files.set(key, [attachment]);
    else if (value !== undefined) values[key] = option === null ? value : givenValue(option, value);
  }
  return { values, files };
}

/** What somebody filled into a form, by key. An empty field is an option that was not given. */
export function givenFields({ fields }: ModalSubmitInteraction, command: Command): Given {
  const known = new Map(optionsOn(command.options, "discord"));
  const values: Record<string, unknown> = {};
  const files = new Map<string, readonly AttachedFile[]>();
  for (const [key, field] of fields.fields) {
    const option = known.get(key);
    if (field.type === ComponentType.FileUpload) {
      // Without any, the client leaves the attachments out.
      if (field.values.length > 0) files.set(key, [...field.attachments.values()]);
    } else if (field.type === ComponentType.StringSelect) {
      const chosen = field.values.map((value) => (option?.kind === "switch" ? value === "true" : value));
      if (chosen.length > 0) values[key] = option?.many === true ? chosen : chosen[0];
    } else if (field.type === ComponentType.TextInput && field.value.trim() !== "") {
      values[key] = option === undefined ? field.value : givenValue(option, field.value);
    }
  }
  return { values, files };
}

const placeholder = new GivenFile("file", new Uint8Array());

/** The options with what stands for their files; a list may hold files of the lab's own making already. */
function filled(
  command: Command,
  { values, files }: Given,
  contents: ReadonlyMap<string, readonly GivenFile[]>,
): RawOptions {
  const filesOf = [...files.keys()].map((key) => {
    const list = contents.get(key) ?? [];
    const before = values[key];
    return [
      key,
      command.options[key]?.many === true ? [...(Array.isArray(before) ? before : []), ...list] : list[0],
    ];
  });
  return { ...values, ...Object.fromEntries(filesOf) };
}

/** The options with an empty file in place of each that is still to be fetched, for a check beforehand. */
export function withPlaceholders(given: Given, command: Command): RawOptions {
  const contents = [...given.files].map(([key, list]) => [key, list.map(() => placeholder)] as const);
  return filled(command, given, new Map(contents));
}

/** The options with their files. Throws `input.bad-document`. */
export async function withFiles(given: Given, command: Command, rules: FileRules): Promise<RawOptions> {
  const contents = new Map<string, readonly GivenFile[]>();
  for (const [key, list] of given.files) {
    contents.set(key, await Promise.all(list.map((file) => download(file, rules))));
  }
  return filled(command, given, contents);
}
