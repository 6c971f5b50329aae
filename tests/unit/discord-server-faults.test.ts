/** The Discord server for tests when requests go wrong: limits, broken answers, torn connections, late and double events. */
import { type Interaction, MessageFlags, type SendableChannels } from "discord.js";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type LittleBot, startLittleBot } from "../support/discord/little-bot.ts";
import { type DiscordServer, startDiscord, textOf } from "../support/discord/server.ts";

const post = "POST /channels/:channel/messages";

let discord: DiscordServer;
let bot: LittleBot;
let channel: string;
let answerTo: (interaction: Interaction) => Promise<unknown>;

async function start(options: Parameters<typeof startDiscord>[0] = {}): Promise<void> {
  discord = await startDiscord(options);
  bot = await startLittleBot(discord, (interaction) => answerTo(interaction));
  channel = discord.channelId("lab");
  await bot.client.application.commands.set([{ name: "status", description: "Shows it" }], discord.guildId);
}

beforeEach(() => start());

afterEach(async () => {
  await bot.stop();
  await discord.stop();
});

function place(): SendableChannels {
  const found = bot.client.channels.cache.get(channel);
  if (found?.isSendable() !== true) throw new Error("no channel");
  return found;
}

it.each(["user", "global", "shared"] as const)("limits a route (%s), and the client waits", async (scope) => {
  discord.faults.add(post, { rateLimitMs: 300, scope });
  const before = performance.now();
  await place().send("after the wait");
  expect(performance.now() - before).toBeGreaterThan(300);
  expect(discord.rateLimited).toBe(1);
  expect(discord.messages(channel).map(textOf)).toEqual(["after the wait"]);
  discord.assertNoProblems();
});

it("answers with a broken server's status, which the client tries again", async () => {
  const fault = discord.faults.add(post, { status: 502 }, 3);
  await place().send("fourth time");
  expect(fault.met).toBe(3);
  expect(discord.requestsOn(post).map(({ status }) => status)).toEqual([502, 502, 502, 200]);
  discord.assertNoProblems();
});

it("refuses by a code that a test plans", async () => {
  discord.faults.add(post, { status: 403, code: 50013, message: "Missing Permissions" });
  await expect(place().send("x")).rejects.toMatchObject({ code: 50013 });
  await place().send("x");
});

it("loses requests and answers, and keeps one message of two by their nonce", async () => {
  discord.faults.add(post, { drop: "before" });
  await place().send("once");
  expect(discord.messages(channel)).toHaveLength(1);
  discord.faults.add(post, { drop: "after" });
  await place().send("twice");
  expect(discord.messages(channel).map(textOf)).toEqual(["once", "twice", "twice"]);
  discord.faults.add(post, { drop: "after" });
  await place().send({ content: "by nonce", nonce: "n-1", enforceNonce: true });
  expect(discord.messages(channel).map(textOf)).toEqual(["once", "twice", "twice", "by nonce"]);
  discord.faults.add(post, { drop: "before", quietly: true });
  await expect(place().send("lost")).rejects.toThrow();
  discord.assertNoProblems();
});

it("answers late", async () => {
  discord.faults.add(post, { delayMs: 200 });
  const before = performance.now();
  await place().send("slow");
  expect(performance.now() - before).toBeGreaterThan(195);
  const sent = discord.faults.add(post, { delayMs: 60_000, when: "after" });
  const sending = place()
    .send("carried out")
    .catch(() => "torn");
  await discord.until(() => discord.messages(channel).length === 2, { what: "the message" });
  expect(sent.met).toBe(1);
  await discord.stop();
  // The connection is gone and nobody listens any more.
  expect(await sending).toBe("torn");
});

it("enforces buckets as Discord has them, and tells the client by headers", async () => {
  await bot.stop();
  await discord.stop();
  await start({ buckets: true });
  for (let index = 0; index < 5; index += 1) await place().send(`message ${index}`);
  const before = performance.now();
  await place().send("message 5");
  expect(performance.now() - before).toBeGreaterThan(3000);
  // A client that reads the headers waits by itself; one that doesn't is refused.
  expect(discord.rateLimited).toBe(0);
  const statuses: number[] = [];
  for (let index = 0; index < 6; index += 1) {
    const response = await fetch(`${discord.api}/v10/channels/${channel}/messages`, {
      method: "POST",
      headers: { authorization: `Bot ${discord.token}`, "content-type": "application/json" },
      body: JSON.stringify({ content: "raw", allowed_mentions: { parse: [] } }),
    });
    statuses.push(response.status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
});

it("lets edits of old messages be scarce", async () => {
  await bot.stop();
  await discord.stop();
  await start({ buckets: { oldAfterMs: 0 } });
  const message = await place().send("old");
  for (let index = 0; index < 3; index += 1) await message.edit(`edit ${index}`);
  const before = performance.now();
  await message.edit("edit 3");
  expect(performance.now() - before).toBeGreaterThan(4000);
  discord.assertNoProblems();
});

it("refuses a second and a late first answer, and a token that has expired", async () => {
  const ada = discord.user("ada");
  answerTo = async (interaction) => interaction.isRepliable() && interaction.reply("once");
  const answer = await ada.command(channel, "status");
  answer.replay();
  await discord.until(() => bot.errors.length === 1, { what: "the second answer" });
  expect(bot.errors[0]).toMatchObject({ code: 40060 });
  const late = await ada.command(channel, "status", {}, { lateMs: 3100, wait: "none" });
  await discord.until(() => bot.errors.length === 2, { what: "the late answer" });
  expect(bot.errors[1]).toMatchObject({ code: 10062 });
  expect(late.reply).toBeNull();
  // Planned by the test, so no fault of the bot's.
  discord.assertNoProblems();

  let edit: (() => Promise<unknown>) | null = null;
  answerTo = async (interaction) => {
    if (!interaction.isRepliable()) return;
    await interaction.deferReply();
    edit = () => interaction.editReply("done");
  };
  const long = await ada.command(channel, "status", {}, { wait: "acknowledged" });
  long.skip(15 * 60_000);
  const later = await discord.until(() => edit, { what: "the deferral to be over" });
  await expect(later()).rejects.toMatchObject({ status: 401, code: 50027 });
  discord.assertNoProblems();
});

it("counts a second answer to one event as the bot's problem", async () => {
  answerTo = async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.reply({ content: "one", flags: MessageFlags.Ephemeral });
    const url = `${discord.api}/v10/interactions/${interaction.id}/${interaction.token}/callback`;
    const body = JSON.stringify({ type: 4, data: { content: "two", allowed_mentions: { parse: [] } } });
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body });
    await interaction.followUp(`second: ${response.status}`);
  };
  const answer = await discord.user("ada").command(channel, "status");
  await discord.until(() => answer.followUps.length === 1);
  expect(answer.text).toBe("one\nsecond: 400");
  expect(discord.takeProblems().join()).toContain("answered twice (40060)");
});

it("lets two clicks arrive at once, each with its own answer", async () => {
  answerTo = async (interaction) => {
    if (interaction.isChatInputCommand()) {
      const button = { type: 2 as const, style: 1 as const, label: "Approve", custom_id: "approve" };
      await interaction.reply({ content: "waiting", components: [{ type: 1, components: [button] }] });
    } else if (interaction.isButton()) await interaction.update({ content: "decided", components: [] });
  };
  const [ada, bob] = [discord.user("ada"), discord.user("bob")];
  const { reply } = await ada.command(channel, "status");
  if (reply === null) throw new Error("no reply");
  const [first, second] = await bob.clickTwice(reply, "Approve");
  expect([first.reply, second.reply]).toEqual([reply, reply]);
  expect(first.interaction.id).not.toBe(second.interaction.id);
  expect(reply.history.map(({ text }) => text)).toEqual(["waiting\n[Approve]", "decided", "decided"]);
  discord.assertNoProblems();
});

it("fails unknown routes, and says which", async () => {
  await expect(bot.client.rest.get("/guilds/1/integrations")).rejects.toMatchObject({ status: 404 });
  expect(discord.takeProblems()).toEqual(["GET /guilds/1/integrations: no such route on this server"]);
});

it("serves the files of messages, breaks their links, and lets them expire", async () => {
  await place().send({ files: [{ attachment: Buffer.from("a,b"), name: "regret.csv" }] });
  const [file] = discord.messages(channel)[0]?.attachments ?? [];
  if (file === undefined) throw new Error("no file");
  discord.faults.add("GET /cdn/**", { status: 503 });
  expect((await fetch(file.url)).status).toBe(503);
  expect(await (await fetch(file.url)).text()).toBe("a,b");
  file.expired = true;
  expect((await fetch(file.url)).status).toBe(404);
  discord.assertNoProblems();
});
