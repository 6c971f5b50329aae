/** Client checks: what Discord's own client would not let a person send, so that tests only do what people can. */
import { PermissionFlagsBits } from "discord.js";
import type { GivenFile } from "./cdn.ts";
import type { RegisteredCommand } from "./command-book.ts";
import { optionKind } from "./rules-commands.ts";
import type { CommandOption } from "./shapes.ts";

/** A value that a person gives for an option; ids for people, channels and roles. */
export type GivenValue = string | number | boolean | GivenFile;
export type GivenOptions = Readonly<Record<string, GivenValue>>;

export interface FoundCommand {
  readonly command: RegisteredCommand;
  /** Names of the group and the subcommand. */
  readonly path: readonly CommandOption[];
  readonly options: readonly CommandOption[];
}

/** The slash command that a person types, as `env show`. Throws when the client doesn't offer it. */
export function findCommand(
  commands: readonly RegisteredCommand[],
  typed: string,
  has: bigint,
): FoundCommand {
  const [name, ...rest] = typed.replace(/^\//, "").split(" ");
  const slash = commands.filter(({ body }) => (body.type ?? 1) === 1);
  const command = slash.find(({ body }) => body.name === name);
  const names = slash.map(({ body }) => body.name).join(", ");
  if (command === undefined) throw new Error(`There is no command /${name}; there are: ${names || "none"}`);
  refuseWithout(command, has);
  const path: CommandOption[] = [];
  let options = command.body.options ?? [];
  for (const part of rest) {
    const next = options.find((option) => option.name === part && isNested(option));
    if (next === undefined) throw new Error(`/${name} has no subcommand ${part}; it has: ${list(options)}`);
    path.push(next);
    options = next.options ?? [];
  }
  if (options.some(isNested)) throw new Error(`/${typed} needs one of its subcommands: ${list(options)}`);
  return { command, path, options };
}

/** The entry of a message's menu. Throws when the client doesn't offer it. */
export function findMenu(
  commands: readonly RegisteredCommand[],
  name: string,
  has: bigint,
): RegisteredCommand {
  const menus = commands.filter(({ body }) => body.type === 3);
  const found = menus.find(({ body }) => body.name === name);
  if (found === undefined) {
    throw new Error(
      `No message menu ${name}; there are: ${menus.map(({ body }) => body.name).join(", ") || "none"}`,
    );
  }
  refuseWithout(found, has);
  return found;
}

function refuseWithout({ body }: RegisteredCommand, has: bigint): void {
  const needs = body.default_member_permissions;
  if (needs === null || needs === undefined) return;
  const isAdmin = (has & PermissionFlagsBits.Administrator) !== 0n;
  if (!isAdmin && (BigInt(needs) === 0n || (has & BigInt(needs)) !== BigInt(needs))) {
    throw new Error(`${body.name} is hidden from this person: it needs permissions ${needs}`);
  }
}

function isNested({ type }: CommandOption): boolean {
  return type === optionKind.subcommand || type === optionKind.group;
}

function list(options: readonly CommandOption[]): string {
  return options.map(({ name }) => name).join(", ") || "none";
}

/** Throws when a person could not send the command with these values. `partly` leaves required ones out, as completion does. */
export function refuseOptions(
  typed: string,
  options: readonly CommandOption[],
  given: GivenOptions,
  partly = false,
): void {
  for (const name of Object.keys(given)) {
    if (!options.some((option) => option.name === name)) {
      throw new Error(`/${typed} has no option ${name}; it has: ${list(options)}`);
    }
  }
  for (const option of options) {
    const value = given[option.name];
    if (value === undefined) {
      if (option.required === true && !partly) throw new Error(`/${typed} needs the option ${option.name}`);
      continue;
    }
    const fault = partly ? null : faultOf(option, value);
    if (fault !== null) throw new Error(`/${typed} ${option.name}: ${fault}`);
  }
}

function faultOf(option: CommandOption, value: GivenValue): string | null {
  const { type, choices, min_value: min, max_value: max, min_length: short, max_length: long } = option;
  const isFile = typeof value === "object";
  if (type === optionKind.attachment) return isFile ? null : "it takes a file";
  if (isFile) return "it takes no file";
  if (type === optionKind.boolean) return typeof value === "boolean" ? null : "it takes true or false";
  if (type === optionKind.integer || type === optionKind.number) {
    if (typeof value !== "number") return "it takes a number";
    if (type === optionKind.integer && !Number.isInteger(value)) return "it takes a whole number";
    if (typeof min === "number" && value < min) return `${value} is less than ${min}`;
    if (typeof max === "number" && value > max) return `${value} is more than ${max}`;
  } else {
    if (typeof value !== "string") return "it takes a text";
    if (type !== optionKind.string) return /^\d{17,19}$/.test(value) ? null : "it takes an id";
    if (value.length === 0) return "it takes a text that isn't empty";
    if (value.length < (short ?? 0)) return `it takes at least ${short} characters`;
    if (value.length > (long ?? 6000)) return `it takes at most ${long ?? 6000} characters`;
  }
  const isChoice = (choices ?? []).length === 0 || choices?.some((choice) => choice.value === value) === true;
  return isChoice ? null : `${value} is none of ${choices?.map((choice) => choice.value).join(", ")}`;
}
