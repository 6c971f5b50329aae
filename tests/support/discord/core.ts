/** Core: what every part of the server shares, and the shapes of a request and its answer. */
import type { z } from "zod";
import type { Cdn } from "./cdn.ts";
import type { CommandBook } from "./command-book.ts";
import type { Gateway } from "./gateway.ts";
import type { Desk } from "./interactions.ts";
import { refusals } from "./refusal.ts";
import { surrogateFaults } from "./rules-messages.ts";
import type { CheckSchema, SchemaName } from "./schemas.ts";
import type { World } from "./world.ts";

export interface Core {
  readonly world: World;
  readonly gateway: Gateway;
  readonly desk: Desk;
  readonly commands: CommandBook;
  readonly cdn: Cdn;
  readonly check: CheckSchema;
  /** Whether a text without `allowed_mentions` is a problem. */
  readonly mentionsOff: boolean;
  readonly problem: (text: string) => void;
  /** Says that something may have come true that somebody waits for. */
  readonly changed: () => void;
}

/** A file that came with a request. */
export interface Upload {
  /** n of `files[n]`. */
  readonly index: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

export interface Call {
  readonly method: string;
  /** Without `/api/v10`, parts decoded. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly uploads: readonly Upload[];
}

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
}

export interface Route {
  readonly method: string;
  /** `/channels/:channel/messages`. */
  readonly pattern: string;
  /** Whether the bot's token is needed. Default true. */
  readonly open?: true;
  readonly handle: (core: Core, call: Call) => Reply;
}

/** A part of the path. */
export function param(call: Call, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw new Error(`${call.path} has no part ${name}`);
  return value;
}

/** Notes what is wrong with a request, one problem a fault. */
export function note(core: Core, call: Call, faults: readonly string[]): void {
  for (const fault of faults) core.problem(`${call.method} ${call.path}: ${fault}`);
}

/**
 * The body of a request, held against a schema of Discord's and against rules. Throws Invalid Form Body, and notes the
 * problems, when something is wrong with it.
 */
export function checked<T>(
  core: Core,
  call: Call,
  body: unknown,
  schema: SchemaName,
  shape: z.ZodType<T>,
  rules: (body: T) => readonly string[],
): T {
  const faults = [...core.check(schema, body), ...surrogateFaults(body)];
  const parsed = shape.safeParse(body);
  if (parsed.success) faults.push(...rules(parsed.data));
  else if (faults.length === 0) faults.push(`body can't be read: ${parsed.error.message}`);
  if (faults.length > 0 || !parsed.success) {
    note(core, call, faults);
    throw refusals.invalidForm(faults);
  }
  return parsed.data;
}

/** A body without fields that clients send and the description doesn't know. */
export function without(body: unknown, ...fields: readonly string[]): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([key]) => !fields.includes(key)));
}
