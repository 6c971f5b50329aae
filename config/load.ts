/**
 * Settings from every layer, checked once and frozen: defaults ← preset ← spadework.yaml ← environment variables and
 * .env ← flags. A layer that can't be used is an error that names the setting, the value, what it takes and the layer.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { InputError } from "./errors.ts";
import { isPresetName, presetNames, presets } from "./presets.ts";
import { type Config, configSchema } from "./schema.ts";
import { type Setting, settings } from "./settings.ts";
import { didYouMean } from "./suggest.ts";

/** The file that holds a team's settings, looked for in the working directory. */
export const configFileName = "spadework.yaml";
/** Names another settings file. The one variable of the prefix that is no setting. */
export const configFileVariable = "SPADEWORK_CONFIG";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Layers {
  /** Where spadework.yaml is looked for. */
  readonly directory: string;
  /** As `readEnvironment` gives it. */
  readonly environment: Environment;
  readonly preset?: string | null;
  /** Values by setting path (`dataDir`, `round.envs`); `undefined` = not given. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

interface Given {
  readonly value: unknown;
  /** Where it came from, as a person knows it: `spadework.yaml`, `SPADEWORK_ROUND_ENVS`, `--data`. */
  readonly from: string;
}

const badConfig = (message: string, cause?: unknown): InputError =>
  new InputError("input.bad-config", message, cause === undefined ? {} : { cause });

/** A file's text, or null if there is none at that path. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return null;
    }
    throw badConfig(`${path} can't be read.`, error);
  }
}

/** The process's variables with those of `.env` in `directory` beneath them: what is set for real wins. */
export function readEnvironment(directory: string, real: Environment): Environment {
  const text = readIfThere(join(directory, ".env"));
  return text === null ? real : { ...parseEnv(text), ...real };
}

/** Objects inside objects as one map from path to value. */
function flatten(value: object, from: string, path: readonly string[], into: Map<string, Given>): void {
  for (const [key, inner] of Object.entries(value)) {
    const here = [...path, key];
    if (typeof inner === "object" && inner !== null && !Array.isArray(inner)) {
      flatten(inner, from, here, into);
    } else if (inner !== undefined) into.set(here.join("."), { value: inner, from });
  }
}

async function fromFile(layers: Layers, into: Map<string, Given>): Promise<void> {
  const named = layers.environment[configFileVariable];
  const path = resolve(layers.directory, named === undefined || named === "" ? configFileName : named);
  const text = readIfThere(path);
  if (text === null) {
    if (named === undefined || named === "") return;
    throw badConfig(`${configFileVariable} names ${named}, and there is no such file.`);
  }
  const from = named === undefined || named === "" ? configFileName : named;
  const { parse } = await import("yaml");
  let read: unknown;
  try {
    read = parse(text);
  } catch (error) {
    const said = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw badConfig(`${from} is no valid YAML: ${said}`, error);
  }
  if (read === null || read === undefined) return;
  if (typeof read !== "object" || Array.isArray(read)) {
    throw badConfig(`${from} holds no settings; it takes "name: value" lines.`);
  }
  flatten(read, from, [], into);
}

/** A variable's text as the type of its setting; what does not fit stays a text, for the schema to refuse. */
function fromText(setting: Setting, text: string): unknown {
  if (setting.type === "switch") {
    if (["true", "1", "yes", "on"].includes(text.toLowerCase())) return true;
    return ["false", "0", "no", "off"].includes(text.toLowerCase()) ? false : text;
  }
  if (setting.type === "list") {
    return text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "");
  }
  if (setting.type === "text" || text.trim() === "") return text;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

function fromVariables(environment: Environment, into: Map<string, Given>): void {
  const byVariable = new Map(settings().map((setting) => [setting.variable, setting]));
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith("SPADEWORK_") || name === configFileVariable || text === undefined) continue;
    const setting = byVariable.get(name);
    if (setting === undefined) {
      throw badConfig(
        `There is no setting for the variable ${name}.${didYouMean(name, [...byVariable.keys()])}`,
      );
    }
    into.set(setting.path, { value: fromText(setting, text), from: name });
  }
}

function written(value: unknown): string {
  const text = typeof value === "string" ? `"${value}"` : (JSON.stringify(value) ?? "nothing");
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function isGroup(path: string): boolean {
  return settings().some((setting) => setting.path.startsWith(`${path}.`));
}

/** Refuses paths that no setting has, and groups that were given a single value. */
function checkPath(path: string, given: Given): void {
  const known = settings();
  if (known.some((setting) => setting.path === path)) return;
  if (isGroup(path)) {
    throw badConfig(`${given.from}: ${path} is ${written(given.value)}; it takes a group of settings.`);
  }
  throw badConfig(
    `${given.from}: there is no setting "${path}".${didYouMean(
      path,
      known.map((setting) => setting.path),
    )}`,
  );
}

function nest(flat: ReadonlyMap<string, Given>): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const [path, { value }] of flat) {
    const [first = "", second] = path.split(".");
    if (second === undefined) whole[first] = value;
    else whole[first] = Object.assign(whole[first] ?? {}, { [second]: value });
  }
  return whole;
}

function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === "object" && inner !== null) freeze(inner);
  return Object.freeze(value);
}

/** The settings of all layers, deeply frozen. Throws `input.bad-config`, or `input.bad-option` for an unknown preset. */
export async function loadConfig(layers: Layers): Promise<Config> {
  const flat = new Map<string, Given>();
  const preset = layers.preset ?? null;
  if (preset !== null) {
    if (!isPresetName(preset)) {
      throw new InputError(
        "input.bad-option",
        `There is no preset "${preset}"; it takes one of ${presetNames.join(", ")}.${didYouMean(preset, presetNames)}`,
      );
    }
    flatten(presets[preset].settings, `the preset ${preset}`, [], flat);
  }
  await fromFile(layers, flat);
  fromVariables(layers.environment, flat);
  for (const [path, value] of Object.entries(layers.flags ?? {})) {
    if (value !== undefined) flat.set(path, { value, from: "the command line" });
  }
  for (const [path, given] of [...flat]) {
    // "round:" with nothing under it reads as null; it sets nothing.
    if (given.value === null && isGroup(path)) flat.delete(path);
    else checkPath(path, given);
  }

  const result = configSchema.safeParse(nest(flat));
  if (result.success) return freeze(result.data);
  // Within a list the path goes on to the entry.
  const path = (result.error.issues[0]?.path ?? []).filter((key) => typeof key === "string").join(".");
  const given = flat.get(path);
  const setting = settings().find((known) => known.path === path);
  throw badConfig(
    `${given?.from ?? "The settings"}: ${path} is ${written(given?.value)}; it takes ${setting?.takes ?? "another value"}.`,
    result.error,
  );
}
