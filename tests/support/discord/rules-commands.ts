/** Rules of commands, modals and completions that the schemas don't know, each a pure function to what is wrong. */
import { duplicates, kind, selectFaults } from "./rules-messages.ts";
import { type CommandBody, type CommandOption, everyComponent, type ModalBody } from "./shapes.ts";

export const optionKind = {
  subcommand: 1,
  group: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
} as const;

const nameOfCommand = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

/** What is wrong with a whole set of commands, as a bulk overwrite sends it. */
export function commandSetFaults(commands: readonly CommandBody[]): string[] {
  const faults = commands.flatMap(commandFaults);
  for (const [type, most, what] of [
    [1, 100, "commands"],
    [2, 5, "user menus"],
    [3, 5, "message menus"],
  ] as const) {
    const names = commands.filter((command) => (command.type ?? 1) === type).map(({ name }) => name);
    if (names.length > most) faults.push(`${names.length} ${what}; ${most} is the most`);
    faults.push(...duplicates(names).map((name) => `the command ${name} is there twice`));
  }
  return faults;
}

/** What is wrong with one command. */
export function commandFaults(command: CommandBody): string[] {
  const { name, type, description, options } = command;
  if ((type ?? 1) !== 1) {
    const faults = name.trim() === "" ? ["a menu has an empty name"] : [];
    if (description) faults.push(`the menu ${name} has a description`);
    if ((options ?? []).length > 0) faults.push(`the menu ${name} has options`);
    return faults;
  }
  const faults = nameFaults(name, name);
  if (!description) faults.push(`the command ${name} has an empty description`);
  const size = sizeOf({ name, description: description ?? "", options: options ?? [] });
  if (size > 8000) faults.push(`the command ${name} has ${size} characters in total; 8000 is the most`);
  return [...faults, ...optionFaults(name, options ?? [], 0)];
}

function nameFaults(name: string, path: string): string[] {
  const faults: string[] = [];
  if (name !== name.toLowerCase()) faults.push(`the name ${path} has upper case`);
  if (!nameOfCommand.test(name)) faults.push(`the name ${path} has characters that a name can't have`);
  return faults;
}

function optionFaults(path: string, options: readonly CommandOption[], depth: number): string[] {
  const faults = duplicates(options.map(({ name }) => name)).map(
    (name) => `${path} has the option ${name} twice`,
  );
  let optional: string | null = null;
  const nested = options.filter(({ type }) => type === optionKind.subcommand || type === optionKind.group);
  if (nested.length > 0 && nested.length < options.length) {
    faults.push(`${path} mixes subcommands with options`);
  }
  for (const option of options) {
    const here = `${path} ${option.name}`;
    faults.push(...nameFaults(option.name, here));
    if (option.description === "") faults.push(`${here} has an empty description`);
    if (nested.includes(option)) {
      if (depth > (option.type === optionKind.group ? 0 : 1)) faults.push(`${here} is nested too deep`);
      if (option.type === optionKind.group && (option.options ?? []).length === 0) {
        faults.push(`the group ${here} is empty`);
      }
      faults.push(...optionFaults(here, option.options ?? [], depth + 1));
      continue;
    }
    if (option.required === true && optional !== null) {
      faults.push(`${here} is required and comes after ${optional}, which is optional`);
    }
    if (option.required !== true) optional ??= option.name;
    faults.push(...valueFaults(here, option));
  }
  return faults;
}

function valueFaults(path: string, option: CommandOption): string[] {
  const faults: string[] = [];
  const choices = option.choices ?? [];
  if (option.autocomplete === true && choices.length > 0) faults.push(`${path} has choices and completion`);
  faults.push(
    ...duplicates(choices.map(({ name }) => name)).map((name) => `${path} has the choice ${name} twice`),
  );
  faults.push(...choices.flatMap((choice) => choiceFaults(path, choice, option.type)));
  const { min_value: min, max_value: max, min_length: short, max_length: long } = option;
  if (typeof min === "number" && typeof max === "number" && min > max)
    faults.push(`${path} has min over max`);
  if (typeof short === "number" && typeof long === "number" && short > long) {
    faults.push(`${path} has min_length over max_length`);
  }
  return faults;
}

function choiceFaults(
  path: string,
  { name, value }: { name: string; value: string | number },
  type: number,
): string[] {
  const faults: string[] = [];
  if (name.length < 1 || name.length > 100) faults.push(`${path} has a choice whose name is not 1–100 long`);
  const wanted = type === optionKind.string ? "string" : "number";
  const given = typeof value;
  if (given !== wanted) faults.push(`${path} has the choice ${name} with a ${given}; it takes a ${wanted}`);
  if (typeof value === "string" && (value.length < 1 || value.length > 100)) {
    faults.push(`${path} has the choice ${name} whose value is not 1–100 long`);
  }
  return faults;
}

function sizeOf({
  name,
  description,
  options,
}: Pick<CommandOption, "name" | "description" | "options">): number {
  return (options ?? []).reduce(
    (sum, option) =>
      sum +
      sizeOf(option) +
      (option.choices ?? []).reduce((all, one) => all + one.name.length + String(one.value).length, 0),
    name.length + description.length,
  );
}

/** What is wrong with a modal. */
export function modalFaults(modal: ModalBody): string[] {
  const faults: string[] = [];
  const rows = modal.components.length;
  if (rows > 5) faults.push(`the modal has ${rows} rows; 5 is the most`);
  const all = everyComponent(modal.components);
  const ids = all.flatMap(({ custom_id: id }) => (id ? [id] : []));
  faults.push(...duplicates(ids).map((id) => `custom_id ${id} is there twice`));
  for (const row of modal.components) {
    for (const inner of row.components ?? []) {
      if (inner.type === kind.textInput && !inner.label) {
        faults.push(`the text input ${inner.custom_id} in a row has no label`);
      }
    }
    if (row.component?.type === kind.textInput && row.component.label) {
      faults.push(`the text input ${row.component.custom_id} has a label inside a label`);
    }
  }
  for (const { type, custom_id: id, min_length: short, max_length: long, value, ...rest } of all) {
    faults.push(...selectFaults({ ...rest, type, custom_id: id }));
    if (type === kind.textInput) {
      if ((short ?? 0) > (long ?? 4000)) faults.push(`the text input ${id} has min_length over max_length`);
      if ((value ?? "").length > (long ?? 4000))
        faults.push(`the text input ${id} starts over its max_length`);
    }
    if (type === kind.fileUpload && (rest.min_values ?? 1) > (rest.max_values ?? 1)) {
      faults.push(`the file upload ${id} wants more files than it takes`);
    }
  }
  return faults;
}

/** What is wrong with the choices that complete an option of that type. */
export function completionFaults(
  choices: readonly { name: string; value: string | number }[],
  type: number,
): string[] {
  const faults = choices.flatMap((choice) => choiceFaults("the completion", choice, type));
  if (choices.length > 25) faults.push(`${choices.length} choices; 25 is the most`);
  return faults;
}
