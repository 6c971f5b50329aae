/** Which messages the Discord server for tests refuses: one body a rule, sent by the real client, each a problem and a 400. */
import { type RESTPostAPIChannelMessageJSONBody, Routes } from "discord.js";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type LittleBot, startLittleBot } from "../support/discord/little-bot.ts";
import { type DiscordServer, startDiscord } from "../support/discord/server.ts";

const v2 = 32_768;
const quiet = { allowed_mentions: { parse: [] } };
const text = (content: string) => ({ type: 10, content });
const button = (extra: object = {}) => ({ type: 2, style: 1, label: "Go", custom_id: "go", ...extra });
const row = (...components: object[]) => ({ type: 1, components });
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const select = (extra: object = {}) => ({
  type: 3,
  custom_id: "s",
  options: [{ label: "a", value: "a" }],
  ...extra,
});

let discord: DiscordServer;
let bot: LittleBot;
let channel: string;

beforeAll(async () => {
  discord = await startDiscord();
  bot = await startLittleBot(discord);
  channel = discord.channelId("lab");
});

beforeEach(() => {
  discord.assertNoProblems();
});

afterAll(async () => {
  await bot.stop();
  await discord.stop();
});

async function refused(sending: Promise<unknown>, problem: string): Promise<void> {
  await expect(sending).rejects.toMatchObject({ status: 400, code: 50035 });
  expect(discord.takeProblems().join("\n")).toContain(problem);
}

it.each<[string, object, string]>([
  ["content over 2000", { content: "x".repeat(2001) }, "content has 2001 characters"],
  ["nothing in it", {}, "the message is empty"],
  ["blank content", { content: " \n" }, "the message is empty"],
  [
    "v2 with content",
    { flags: v2, content: "x", components: [text("y")] },
    "components v2 together with content",
  ],
  [
    "v2 with embeds",
    { flags: v2, embeds: [{ title: "x" }], components: [text("y")] },
    "components v2 together with embeds",
  ],
  ["v2 without a component", { flags: v2 }, "components v2 without a component"],
  ["v2 components without the flag", { components: [text("y")] }, "needs the components v2 flag"],
  [
    "v2 text over 4000 in total",
    { flags: v2, components: [text("x".repeat(2001)), { type: 17, components: [text("x".repeat(2000))] }] },
    "text displays hold 4001 characters in total",
  ],
  [
    "more than 40 components",
    { flags: v2, components: [{ type: 17, components: many(40, () => text("x")) }] },
    "41 components in total",
  ],
  [
    "a custom_id twice",
    { content: "x", components: [row(button()), row(button())] },
    "custom_id go is there twice",
  ],
  [
    "an attachment that isn't there",
    { flags: v2, components: [{ type: 13, file: { url: "attachment://a.txt" } }] },
    "attachment://a.txt has no such file",
  ],
  [
    "a button without custom_id",
    { content: "x", components: [row(button({ custom_id: null }))] },
    "has no custom_id",
  ],
  ["a link without url", { content: "x", components: [row(button({ style: 5 }))] }, "has no url"],
  [
    "a button without a face",
    { content: "x", components: [row(button({ label: null }))] },
    "neither label nor emoji",
  ],
  [
    "six buttons in a row",
    { content: "x", components: [row(...many(6, (i) => button({ custom_id: `${i}` })))] },
    "5",
  ],
  [
    "a select beside a button",
    { content: "x", components: [row(button(), select())] },
    "a select shares its row",
  ],
  [
    "a select's value twice",
    { content: "x", components: [row(select({ options: many(2, () => ({ label: "a", value: "a" })) }))] },
    "has a twice",
  ],
  [
    "26 options",
    {
      content: "x",
      components: [row(select({ options: many(26, (i) => ({ label: "a", value: `${i}` })) }))],
    },
    "must NOT have more than 25 items",
  ],
  [
    "a select of too many",
    { content: "x", components: [row(select({ max_values: 2 }))] },
    "takes 2 of 1 options",
  ],
  [
    "embeds over 6000 in total",
    { embeds: [{ description: "x".repeat(4000) }, { description: "x".repeat(2001) }] },
    "embeds hold 6001 characters",
  ],
  ["a lone surrogate", { content: "x\ud800" }, "body/content holds a lone surrogate"],
  ["an unknown field", { content: "x", colour: 1 }, "must NOT have additional properties (colour)"],
  [
    "a custom_id over 100",
    { content: "x", components: [row(button({ custom_id: "x".repeat(101) }))] },
    "100",
  ],
  [
    "a style that isn't one",
    { content: "x", components: [row(button({ style: 9 }))] },
    "components/0/components/0/style must be equal to one of the allowed values",
  ],
  ["a flag that can't be set", { content: "x", flags: 64 | 2 }, "flags holds 2"],
  [
    "mentions that are parsed and listed",
    { content: "x", allowed_mentions: { parse: ["users"], users: ["100000000000000001"] } },
    "allowed_mentions parses users and lists some",
  ],
  ["an attachment of nowhere", { content: "x", attachments: [{ id: "5" }] }, "attachments lists 5"],
])("refuses %s", async (_what, body, problem) => {
  await refused(
    bot.client.rest.post(Routes.channelMessages(channel), { body: { ...quiet, ...body } }),
    problem,
  );
});

it("refuses a text without allowed_mentions, unless that is let", async () => {
  const body: RESTPostAPIChannelMessageJSONBody = { content: "x" };
  await refused(
    bot.client.rest.post(Routes.channelMessages(channel), { body }),
    "a text without allowed_mentions",
  );
});

it("refuses files that no component shows, and files over 10 MiB", async () => {
  const files = [{ name: "a.txt", data: Buffer.from("x") }];
  const body = { ...quiet, flags: v2, components: [text("y")] };
  await refused(
    bot.client.rest.post(Routes.channelMessages(channel), { body, files }),
    "no component shows the file a.txt",
  );
  const large = [{ name: "a.bin", data: Buffer.alloc(10 * 1024 * 1024 + 1) }];
  const sending = bot.client.rest.post(Routes.channelMessages(channel), { body: quiet, files: large });
  await expect(sending).rejects.toMatchObject({ status: 413 });
  expect(discord.takeProblems().join()).toContain("the file a.bin has 10485761 bytes");
});

it("holds an edit against what the message would be", async () => {
  const at = bot.client.channels.cache.get(channel);
  if (at?.isSendable() !== true) throw new Error("no channel");
  const message = await at.send("plain");
  const edit = (body: object) =>
    bot.client.rest.patch(Routes.channelMessage(channel, message.id), { body: { ...quiet, ...body } });
  await refused(edit({ content: "" }), "the message is empty");
  await refused(edit({ flags: v2, components: [text("y")] }), "components v2 together with content");
  await edit({ flags: v2, content: null, components: [text("y")] });
  await refused(edit({ content: "back" }), "components v2 together with content");
  await refused(edit({ flags: 64 }), "flags holds 64");
});

it("tells whom a message notified", async () => {
  const ada = discord.user("ada");
  const at = bot.client.channels.cache.get(channel);
  if (at?.isSendable() !== true) throw new Error("no channel");
  const content = `<@${ada.id}> @everyone <@&${discord.roleId("admin")}>`;
  const silent = await at.send(content);
  const loud = await at.send({ content, allowedMentions: { users: [ada.id] } });
  const pings = (id: string) => discord.channel(channel).messages.get(id)?.pings;
  expect(pings(silent.id)).toEqual([]);
  expect(pings(loud.id)).toEqual([ada.id]);
});

it("refuses a path with something that is no id", async () => {
  await refused(
    bot.client.rest.get("/channels/undefined"),
    "GET /channels/undefined: the channel undefined is no id",
  );
});
