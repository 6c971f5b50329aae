/**
 * A command, declared once: what it is called, what it takes, and what it does. Discord, the terminal chat and the
 * command line are renderings of these declarations; none of them knows a command by name.
 */
import type { Logger } from "pino";
import type { Environment } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import type { Listener } from "../../graph/events.ts";
import type { Services } from "../../graph/services.ts";
import type { Caller, CallerRole, Surface } from "../caller.ts";
import { requireRole } from "../caller.ts";
import type { Card } from "../cards/card.ts";
import type { Place, Team } from "../chat/team.ts";
import type { InputStream, OutputStream } from "../cli/streams.ts";
import {
  type OptionDefinitions,
  type OptionValues,
  optionName,
  parseOptions,
  type RawOptions,
} from "./option.ts";

/** A conversation with the caller while a command runs. */
export interface Dialog {
  /** False where the answers come from a pipe, or nobody is there to give any. */
  readonly canAnswer: boolean;
  say(text: string): void;
  /** What the caller answers; null when they leave. */
  ask(prompt: string): Promise<string | null>;
}

/** What a surface gives a command to work with. */
export interface CommandContext {
  /** The settings, with a preset put beneath what people set. Throws `input.bad-option` for an unknown preset. */
  config(preset?: string | null): Promise<Config>;
  /** Opened on first use; the surface closes them. */
  services(): Promise<Services>;
  readonly log: Logger;
  /**
   * Says that the command stops by itself when asked to: the signal aborts when it is to finish what is in flight,
   * store it and end. Until a command calls this, the surface may end it at any time.
   */
  drainable(): AbortSignal;
  /** Null on surfaces that hold conversations in their own way. */
  readonly dialog: Dialog | null;
  /** Null where a command itself stays until its work is done. */
  readonly team: Team | null;
  /** Where in a chat the command was given; null on the command line and in the terminal. */
  readonly place: Place | null;
  /** What it takes to keep serving a chat, where a command can. */
  readonly serving?: Serving;
}

/** What `serve` needs of its process beside what every command gets. */
export interface Serving {
  /** The variables of the process and of `.env`. */
  readonly environment: Environment;
  /** Services of their own, whose events go to the listener. Whoever opens them closes them. */
  open(listener: Listener): Promise<Services>;
  /** A line for whoever started the process. */
  say(line: string): void;
  /** What a chat in the terminal is held over. */
  readonly terminal: {
    readonly stdin: InputStream;
    readonly stdout: OutputStream;
    readonly stderr: OutputStream;
    /** Makes secrets unreadable. */
    redact(text: string): string;
    /** Ends the process at once. */
    stopNow(): never;
  };
}

/** What a command answers: a card for people, a value for programs. */
export interface Answer {
  readonly card: Card;
  /** The document of `--json`. */
  readonly json: unknown;
  /** A text that is wanted as it is, e.g. a source: the command line prints it in place of the card. */
  readonly raw?: string;
  /** 3 = the job was rejected or failed, though the answer is whole; 130 = interrupted. Default 0. */
  readonly exit?: 0 | 1 | 2 | 3 | 130;
  /** In chat, the answer to a button takes the place of the message that the button is on. */
  readonly replaces?: true;
}

/** Who sees an answer in a chat channel: everybody in it, or whoever gave the command. */
export type Audience = "everybody" | "caller";

interface Declaration<O extends OptionDefinitions> {
  /** One word, or two with a group: `round`, `env show`. */
  readonly name: string;
  readonly summary: string;
  /** More than the summary says, for help. */
  readonly details?: string;
  /** Whole command lines after `spadework`. */
  readonly examples?: readonly string[];
  /** The least role that may use it. */
  readonly role: CallerRole;
  readonly options: O;
  /** Where it exists; everywhere if not given. */
  readonly surfaces?: readonly Surface[];
  /** Reached by buttons and forms alone: it is not listed, registered or typed. */
  readonly hidden?: true;
  /** Who sees its answer in a chat channel; it can depend on the options as they came. Default: everybody. */
  readonly audience?: Audience | ((raw: RawOptions) => Audience);
  /** Each run of it is one more round, which chat counts against the caller's limits. */
  readonly starts?: "round";
  run(options: OptionValues<O>, caller: Caller, context: CommandContext): Promise<Answer>;
}

/** A command as surfaces see it: options go in as they came, and are checked before anything happens. */
export interface Command extends Omit<Declaration<OptionDefinitions>, "run"> {
  /** Throws what `run` would throw before it begins: a role that is too low, options that don't fit. */
  check(raw: RawOptions, caller: Caller): void;
  /** Throws SpadeworkError. */
  run(raw: RawOptions, caller: Caller, context: CommandContext): Promise<Answer>;
}

/** Who sees the answer of a command that was given with these options. */
export function audienceOf({ audience }: Pick<Command, "audience">, raw: RawOptions): Audience {
  return typeof audience === "function" ? audience(raw) : (audience ?? "everybody");
}

/** Whether people on a surface can give the command themselves, rather than by a button. */
export function isOffered({ hidden, surfaces }: Command, surface: Surface): boolean {
  return hidden !== true && (surfaces === undefined || surfaces.includes(surface));
}

/** Some options take a higher role than their command. Whoever sits at the machine is an admin anyway. */
function requireOptionRoles(
  options: OptionDefinitions,
  raw: RawOptions,
  caller: Caller,
  command: string,
): void {
  for (const [key, { role }] of Object.entries(options)) {
    if (role !== undefined && raw[key] !== undefined) {
      requireRole(caller, role, `${command} with ${optionName(key)}`);
    }
  }
}

export function defineCommand<O extends OptionDefinitions>(declaration: Declaration<O>): Command {
  const checked = (raw: RawOptions, caller: Caller): OptionValues<O> => {
    requireRole(caller, declaration.role, declaration.name);
    requireOptionRoles(declaration.options, raw, caller, declaration.name);
    return parseOptions(declaration.options, raw, caller.surface);
  };
  return {
    ...declaration,
    check(raw, caller) {
      checked(raw, caller);
    },
    async run(raw, caller, context) {
      return declaration.run(checked(raw, caller), caller, context);
    },
  };
}
