/** The world of the Discord server for tests: threads, direct messages, permissions, membership, and who may log in. */
import { ChannelType, Client, GatewayIntentBits, type TextChannel } from "discord.js";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type LittleBot, startLittleBot } from "../support/discord/little-bot.ts";
import { type DiscordServer, startDiscord } from "../support/discord/server.ts";

const commands = [{ name: "status", description: "Shows it" }];

let discord: DiscordServer;
let bot: LittleBot;
let channel: string;

beforeEach(async () => {
  discord = await startDiscord();
  bot = await startLittleBot(discord, async (interaction) => {
    if (interaction.isChatInputCommand()) await interaction.reply("idle");
    if (!interaction.isButton()) return;
    await interaction.deferUpdate();
    if (interaction.customId === "edit") await interaction.editReply({ content: "edited", components: [] });
    if (interaction.customId === "follow") await interaction.followUp("followed");
    if (interaction.customId === "post") await place().send("posted");
  });
  await bot.client.application.commands.set(commands, discord.guildId);
  channel = discord.channelId("lab");
});

afterEach(async () => {
  await bot.stop();
  await discord.stop();
});

function place(): TextChannel {
  const found = bot.client.channels.cache.get(channel);
  if (found?.type !== ChannelType.GuildText) throw new Error("no channel");
  return found;
}

it("waits for what a click brings, and finds what the bot posts by itself", async () => {
  const ada = discord.user("ada");
  const button = (id: string) => ({ type: 2 as const, style: 1 as const, label: id, custom_id: id });
  await place().send({
    content: "choose",
    components: [{ type: 1, components: ["edit", "follow", "post", "nothing"].map(button) }],
  });
  const message = await discord.messageWith(channel, /^choose/);
  expect((await ada.click(message, "follow")).shown?.content).toBe("followed");
  await ada.click(message, "post", { wait: "acknowledged" });
  expect((await discord.messageWith(channel, "posted")).author.bot).toBe(true);
  await expect(ada.click(message, "nothing", { timeoutMs: 50 })).rejects.toThrow(
    "in vain for the bot to answer",
  );
  expect((await ada.click(message, "edit")).text).toBe("edited");
  expect(discord.unanswered()).toEqual([]);
  await ada.click(message, "edit", { force: true, lateMs: 3001, wait: "none" });
  expect(discord.unanswered()).toHaveLength(1);
  expect(discord.takeProblems()).toEqual([]);
});

it("keeps locked threads closed to those who don't manage threads", async () => {
  const thread = await place().threads.create({ name: "round 9", type: ChannelType.PublicThread });
  const { id } = await discord.threadIn(channel, /round/);
  expect(id).toBe(thread.id);
  discord.archiveThread(id);
  await thread.send("opens it again");
  expect(discord.channel(id).thread?.archived).toBe(false);
  discord.archiveThread(id, { locked: true });
  await expect(thread.send("x")).rejects.toMatchObject({ status: 403, code: 160005 });
  await expect(thread.setArchived(false)).rejects.toMatchObject({ status: 403, code: 160005 });
  discord.grantBot(["ManageThreads"]);
  await thread.setArchived(false);
  await thread.send("by permission");
  discord.assertNoProblems();
});

it("starts threads from messages and without, renames, archives and deletes them", async () => {
  const at = place();
  const message = await at.send("round 7");
  const thread = await message.startThread({ name: "round 7", autoArchiveDuration: 1440 });
  const status = await thread.send({ content: "designing" });
  await status.edit("playing");
  await thread.setName("round 7: done");
  expect(thread.id).toBe(message.id);
  expect(discord.threads(channel).map(({ name }) => name)).toEqual(["round 7: done"]);
  expect(discord.messages(thread.id).map(({ history }) => history.map(({ text }) => text))).toEqual([
    ["designing", "playing"],
  ]);
  await thread.setArchived(true);
  await expect(status.edit("late")).rejects.toMatchObject({ code: 50083 });
  await thread.setArchived(false);
  const ada = discord.user("ada");
  const own = await at.threads.create({ name: "play", type: ChannelType.PrivateThread });
  expect(() => ada.say(own.id, "hello")).toThrow("doesn't see the channel");
  await own.members.add(ada.id);
  expect(ada.say(own.id, "hello").content).toBe("hello");
  discord.deleteChannel(thread.id);
  await expect(thread.send("gone")).rejects.toMatchObject({ code: 10003 });
  await discord.until(() => !bot.client.channels.cache.has(thread.id), { what: "the client to hear of it" });
  discord.assertNoProblems();
});

it("sends direct messages, unless the person takes none", async () => {
  const [ada, bob] = [discord.user("ada"), discord.user("bob")];
  discord.setDms(bob, false);
  await bot.client.users.send(ada.id, "your round is done");
  expect(ada.reads(ada.dm)).toBe("your round is done");
  await expect(bot.client.users.send(bob.id, "hello")).rejects.toMatchObject({ code: 50007 });
  await bot.client.application.commands.set(commands);
  expect((await ada.command(ada.dm, "status")).text).toBe("idle");
  discord.assertNoProblems();
});

it("refuses by permissions, roles and membership as they are now", async () => {
  const at = place();
  const message = await at.send("round 8");
  discord.deny(channel, ["CreatePublicThreads"]);
  await expect(message.startThread({ name: "x" })).rejects.toMatchObject({ status: 403, code: 50013 });
  discord.deny(channel, ["SendMessages"]);
  await expect(at.send("x")).rejects.toMatchObject({ status: 403, code: 50013 });
  discord.allow(channel, ["SendMessages"]);
  await at.send("x");
  discord.kickBot();
  await discord.until(() => bot.client.guilds.cache.size === 0, { what: "the client to hear of it" });
  await expect(bot.client.channels.fetch(channel)).rejects.toMatchObject({ status: 403, code: 50001 });
  await expect(discord.user("ada").command(channel, "status")).rejects.toThrow("There is no command /status");
  discord.inviteBot();
  await discord.until(() => bot.client.guilds.cache.size === 1, { what: "the client to hear of it" });
  expect(discord.refusals().map(({ code }) => code)).toEqual([50013, 50013, 50001]);
  discord.assertNoProblems();
});

it("refuses a wrong token and intents that the bot doesn't need", async () => {
  const stranger = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: discord.api } });
  await expect(stranger.login("MTAw.x.y")).rejects.toThrow("An invalid token was provided");
  const curious = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.MessageContent],
    rest: { api: discord.api },
  });
  await expect(curious.login(discord.token)).rejects.toThrow("Used disallowed intents");
  discord.assertNoProblems();
});
