/** The lab's commands as Discord's application commands, registered only where they differ from what is there. */
import {
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type RESTPostAPIApplicationCommandsJSONBody as CommandBody,
  InteractionContextType,
  type REST,
  Routes,
  type RESTPostAPIChatInputApplicationCommandsJSONBody as SlashBody,
} from "discord.js";
import { z } from "zod";
import type { Command } from "../commands/command.ts";
import { optionsOn } from "../commands/option.ts";
import { description, slashOption } from "./register-option.ts";

/** Whether a command is typed and listed on Discord. */
export function isOnDiscord({ surfaces, hidden }: Pick<Command, "surfaces" | "hidden">): boolean {
  return hidden !== true && (surfaces?.includes("discord") ?? true);
}

/** Discord wants required options first. */
function slashOptions(command: Command) {
  const options = optionsOn(command.options, "discord").map(([key, option]) => slashOption(key, option));
  return [...options.filter(({ required }) => required), ...options.filter(({ required }) => !required)];
}

function subcommand(command: Command, name: string): APIApplicationCommandSubcommandOption {
  return {
    type: ApplicationCommandOptionType.Subcommand,
    name,
    description: description(command.summary, command.name),
    options: slashOptions(command),
  };
}

/** Commands of one first word: `env show` and `env play` are `/env` with two subcommands. */
function slashBody(word: string, commands: readonly Command[]): SlashBody {
  const [first] = commands;
  if (first !== undefined && commands.length === 1 && first.name === word) {
    return {
      type: ApplicationCommandType.ChatInput,
      name: word,
      description: description(first.summary, word),
      options: slashOptions(first),
    };
  }
  const subcommands = commands.map((command) => {
    const name = command.name.slice(word.length + 1);
    if (name === "") throw new Error(`"${word}" is a command and a group of commands at once.`);
    return subcommand(command, name);
  });
  return {
    type: ApplicationCommandType.ChatInput,
    name: word,
    description: description(`${word}: ${subcommands.map(({ name }) => name).join(", ")}`, word),
    options: subcommands,
  };
}

/** An entry of a message's own menu, and the command that it needs. */
export interface MenuName {
  readonly name: string;
  readonly command: string;
}

/**
 * What Discord is told of the commands: those that exist there and are not hidden. `scope`: Discord takes the places
 * where a command may be given only for global ones. No permissions are set: the lab checks roles itself.
 */
export function applicationCommands(
  commands: readonly Command[],
  menus: readonly MenuName[],
  scope: "global" | "guild",
): CommandBody[] {
  const present = commands.filter(isOnDiscord);
  const words = Map.groupBy(present, ({ name }) => name.split(" ")[0] ?? name);
  const entries = menus.filter(({ command }) => present.some(({ name }) => name === command));
  const bodies: CommandBody[] = [
    ...[...words].map(([word, group]) => slashBody(word, group)),
    ...entries.map(({ name }) => ({ type: ApplicationCommandType.Message, name }) as const),
  ];
  if (scope === "guild") return bodies;
  return bodies.map((body) => ({
    ...body,
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    integration_types: [ApplicationIntegrationType.GuildInstall],
  }));
}

const choice = z.object({ name: z.string(), value: z.union([z.string(), z.number()]) });

/** An option as Discord holds it, with what it leaves out filled in, so that two can be compared. */
const heldOption = z.object({
  type: z.number(),
  name: z.string(),
  description: z.string(),
  required: z.boolean().default(false),
  autocomplete: z.boolean().default(false),
  choices: z.array(choice).default([]),
  min_value: z.number().nullish().default(null),
  max_value: z.number().nullish().default(null),
  max_length: z.number().nullish().default(null),
  get options() {
    return z.array(heldOption).default([]);
  },
});

const heldCommand = z.object({
  type: z.number().default(ApplicationCommandType.ChatInput),
  name: z.string(),
  description: z.string().default(""),
  options: z.array(heldOption).default([]),
  default_member_permissions: z.string().nullish().default(null),
  contexts: z.array(z.number()).nullish().default(null),
});

/** Commands as one text: the same for the same commands, in whatever order Discord lists them. */
function fingerprint(commands: readonly unknown[], withContexts: boolean): string {
  const held = commands.map((command) => {
    const { contexts, ...rest } = heldCommand.parse(command);
    return { ...rest, contexts: withContexts ? [...(contexts ?? [])].sort() : [] };
  });
  return JSON.stringify(held.sort((a, b) => a.type - b.type || (a.name < b.name ? -1 : 1)));
}

export interface Registration {
  readonly rest: REST;
  readonly applicationId: string;
  readonly commands: readonly Command[];
  readonly menus: readonly MenuName[];
  /** The only server in which the commands exist, at once; null for everywhere. */
  readonly guildId: string | null;
}

/** Overwrites a set of commands if it differs. True if it did. */
async function overwrite(
  rest: REST,
  route: `/${string}`,
  bodies: readonly CommandBody[],
  withContexts: boolean,
): Promise<boolean> {
  const held = z.array(z.unknown()).parse(await rest.get(route));
  if (fingerprint(held, withContexts) === fingerprint(bodies, withContexts)) return false;
  await rest.put(route, { body: bodies });
  return true;
}

/**
 * Registers the commands where they differ from what Discord holds, and says whether anything changed. With a server's
 * id, global ones of before are taken away, since people would find everything twice. Throws what the client throws.
 */
export async function registerCommands(registration: Registration): Promise<boolean> {
  const { rest, applicationId, commands, menus, guildId } = registration;
  const everywhere = Routes.applicationCommands(applicationId);
  if (guildId === null) {
    return overwrite(rest, everywhere, applicationCommands(commands, menus, "global"), true);
  }
  const route = Routes.applicationGuildCommands(applicationId, guildId);
  const changed = await overwrite(rest, route, applicationCommands(commands, menus, "guild"), false);
  return (await overwrite(rest, everywhere, [], true)) || changed;
}
