/** The settings as a flat list read off the schema: each one's path, variable, default and what it takes. */
import { configSchema } from "./schema.ts";
import { type Described, describe, takesOf } from "./takes.ts";

export interface Setting {
  /** As in spadework.yaml, groups joined by dots: `sandbox.stepTimeoutMs`. */
  readonly path: string;
  /** The environment variable that sets it: `SPADEWORK_SANDBOX_STEP_TIMEOUT_MS`. */
  readonly variable: string;
  /** A list is written with commas in a variable. */
  readonly type: "whole number" | "number" | "switch" | "list" | "text";
  /** Noun phrase: "a whole number from 1 to 1000". */
  readonly takes: string;
  readonly fallback: unknown;
  readonly summary: string;
}

/** The variable that sets the setting at a path. */
export function variableOf(path: string): string {
  const words = path.split(".").map((part) => part.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2"));
  return `SPADEWORK_${words.join("_").toUpperCase()}`;
}

const types = { integer: "whole number", number: "number", boolean: "switch", array: "list" } as const;

function flatten(schema: Described, path: readonly string[]): Setting[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, part]) => {
    const here = [...path, key];
    if (part.type === "object") return flatten(part, here);
    const name = here.join(".");
    const type =
      part.type === "integer" || part.type === "number" || part.type === "boolean" || part.type === "array"
        ? types[part.type]
        : ("text" as const);
    return {
      path: name,
      variable: variableOf(name),
      type,
      takes: takesOf(part),
      fallback: part.default,
      summary: part.description ?? "",
    };
  });
}

let listed: readonly Setting[] | undefined;

/** Every setting, in the schema's order. */
export function settings(): readonly Setting[] {
  listed ??= flatten(describe(configSchema), []);
  return listed;
}
