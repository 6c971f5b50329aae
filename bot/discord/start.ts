/**
 * The bot on Discord, from the login to the last answer: connected, its commands registered, its rounds taken up, and
 * everybody who started it told what they have to do in the portal.
 */
import { setTimeout as wait } from "node:timers/promises";
import { type BaseInteraction, type Client, DiscordAPIError, Events, type Guild } from "discord.js";
import type { Logger } from "pino";
import { asSpadeworkError, type SpadeworkError } from "../../config/errors.ts";
import type { Redact } from "../../config/redact.ts";
import type { Config } from "../../config/schema.ts";
import type { Services } from "../../graph/services.ts";
import type { Chart } from "../cards/chart.ts";
import type { OpenTeam } from "../chat/open-team.ts";
import type { Room } from "../chat/room.ts";
import type { Command } from "../commands/command.ts";
import { createLimits } from "../limits.ts";
import { openChatSettings } from "../settings.ts";
import { menuEntries } from "./menu.ts";
import { registerCommands } from "./register.ts";
import type { RenderSurroundings } from "./render.ts";
import { createRoom } from "./room.ts";
import { createRouter } from "./router.ts";
import { closeError, logIn } from "./start-login.ts";
import { inviteLink, missingPermissions, neededPermissions, portalSteps } from "./start-portal.ts";

export interface StartOptions {
  /** The configuration, with a preset beneath it if one is named. */
  config(preset?: string | null): Promise<Config>;
  readonly services: Services;
  readonly commands: readonly Command[];
  readonly token: string;
  /** The one server that has the commands, at once; null registers them everywhere. */
  readonly guildId: string | null;
  openTeam(parts: {
    readonly services: Services;
    readonly room: Room;
    readonly log: Logger;
  }): Promise<OpenTeam>;
  /** Draws charts as PNG; without it their words are shown. */
  readonly drawChart?: (chart: Chart) => Promise<Uint8Array>;
  readonly log: Logger;
  readonly redact: Redact;
  /** Tells whoever started the bot. */
  say(line: string): void;
  /** Ends the attempts to connect. */
  readonly signal?: AbortSignal;
}

export interface DiscordBot {
  /** Resolves with what ended the bot for good from Discord's side; null when it was closed. */
  readonly ended: Promise<SpadeworkError | null>;
  /** Takes no new commands, finishes what is in flight, and logs out. Rounds are taken up at the next start. */
  close(): Promise<void>;
}

/** Waits between tries to register the commands, milliseconds; the last one stays. */
const registerDelays = [2_000, 10_000, 60_000];

/**
 * Connects and serves until `close`. Resolves when the bot is ready, or with null when the signal aborts before that.
 * Throws `chat.bad-token`, `chat.bad-intent`, and what opening the team throws.
 */
export async function startDiscord(options: StartOptions): Promise<DiscordBot | null> {
  const { services, commands, token, log, redact, say } = options;
  const config = await options.config();
  const settings = await openChatSettings(services, options.config);
  const stopping = new AbortController();
  const ended = Promise.withResolvers<SpadeworkError | null>();

  // What comes before everything is set up waits for it.
  const early: BaseInteraction[] = [];
  let handle = (interaction: BaseInteraction): void => void early.push(interaction);
  const prepare = (client: Client): void => {
    client.on(Events.InteractionCreate, (interaction) => handle(interaction));
    watchConnection(client, log, stopping.signal);
  };
  const signal = options.signal ?? new AbortController().signal;
  const client = await logIn({ token, api: config.discord.api, log, say, signal, prepare });
  if (client === null) return null;
  client.on(Events.ShardDisconnect, ({ code }) => {
    // Closing it ourselves is no end from Discord's side.
    if (!stopping.signal.aborted) ended.resolve(closeError(code));
  });

  const surroundings: RenderSurroundings = {
    texts: services.store.texts,
    commands,
    log,
    ...(options.drawChart === undefined ? {} : { drawChart: options.drawChart }),
  };
  const room = createRoom({ client, surroundings });
  const team = options.openTeam({ services: settings.services, room, log });
  const router = createRouter({
    commands,
    config,
    settings,
    limits: createLimits(() => config.limits, services.now),
    team,
    stopping: stopping.signal,
    surroundings,
    redact,
    log,
    room,
    now: services.now,
  });
  handle = (interaction) => void router.handle(interaction);
  for (const interaction of early.splice(0)) handle(interaction);

  const guide = new Guide(client, config, options, stopping.signal);
  await guide.tell();
  const registered = guide.register();
  let opened: OpenTeam;
  try {
    opened = await team;
  } catch (error) {
    stopping.abort();
    await client.destroy();
    throw error;
  }
  const resumed = opened.resume().catch((error: unknown) => {
    log.error({ err: error }, "what was going on before could not all be taken up");
  });
  return {
    ended: ended.promise,
    async close() {
      stopping.abort();
      await router.settled();
      await opened.close();
      await Promise.all([resumed, registered, router.settled()]);
      await client.destroy();
      ended.resolve(null);
    },
  };
}

/** Says when the connection is lost and when it is back; the client itself reconnects. */
function watchConnection(client: Client, log: Logger, stopping: AbortSignal): void {
  let lost = false;
  client.on(Events.ShardError, (error) => log.info({ err: error }, "the connection to Discord failed"));
  client.on(Events.ShardReconnecting, () => {
    // Closing it ourselves looks the same.
    if (stopping.aborted) return;
    if (!lost) log.warn("the connection to Discord was lost; reconnecting");
    lost = true;
  });
  const back = (): void => {
    if (lost) log.warn("the connection to Discord is back");
    lost = false;
  };
  client.on(Events.ShardResume, back);
  client.on(Events.ShardReady, back);
  client.on(Events.Warn, (message) => log.info({ warning: message }, "the Discord client warns"));
}

/** Tells whoever started the bot, and the log, where it is and what it lacks. */
class Guide {
  readonly #client: Client<true>;
  readonly #config: Config;
  readonly #options: StartOptions;
  readonly #stopping: AbortSignal;

  constructor(client: Client<true>, config: Config, options: StartOptions, stopping: AbortSignal) {
    this.#client = client;
    this.#config = config;
    this.#options = options;
    this.#stopping = stopping;
    client.on(Events.GuildCreate, (guild) => {
      this.#say(`The bot was added to ${named(guild)}.`);
      void this.#tellMissing(guild);
      // A server's own commands go with the bot.
      if (guild.id === options.guildId) void this.register();
    });
    client.on(Events.GuildDelete, (guild) => {
      this.#warn(
        `The bot was removed from ${named(guild)}: nothing can be posted there. Invite it again: ${this.#invite}`,
      );
    });
  }

  get #invite(): string {
    return inviteLink(this.#client.application.id);
  }

  /** Where the bot is, how it is invited, and what is missing. */
  async tell(): Promise<void> {
    const { guildId } = this.#options;
    const guilds = [...this.#client.guilds.cache.values()];
    this.#say(`Connected to Discord as ${this.#client.user.tag}.`);
    for (const step of portalSteps) this.#say(step);
    this.#say(`Invite: ${this.#invite}`);
    this.#say(`Permissions: ${neededPermissions.map(({ name, why }) => `${name} (${why})`).join(", ")}.`);
    if (guilds.length === 0) this.#warn("The bot is in no server yet: open the invite link.");
    else this.#say(`Servers: ${guilds.map(named).join(", ")}.`);
    if (guildId !== null && !guilds.some(({ id }) => id === guildId)) {
      this.#warn(
        `The bot is not in the server ${guildId} that DISCORD_GUILD_ID names: open the invite link.`,
      );
    }
    for (const guild of guilds) await this.#tellMissing(guild);
  }

  /** Registers the commands, again and again until Discord takes them or the bot stops. */
  async register(): Promise<void> {
    const stopping = this.#stopping;
    const { commands, guildId } = this.#options;
    const { rest, application } = this.#client;
    const registration = { rest, applicationId: application.id, commands, menus: menuEntries, guildId };
    for (let tries = 0; !stopping.aborted; tries += 1) {
      try {
        const changed = await registerCommands(registration);
        this.#say(changed ? "The commands were registered." : "The commands were registered already.");
        return;
      } catch (error) {
        if (stopping.aborted) return;
        this.#tellUnregistered(error);
      }
      const delay = registerDelays[Math.min(tries, registerDelays.length - 1)];
      await wait(delay, undefined, { signal: stopping }).catch(() => {});
    }
  }

  #tellUnregistered(error: unknown): void {
    const told = asSpadeworkError(error);
    const isRefused = error instanceof DiscordAPIError && error.status === 403;
    const why = isRefused
      ? `the bot was invited without its commands, or is not in the server: open ${this.#invite}`
      : `${told.message}; trying again`;
    this.#options.log.error({ err: error }, `the commands could not be registered: ${why}`);
  }

  async #tellMissing(guild: Guild): Promise<void> {
    try {
      for (const sentence of await missingPermissions(guild, this.#config)) this.#warn(sentence);
    } catch (error) {
      this.#options.log.info({ err: error, guild: guild.id }, "the bot's permissions could not be looked at");
    }
  }

  #say(line: string): void {
    this.#options.log.info(line);
    this.#options.say(line);
  }

  /** Warnings of the log reach whoever started the bot by themselves. */
  #warn(line: string): void {
    this.#options.log.warn(line);
  }
}

const named = ({ name, id }: { readonly name: string; readonly id: string }): string => `${name} (${id})`;
