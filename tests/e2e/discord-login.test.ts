/** The login and what goes wrong with it: each time one clear line, and no secret in any of them. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, GatewayIntentBits, IntentsBitField, PermissionFlagsBits } from "discord.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { logIn } from "../../bot/discord/start-login.ts";
import { start } from "../support/command-line.ts";
import { type DiscordServer, startDiscord, textOf } from "../support/discord/server.ts";
import { type DiscordLab, openDiscordLab } from "../support/discord-lab.ts";
import { silent } from "../support/services.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "spadework-login-"));
});

afterEach(() => rmSync(directory, { recursive: true }));

function serve(discord: DiscordServer, token: string) {
  return start(["serve", "--data", directory], {
    directory,
    environment: { DISCORD_TOKEN: token, SPADEWORK_DISCORD_API: discord.api, SPADEWORK_SANDBOX_HOSTS: "1" },
  });
}

describe("spadework serve", () => {
  it("says what to do about a token that Discord does not take, and shows it nowhere", async () => {
    const discord = await startDiscord();
    const token = "MTAwMDAwMDAwMDAwMDAwMDAy.wrong-and-secret";
    const { code, stdout, stderr } = await serve(discord, token).ended;
    await discord.stop();
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^spadework: Discord does not accept the bot's token\.\n {2}Copy the token anew .*\n$/,
    );
    const log = readFileSync(join(directory, "spadework.log"), "utf8");
    expect(`${stdout}${stderr}${log}`).not.toContain(token);
    expect(`${stdout}${stderr}`).not.toContain(" at ");
  });

  it("prints the portal's steps and an invite link, answers, and ends with 0 when it is asked to", async () => {
    const discord = await startDiscord();
    const bot = serve(discord, discord.token);
    await bot.says(/The commands were registered\./);
    const ada = discord.user("ada");
    const answer = await ada.command(discord.channelId("lab"), "status", {}, { timeoutMs: 20_000 });
    expect(answer.text).toContain("embedded");
    bot.child.kill("SIGTERM");
    const { code, stdout, stderr } = await bot.ended;
    await discord.stop();
    expect(code).toBe(0);
    expect(stdout).toContain("Stopped");
    expect(stderr).toContain(
      `https://discord.com/oauth2/authorize?client_id=${discord.applicationId}&scope=bot+applications.commands&permissions=`,
    );
    expect(stderr).toContain("Create Public Threads (to open a thread for each round)");
    expect(stderr).toContain("Servers: Lab");
    expect(`${stdout}${stderr}${readFileSync(join(directory, "spadework.log"), "utf8")}`).not.toContain(
      discord.token,
    );
    discord.assertNoProblems();
  });

  it("keeps trying while Discord can't be reached, says so, and can be stopped meanwhile", async () => {
    const discord = await startDiscord();
    const down = discord.faults.add("* **", { status: 503 }, 1_000);
    const bot = serve(discord, discord.token);
    await bot.says(/Discord can't be reached \(it answered 503\); trying again in 1 s\./);
    await bot.says(/trying again in 2 s\./);
    down.cancel();
    await bot.says(/Connected to Discord/);
    bot.child.kill("SIGTERM");
    expect((await bot.ended).code).toBe(0);
    const dead = start(["serve", "--data", directory], {
      directory,
      environment: { DISCORD_TOKEN: "x", SPADEWORK_DISCORD_API: "http://127.0.0.1:9/api" },
    });
    await dead.says(/Discord can't be reached \(ECONNREFUSED\)/);
    dead.child.kill("SIGTERM");
    expect((await dead.ended).code).toBe(0);
    await discord.stop();
  });
});

describe("a restart in the middle of a round", () => {
  it("drains, exits with 0, and goes on with the same message at the next start", async () => {
    const discord = await startDiscord();
    const channel = discord.channelId("lab");
    const ada = discord.user("ada");
    const first = serve(discord, discord.token);
    await first.says(/The commands were registered/);
    await ada.command(channel, "round", { envs: 3, plays: 60, seed: 4 }, { timeoutMs: 30_000 });
    const thread = await discord.until(() => discord.threads(channel)[0], { timeoutMs: 30_000 });
    const status = await discord.until(() => discord.messages(thread.id)[0], { timeoutMs: 30_000 });
    await discord.until(() => /play/i.test(textOf(status)), {
      what: "the plays to begin",
      timeoutMs: 60_000,
    });
    first.child.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);
    const second = serve(discord, discord.token);
    await second.says(/The commands were registered/);
    await discord.until(() => /finished/i.test(textOf(status)), {
      what: "the round to finish",
      timeoutMs: 90_000,
    });
    second.child.kill("SIGTERM");
    expect((await second.ended).code).toBe(0);
    await discord.stop();
    discord.assertNoProblems();
  });

  it("refuses a server's id that is none", async () => {
    const { code, stderr } = await start(["serve", "--data", directory], {
      directory,
      environment: { DISCORD_TOKEN: "any", DISCORD_GUILD_ID: "lab" },
    }).ended;
    expect(code).toBe(2);
    expect(stderr).toContain('DISCORD_GUILD_ID is "lab"; it takes the id of a server, digits alone.');
  });
});

describe("the login", () => {
  it("ends with one error when Discord refuses the intents", async () => {
    const discord = await startDiscord();
    const prepare = (client: Client): void => {
      client.options.intents = new IntentsBitField([
        GatewayIntentBits.Guilds,
        GatewayIntentBits.GuildMembers,
      ]);
    };
    const login = logIn({
      token: discord.token,
      api: discord.api,
      log: silent,
      say: () => {},
      signal: new AbortController().signal,
      prepare,
    });
    await expect(login).rejects.toMatchObject({ code: "chat.bad-intent" });
    await discord.stop();
  });
});

describe("a bot that is connected", () => {
  let lab: DiscordLab;

  afterEach(() => lab.close());

  it("names the permissions that it lacks, per server", async () => {
    lab = await openDiscordLab();
    const guild = lab.discord.guild();
    const role = [...guild.roles.values()].find(({ managed }) => managed);
    if (role !== undefined) role.permissions &= ~PermissionFlagsBits.CreatePublicThreads;
    await lab.restart();
    expect(lab.lines).toContain("In Lab the bot lacks Create Public Threads.");
  });

  it("says that it was removed from a server, with the link that lets it in, and when it is back", async () => {
    lab = await openDiscordLab();
    lab.discord.kickBot();
    const removed = await lab.discord.until(() =>
      lab.lines.find((line) => line.includes("was removed from Lab")),
    );
    expect(removed).toContain("https://discord.com/oauth2/authorize?client_id=");
    lab.discord.inviteBot();
    await lab.discord.until(() => lab.lines.some((line) => line.startsWith("The bot was added to Lab")));
  });

  it.each([
    [4004, "chat.bad-token"],
    [4014, "chat.bad-intent"],
  ])("ends when Discord closes with %s while it serves", async (closeCode, code) => {
    lab = await openDiscordLab();
    lab.discord.gateway.close(closeCode);
    expect(await lab.bot().ended).toMatchObject({ code });
  });

  it("registers its commands in one server alone if that is named, and writes them only when they differ", async () => {
    lab = await openDiscordLab({ inGuild: true });
    const { discord } = lab;
    expect(discord.commandNames(discord.guildId)).toContain("round");
    expect(discord.commandNames(discord.guildId)).toContain("Use as document");
    expect(discord.commandNames()).toEqual([]);
    const writes = discord.commandWrites;
    await lab.restart();
    await discord.until(() => lab.lines.includes("The commands were registered already."));
    expect(discord.commandWrites).toBe(writes);
    discord.kickBot();
    discord.inviteBot();
    const registrations = () =>
      lab.lines.filter((line) => line.startsWith("The commands were registered")).length;
    await discord.until(() => registrations() === 3);
  });

  it("goes on after a lost connection and misses nothing that was said meanwhile", async () => {
    lab = await openDiscordLab();
    const { discord } = lab;
    const ada = discord.user("ada");
    discord.gateway.drop({ hangMs: 500 });
    const answer = await ada.command(discord.channelId("lab"), "status", {}, { timeoutMs: 30_000 });
    expect(answer.text).toContain("embedded");
    expect(lab.lines).toContain("the connection to Discord was lost; reconnecting");
    expect(lab.lines).toContain("the connection to Discord is back");
  });
});
