/** Cards of help: what somebody can do, and one command with its options. */
import type { CallerRole } from "../caller.ts";
import { type Block, type Card, card, field, fields, text } from "./card.ts";

export interface HelpCommand {
  readonly name: string;
  readonly summary: string;
}

export interface HelpOption {
  readonly name: string;
  readonly summary: string;
  readonly required: boolean;
  readonly choices: readonly string[];
  readonly fallback: string | null;
  /** The role it takes, where that is more than its command takes. */
  readonly role: CallerRole | null;
}

const typed = (name: string): string => `/${name}`;

/** The commands of a role, in the lab's order. */
export function helpCard(role: CallerRole, commands: readonly HelpCommand[]): Card {
  return card("What you can do", {
    blocks: [
      text(`Your role is ${role}. /help command:NAME says what a command takes.`),
      fields(...commands.map(({ name, summary }) => field(typed(name), summary))),
    ],
    buttons: [{ label: "What runs now", command: "status", options: {} }],
  });
}

function described({ summary, choices, fallback, role, required }: HelpOption): string {
  const parts = [
    summary,
    choices.length === 0 ? "" : `one of ${choices.join(", ")}`,
    required ? "needed" : fallback === null ? "" : `default: ${fallback}`,
    role === null ? "" : `for the role ${role}`,
  ];
  return parts.filter((part) => part !== "").join("; ");
}

export interface CommandHelp extends HelpCommand {
  readonly details: string | null;
  readonly role: CallerRole;
  /** Whether whoever asks may use it. */
  readonly allowed: boolean;
  readonly options: readonly HelpOption[];
}

export function commandHelpCard({ name, summary, details, role, allowed, options }: CommandHelp): Card {
  const blocks: Block[] = [text(`${summary}.${details === null ? "" : ` ${details}`}`)];
  blocks.push(fields(field("Role", allowed ? role : `${role}, which is more than yours`)));
  if (options.length > 0) {
    blocks.push(fields(...options.map((option) => field(option.name, described(option)))));
  }
  return card(typed(name), { blocks });
}
