/**
 * An option of a command, declared once for every surface: a schema says what it takes, a kind says how a surface asks
 * for it. Whatever a surface hands in is parsed here, so a command's code sees only values that fit.
 */
import type { z } from "zod";
import { InputError } from "../../config/errors.ts";
import { didYouMean } from "../../config/suggest.ts";
import { describe, takesOf } from "../../config/takes.ts";
import type { CallerRole, Surface } from "../caller.ts";
import { readGivenFile } from "./given-file.ts";

/**
 * How a surface asks: a number field, a switch, a list of choices, a text field, a file picker or path, a path or link,
 * or the id of something with completion.
 */
export type OptionKind =
  | "whole-number"
  | "switch"
  | "choice"
  | "text"
  | "long-text"
  | "file"
  | "path-or-link"
  | "round"
  | "campaign"
  | "environment"
  | "episode"
  | "document"
  | "policy"
  | "model";

export interface OptionDefinition<T = unknown> {
  readonly kind: OptionKind;
  readonly summary: string;
  readonly schema: z.ZodType<T>;
  /** On a command line it stands by itself, without a flag. */
  readonly argument?: true;
  /** Takes several values. */
  readonly many?: boolean;
  /** What stands for the value in help and usage: `N`, `ENV`. */
  readonly placeholder?: string;
  /** What applies when it is not given, in words. */
  readonly fallback?: string;
  /** Where it exists; everywhere if not given. */
  readonly surfaces?: readonly Surface[];
  /** A higher role than the command's, for those who give it. */
  readonly role?: CallerRole;
  /**
   * A surface with forms never demands it where the command is given: when a required one is missing there, a form asks
   * for it and for the other options marked so.
   */
  readonly asked?: true;
  /** A choice that is completed while it is typed, where a surface could list it as well. */
  readonly completed?: true;
}

export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

export type OptionValues<O extends OptionDefinitions> = {
  readonly [K in keyof O]: O[K] extends OptionDefinition<infer T> ? T : never;
};

/** Values as a surface has them: texts of a command line, typed values of a chat. */
export type RawOptions = Readonly<Record<string, unknown>>;

/** `playsPerSeed` → `plays-per-seed`: the option's name on every surface. */
export function optionName(key: string): string {
  return key.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
}

/** The options that exist on a surface, with their keys. */
export function optionsOn(
  definitions: OptionDefinitions,
  surface: Surface,
): readonly (readonly [string, OptionDefinition])[] {
  return Object.entries(definitions).filter(
    ([, { surfaces }]) => surfaces === undefined || surfaces.includes(surface),
  );
}

export function placeholderOf(key: string, option: OptionDefinition): string {
  return option.placeholder ?? optionName(key).toUpperCase();
}

export function isRequired(option: OptionDefinition): boolean {
  return !option.schema.safeParse(undefined).success;
}

/** The keys that a form asks for before the command can run: none unless a required one of them is missing. */
export function keysToAsk(definitions: OptionDefinitions, raw: RawOptions): readonly string[] {
  const missing = Object.entries(definitions).filter(
    ([key, option]) => option.asked === true && raw[key] === undefined,
  );
  return missing.some(([, option]) => isRequired(option)) ? missing.map(([key]) => key) : [];
}

/** The values of a choice, in the schema's order. */
export function choicesOf(option: OptionDefinition): readonly string[] {
  const schema = describe(option.schema);
  return (schema.items?.enum ?? schema.enum ?? []).map(String);
}

/** What a person types to name the option: `--plays`, or `ENV` for an argument. */
export function labelOf(key: string, option: OptionDefinition, surface: Surface): string {
  if (surface !== "command-line") return optionName(key);
  return option.argument === true ? placeholderOf(key, option) : `--${optionName(key)}`;
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ")
    .trim();

/**
 * A text as the type of its option's kind; what does not fit stays as it is, for the schema to refuse. A path means
 * this machine's files only to those who sit at it: from chat, files come as attachments and links.
 */
function coerce(option: OptionDefinition, raw: unknown, surface: Surface): unknown {
  if (option.many === true && raw !== undefined) {
    return [raw].flat().map((one) => coerce({ ...option, many: false }, one, surface));
  }
  if (typeof raw !== "string") return raw;
  if (option.kind === "file") return surface === "discord" ? raw : readGivenFile(raw);
  if (option.kind === "path-or-link" && surface === "discord" && !/^https?:\/\//i.test(raw)) return null;
  if (option.kind === "whole-number") return /^\s*[+-]?\d+(\.\d+)?\s*$/.test(raw) ? Number(raw) : raw;
  if (option.kind === "choice")
    return choicesOf(option).find((choice) => plain(choice) === plain(raw)) ?? raw;
  return raw;
}

/** What the option was given; of several values the first that does not fit. */
function written(option: OptionDefinition, raw: unknown, surface: Surface): string {
  const item = Array.isArray(raw)
    ? raw.find((one) => !option.schema.safeParse(coerce(option, [one], surface)).success)
    : undefined;
  return quoted(item ?? raw);
}

function quoted(raw: unknown): string {
  const text = typeof raw === "string" ? raw : (JSON.stringify(raw) ?? "nothing");
  return `"${text.length > 60 ? `${text.slice(0, 57)}…` : text}"`;
}

/** What the option takes, as a noun phrase. */
function takesOfOption(option: OptionDefinition, surface: Surface): string {
  if (option.kind === "file") return "a file";
  if (option.kind === "path-or-link" && surface === "discord") {
    return "a link, https://…; files can be attached to doc add and env request";
  }
  if (option.kind in idsOf) return `the id of ${idsOf[option.kind]}`;
  const schema = describe(option.schema);
  return takesOf(option.many === true && schema.items !== undefined ? schema.items : schema);
}

const idsOf: Readonly<Partial<Record<OptionKind, string>>> = {
  round: "a round",
  environment: "an environment",
  episode: "an episode",
  document: "a document",
  policy: "a version of a policy",
};

function refusal(key: string, option: OptionDefinition, raw: unknown, surface: Surface): InputError {
  const label = labelOf(key, option, surface);
  const takes = takesOfOption(option, surface);
  if (raw === undefined) return new InputError("input.bad-option", `${label} is missing; it takes ${takes}.`);
  const meant = option.kind === "choice" && typeof raw === "string" ? didYouMean(raw, choicesOf(option)) : "";
  return new InputError(
    "input.bad-option",
    `${label} is ${written(option, raw, surface)}; it takes ${takes}.${meant}`,
  );
}

/** Every option of a command, checked. Throws `input.bad-option`, naming the option and what it takes. */
export function parseOptions<O extends OptionDefinitions>(
  definitions: O,
  raw: RawOptions,
  surface: Surface,
): OptionValues<O> {
  for (const key of Object.keys(raw)) {
    if (Object.hasOwn(definitions, key)) continue;
    const known = Object.keys(definitions).map(optionName);
    throw new InputError(
      "input.bad-option",
      `There is no option "${optionName(key)}".${didYouMean(optionName(key), known)}`,
    );
  }
  const values = Object.entries(definitions).map(([key, option]) => {
    const parsed = option.schema.safeParse(coerce(option, raw[key], surface));
    if (!parsed.success) throw refusal(key, option, raw[key], surface);
    return [key, parsed.data];
  });
  // Each value was parsed by the schema that its type is inferred from.
  return Object.fromEntries(values) as OptionValues<O>;
}
