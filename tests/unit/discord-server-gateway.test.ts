/** The gateway of the Discord server for tests: every way in which a connection ends, and what the client does then. */
import type { Interaction } from "discord.js";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type LittleBot, startLittleBot } from "../support/discord/little-bot.ts";
import { type DiscordServer, startDiscord } from "../support/discord/server.ts";

let discord: DiscordServer;
let bot: LittleBot;
let channel: string;
let seen: number;

async function reply(interaction: Interaction): Promise<unknown> {
  seen += 1;
  return interaction.isRepliable() && interaction.reply(`answer ${seen}`);
}

async function start(options: Parameters<typeof startDiscord>[0] = {}): Promise<void> {
  seen = 0;
  discord = await startDiscord(options);
  bot = await startLittleBot(discord, reply);
  channel = discord.channelId("lab");
  await bot.client.application.commands.set([{ name: "status", description: "Shows it" }], discord.guildId);
}

beforeEach(() => start());

afterEach(async () => {
  await bot.stop();
  await discord.stop();
});

const statusOf = (name: string) => discord.user(name).command(channel, "status", {}, { timeoutMs: 20_000 });

it.each([
  ["op 7", () => discord.gateway.reconnect()],
  ["a close with 4000", () => discord.gateway.close(4000)],
  ["a torn connection", () => discord.gateway.drop()],
  ["an outage in which connections hang", () => discord.gateway.drop({ hangMs: 800 })],
])("resumes after %s, and loses nothing that happened meanwhile", async (_what, end) => {
  expect((await statusOf("ada")).text).toBe("answer 1");
  end();
  await discord.until(() => discord.gateway.connected === 0, { what: "the connection to end" });
  const meanwhile = statusOf("bob");
  expect((await meanwhile).text).toBe("answer 2");
  expect([discord.gateway.identifies, discord.gateway.resumes]).toEqual([1, 1]);
  discord.assertNoProblems();
});

it("is resumed on the same connection after an invalid session that may be", async () => {
  discord.gateway.invalidate(true);
  await discord.until(() => discord.gateway.resumes === 1, { what: "a resume" });
  expect((await statusOf("ada")).text).toBe("answer 1");
  discord.assertNoProblems();
});

it("refuses connections for a while, after which the client identifies anew and has missed what happened", async () => {
  discord.gateway.drop({ refuseMs: 1000 });
  const missed = await discord.user("ada").command(channel, "status", {}, { wait: "none" });
  await discord.until(() => discord.gateway.identifies === 2, {
    what: "a second identify",
    timeoutMs: 20_000,
  });
  expect(discord.gateway.refused).toBeGreaterThan(0);
  expect((await statusOf("bob")).text).toBe("answer 1");
  expect(missed.acknowledgedMs).toBeNull();
  discord.assertNoProblems();
});

it("is given up by a client whose heartbeats it doesn't answer, and is resumed", async () => {
  await bot.stop();
  await discord.stop();
  await start({ heartbeatMs: 300 });
  discord.gateway.acknowledges = false;
  await discord.until(() => discord.gateway.resumes > 0, { what: "a resume", timeoutMs: 10_000 });
  discord.gateway.acknowledges = true;
  expect((await statusOf("ada")).text).toBe("answer 1");
  discord.assertNoProblems();
});

it("makes a client identify anew when its session is gone", async () => {
  discord.gateway.refuseNextResume();
  discord.gateway.close(4000);
  await discord.until(() => discord.gateway.identifies === 2, {
    what: "a second identify",
    timeoutMs: 20_000,
  });
  await discord.until(() => discord.gateway.connected === 1);
  expect((await statusOf("ada")).text).toBe("answer 1");
  discord.assertNoProblems();
});

it("is heard once after a restart of the bot, by the new session alone", async () => {
  await bot.stop();
  await discord.until(() => discord.gateway.connected === 0);
  bot = await startLittleBot(discord, reply);
  expect((await statusOf("ada")).text).toBe("answer 1");
  expect(seen).toBe(1);
  expect(discord.gateway.identifies).toBe(2);
  discord.assertNoProblems();
});

it("says what it waited for when nobody answers", async () => {
  await bot.stop();
  const asking = discord.user("ada").command(channel, "status", {}, { timeoutMs: 100 });
  await expect(asking).rejects.toThrow("Waited 100 ms in vain for the bot to answer /status of ada");
  await expect(discord.until(() => false, { what: "never", timeoutMs: 50 })).rejects.toThrow(
    "in vain for never",
  );
});

it("stops while a connection hangs", async () => {
  discord.gateway.drop({ hangMs: 60_000 });
  const { port } = discord;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/gateway`);
  const ended = new Promise((resolve) => socket.addEventListener("error", resolve, { once: true }));
  await bot.stop();
  await discord.until(() => discord.gateway.waiting > 0, { what: "the connection to hang" });
  await discord.stop();
  await ended;
});
