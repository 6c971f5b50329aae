/** A lab with its bot on the Discord server for tests: real services, the embedded policy, the real client. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Logger, pino } from "pino";
import { z } from "zod";
import { createPainter } from "../../bot/charts/painter.ts";
import { createHub, type Hub } from "../../bot/chat/hub.ts";
import { openTeam } from "../../bot/chat/open-team.ts";
import { commands } from "../../bot/commands/all.ts";
import type { Command } from "../../bot/commands/command.ts";
import { type DiscordBot, startDiscord as startBot } from "../../bot/discord/start.ts";
import { composeServices } from "../../config/compose.ts";
import { type Config, configSchema } from "../../config/schema.ts";
import type { Services } from "../../graph/services.ts";
import { type DiscordOptions, type DiscordServer, startDiscord } from "./discord/server.ts";

type Settings = z.input<typeof configSchema>;

export interface DiscordLabOptions {
  readonly discord?: DiscordOptions;
  readonly config?: Settings;
  /** Settings that name ids of the server. */
  readonly configOf?: (discord: DiscordServer) => Settings;
  /** Whether the server's roles admin, researcher and viewer have those roles in the lab; by default there is no mapping. */
  readonly mapped?: boolean;
  readonly commands?: readonly Command[];
  /** Whether the commands are registered in the server alone; by default everywhere. */
  readonly inGuild?: boolean;
}

export interface DiscordLab {
  readonly discord: DiscordServer;
  readonly config: Config;
  readonly dataDir: string;
  /** Of the process that runs now. */
  services(): Services;
  /** What whoever started the bot reads: its lines, and the warnings of the log. */
  readonly lines: readonly string[];
  /** Everything in the log, parsed. */
  readonly log: readonly LogLine[];
  bot(): DiscordBot;
  /** Ends the bot and its services, and starts them anew on the same data. */
  restart(): Promise<void>;
  /** Ends everything; throws what the server found wrong. */
  close(): Promise<void>;
}

const logLine = z.looseObject({ level: z.number(), msg: z.string().default("") });
export type LogLine = z.infer<typeof logLine>;

interface Running {
  readonly services: Services;
  readonly bot: DiscordBot;
  close(): Promise<void>;
}

const warning = 40;

const rolesOf = (discord: DiscordServer) => ({
  admin: [discord.roleId("admin")],
  researcher: [discord.roleId("researcher")],
  viewer: [discord.roleId("viewer")],
});

export async function openDiscordLab(options: DiscordLabOptions = {}): Promise<DiscordLab> {
  const discord = await startDiscord(options.discord);
  const dataDir = await mkdtemp(join(tmpdir(), "spadework-discord-"));
  const given = { ...options.config, ...options.configOf?.(discord) };
  const config = configSchema.parse({
    ...given,
    dataDir,
    ...(options.mapped === true ? { roles: rolesOf(discord) } : {}),
    sandbox: { hosts: 1, ...given.sandbox },
    // Tests give commands faster than people do.
    limits: { commandsPerMinute: 10_000, roundsPerHour: 1_000, ...given.limits },
    discord: { ...given.discord, api: discord.api },
  });
  const lines: string[] = [];
  const lineLog: LogLine[] = [];
  const log: Logger = pino(
    { level: "debug" },
    {
      write: (text) => {
        const line = logLine.parse(JSON.parse(text));
        lineLog.push(line);
        if (line.level >= warning) lines.push(line.msg);
      },
    },
  );
  const start = async (): Promise<Running> => {
    const hub: Hub = createHub(log);
    const services = await composeServices(config, { log, emit: hub.emit });
    const painter = createPainter({ log });
    const end = async (): Promise<void> => {
      await painter.close();
      await services.close();
    };
    try {
      const bot = await startBot({
        config: () => Promise.resolve(config),
        services,
        commands: options.commands ?? commands,
        token: discord.token,
        guildId: options.inGuild === true ? discord.guildId : null,
        openTeam: (parts) => openTeam({ ...parts, hub }),
        drawChart: (chart) => painter.draw(chart),
        log,
        redact: (text) => text,
        say: (line) => lines.push(line),
      });
      if (bot === null) throw new Error("the bot was asked to stop before it was ready");
      return {
        services,
        bot,
        close: async () => {
          await bot.close();
          await end();
        },
      };
    } catch (error) {
      await end();
      throw error;
    }
  };
  let running: Running;
  try {
    running = await start();
    await discord.until(() => lines.some((line) => line.startsWith("The commands were registered")), {
      what: "the commands to be registered",
    });
  } catch (error) {
    await discord.stop();
    throw error;
  }
  return {
    discord,
    config,
    dataDir,
    services: () => running.services,
    bot: () => running.bot,
    lines,
    log: lineLog,
    async restart() {
      await running.close();
      running = await start();
    },
    async close() {
      await running.close();
      await discord.stop();
      await rm(dataDir, { recursive: true, force: true });
      discord.assertNoProblems();
    },
  };
}
