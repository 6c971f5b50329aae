/**
 * Every interaction, from its event to its answer: checked (place, role, rate, options) and acknowledged before
 * anything slow, then run as the person who gave it. What can't be acknowledged is not done.
 */
import {
  type AutocompleteInteraction,
  type BaseInteraction,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
} from "discord.js";
import type { Logger } from "pino";
import { asSpadeworkError, ChatError } from "../../config/errors.ts";
import type { Config } from "../../config/schema.ts";
import { type Caller, hasRole } from "../caller.ts";
import type { Team } from "../chat/team.ts";
import { audienceOf, type Command, type CommandContext } from "../commands/command.ts";
import { complete } from "../commands/complete.ts";
import { keysToAsk, optionName } from "../commands/option.ts";
import type { Limits } from "../limits.ts";
import type { ChatSettings } from "../settings.ts";
import { type Meaning, readId } from "./custom-id.ts";
import { fileRulesOf } from "./interaction-files.ts";
import {
  commandName,
  type Given,
  givenFields,
  givenOptions,
  withFiles,
  withPlaceholders,
} from "./interaction-options.ts";
import { callerOf, placeOf } from "./interaction-person.ts";
import { type Answerable, Reply, type ReplyTools } from "./interaction-reply.ts";
import { limits, shortened } from "./limits-of-text.ts";
import { menuEntries } from "./menu.ts";
import { formOf } from "./modal.ts";

export interface RouterOptions extends ReplyTools {
  readonly commands: readonly Command[];
  /** Roles, allow lists and file limits; they don't change while the bot runs. */
  readonly config: Config;
  readonly settings: ChatSettings;
  readonly limits: Limits;
  /** Resolves when the team can work; commands wait for it after they were acknowledged. */
  readonly team: Promise<Team>;
  /** Aborts when the bot stops. */
  readonly stopping: AbortSignal;
}

export interface Router {
  /** Never throws. */
  handle(interaction: BaseInteraction): Promise<void>;
  /** Resolves when every answer that was begun is given. */
  settled(): Promise<void>;
}

/** What an interaction asks for. */
interface Request {
  readonly command: Command;
  readonly given: Given;
  /** Keys of options that a form has to ask for first. */
  readonly ask: readonly string[];
}

/** Interactions that are remembered, so that one which Discord sends again is not done again. */
const remembered = 5_000;

const unknownButton = (): ChatError =>
  new ChatError("chat.unknown-button", "The lab does not know this button or form any more.");

export function createRouter(options: RouterOptions): Router {
  const known = new Set<string>();
  const atWork = new Set<Promise<void>>();
  return {
    handle(interaction) {
      if (known.has(interaction.id)) {
        options.log.warn({ interaction: interaction.id }, "an interaction came twice; it is done once");
        return Promise.resolve();
      }
      known.add(interaction.id);
      const [oldest] = known;
      if (known.size > remembered && oldest !== undefined) known.delete(oldest);
      const log = options.log.child({ interaction: interaction.id, person: interaction.user.id });
      const work = new Handling({ ...options, log }).handle(interaction).catch((error: unknown) => {
        log.error({ err: error }, "an interaction failed");
      });
      atWork.add(work);
      return work.finally(() => atWork.delete(work));
    },
    async settled() {
      while (atWork.size > 0) await Promise.all(atWork);
    },
  };
}

/** One interaction. */
class Handling {
  readonly #options: RouterOptions;
  readonly #log: Logger;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  async handle(interaction: BaseInteraction): Promise<void> {
    await this.#findThread(interaction);
    if (interaction.isAutocomplete()) return this.#complete(interaction);
    if (interaction.isChatInputCommand()) return this.#answer(interaction, () => this.#typed(interaction));
    if (interaction.isMessageContextMenuCommand())
      return this.#answer(interaction, () => this.#picked(interaction));
    if (interaction.isButton()) return this.#answer(interaction, () => this.#pressed(interaction));
    if (interaction.isModalSubmit()) return this.#answer(interaction, () => this.#filled(interaction));
    // Nothing else is on the lab's messages.
    this.#log.warn({ type: interaction.type }, "an interaction of an unknown type");
    if (interaction.isRepliable())
      await interaction.reply({ content: unknownButton().message, flags: MessageFlags.Ephemeral });
  }

  /** The client does not hold archived threads, and an allow list needs to know their channel. */
  async #findThread({ channel, channelId, guildId, client }: BaseInteraction): Promise<void> {
    const { channels } = this.#options.config.discord;
    if (channels.length === 0 || guildId === null || channelId === null || channel !== null) return;
    await client.channels.fetch(channelId).catch((error: unknown) => {
      this.#log.info({ err: error, channelId }, "the channel of an interaction could not be looked at");
    });
  }

  /** The command of a name as people can give it by hand; null if there is none. */
  #command(name: string): Command | null {
    const found = this.#options.commands.find((command) => command.name === name);
    return found === undefined || (found.surfaces?.includes("discord") ?? true) === false ? null : found;
  }

  /** A command that Discord still shows from before. */
  #known(name: string): Command {
    const command = this.#command(name);
    if (command !== null) return command;
    throw new ChatError("chat.unknown-button", `There is no command "${name}" any more.`);
  }

  #typed(interaction: ChatInputCommandInteraction): Request {
    const subcommand = interaction.options.getSubcommand(false);
    const command = this.#known(commandName(interaction.commandName, subcommand));
    const given = givenOptions(interaction, command);
    const present = withPlaceholders(given, command);
    return { command, given, ask: keysToAsk(command.options, present) };
  }

  #picked(interaction: MessageContextMenuCommandInteraction): Request {
    const entry = menuEntries.find(({ name }) => name === interaction.commandName);
    if (entry === undefined) throw unknownButton();
    const { ask, ...given } = entry.given(interaction.targetMessage);
    return { command: this.#known(entry.command), given, ask };
  }

  async #pressed({ customId }: ButtonInteraction): Promise<Request> {
    const meaning = await this.#meaning(customId, "press");
    const command = this.#command(meaning.command);
    if (command === null) throw unknownButton();
    const given: Given = { values: meaning.options, files: new Map() };
    const ask = meaning.ask.length > 0 ? meaning.ask : keysToAsk(command.options, meaning.options);
    return { command, given, ask };
  }

  async #filled(interaction: ModalSubmitInteraction): Promise<Request> {
    const meaning = await this.#meaning(interaction.customId, "form");
    const command = this.#command(meaning.command);
    if (command === null) throw unknownButton();
    const { values, files } = givenFields(interaction, command);
    return { command, given: { values: { ...meaning.options, ...values }, files }, ask: [] };
  }

  async #meaning(customId: string, kind: Meaning["kind"]): Promise<Meaning> {
    const meaning = await readId(customId, this.#options.surroundings.texts).catch((error: unknown) => {
      const told = asSpadeworkError(error);
      throw told.code === "input.bad-option" ? unknownButton() : told;
    });
    if (meaning.kind !== kind) throw unknownButton();
    return meaning;
  }

  /** The caller, if they may give commands here and now. */
  #admit(interaction: BaseInteraction): Caller {
    const { config, limits, stopping } = this.#options;
    if (stopping.aborted) throw new ChatError("chat.stopping", "The lab is stopping at the moment.");
    const caller = callerOf(interaction, config);
    limits.count(caller.id);
    return caller;
  }

  async #answer(interaction: Answerable, read: () => Request | Promise<Request>): Promise<void> {
    const reply = new Reply(interaction, { ...this.#options, log: this.#log });
    let caller: Caller;
    let request: Request;
    try {
      caller = this.#admit(interaction);
      request = await read();
      if (await this.#asks(interaction, reply, caller, request)) return;
      request.command.check(withPlaceholders(request.given, request.command), caller);
    } catch (error) {
      await reply.refuse(error);
      return;
    }
    const { command, given } = request;
    if (!(await reply.acknowledge(audienceOf(command, given.values)))) return;
    try {
      const raw = await withFiles(given, command, fileRulesOf(this.#options.config));
      const context = await this.#context(interaction);
      const run = () => command.run(raw, caller, context);
      const { store } = this.#options.settings.services;
      const answer =
        command.starts === "round"
          ? await this.#options.limits.startRound(caller.id, store, run)
          : await run();
      await reply.answer(answer.card, answer.replaces === true);
    } catch (error) {
      await reply.refuse(error);
    }
  }

  /** Opens a form if something has to be asked for first. Whoever may not give the command is not asked. */
  async #asks(
    interaction: Answerable,
    reply: Reply,
    caller: Caller,
    { command, given, ask }: Request,
  ): Promise<boolean> {
    if (ask.length === 0 || interaction.isModalSubmit()) return false;
    if (!hasRole(caller, command.role)) return false;
    const settled = Object.entries(given.values).flatMap(([key, value]) =>
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? [[key, value] as const]
        : Array.isArray(value)
          ? [[key, value.join(" ")] as const]
          : [],
    );
    const { texts } = this.#options.surroundings;
    await reply.form(await formOf(command, ask, Object.fromEntries(settled), texts));
    return true;
  }

  async #context(interaction: Answerable): Promise<CommandContext> {
    const { settings, stopping, team } = this.#options;
    return {
      config: (preset) => settings.config(preset),
      services: () => settings.refresh(),
      log: this.#log,
      drainable: () => stopping,
      dialog: null,
      team: await team,
      place: placeOf(interaction),
    };
  }

  /** Completion has no way to say what went wrong: the list stays empty, and the command itself will say it. */
  async #complete(interaction: AutocompleteInteraction): Promise<void> {
    const { name, value } = interaction.options.getFocused(true);
    let choices: Awaited<ReturnType<typeof complete>> = [];
    try {
      const command = this.#known(
        commandName(interaction.commandName, interaction.options.getSubcommand(false)),
      );
      const caller = callerOf(interaction, this.#options.config);
      const [, option] = Object.entries(command.options).find(([key]) => optionName(key) === name) ?? [];
      if (option !== undefined && hasRole(caller, command.role)) {
        const { services } = this.#options.settings;
        choices = await complete(option, value, { store: services.store, config: services.config });
      }
    } catch (error) {
      this.#log.info({ err: error }, "a completion stays empty");
    }
    try {
      // Discord counts UTF-16 units, of which a character may have two.
      await interaction.respond(choices.map((one) => ({ ...one, name: shortened(one.name, limits.choice) })));
    } catch (error) {
      this.#log.info({ err: error }, "a completion came too late");
    }
  }
}
