import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { card, text } from "../../bot/cards/card.ts";
import type { Room } from "../../bot/chat/room.ts";
import { commands } from "../../bot/commands/all.ts";
import { menuEntries } from "../../bot/discord/menu.ts";
import { registerCommands } from "../../bot/discord/register.ts";
import { createRoom } from "../../bot/discord/room.ts";
import { type LittleBot, startLittleBot } from "../support/discord/little-bot.ts";
import { type DiscordServer, startDiscord, textOf } from "../support/discord/server.ts";
import { surroundings } from "../support/discord-message.ts";

let discord: DiscordServer;
let bot: LittleBot;
let room: Room;
let lab: string;

const posts = "POST /channels/:channel/messages";
const edits = "PATCH /channels/:channel/messages/:message";
const threadsRoute = "POST /channels/:channel/messages/:message/threads";

const hello = card("Hello", {
  blocks: [text("The lab is here.")],
  files: [{ name: "a.txt", text: "whole" }],
});
const goodbye = card("Goodbye", { blocks: [text("The lab was here.")] });

beforeEach(async () => {
  discord = await startDiscord();
  bot = await startLittleBot(discord);
  room = createRoom({ client: bot.client, surroundings, retryDelays: [10, 10] });
  lab = discord.channelId("lab");
});

afterEach(async () => {
  await bot.stop();
  await discord.stop();
  discord.assertNoProblems();
  expect(bot.errors).toEqual([]);
});

const refused = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) });

describe("the room", () => {
  it("posts, edits and removes", async () => {
    const posted = await room.post(lab, hello);
    const [message] = discord.messages(lab);
    expect(message?.id).toBe(posted.messageId);
    expect(textOf(message)).toContain("The lab is here.");
    expect(message?.attachments.map(({ name }) => name)).toEqual(["a.txt"]);
    await room.edit(posted, goodbye);
    expect(textOf(message)).toContain("The lab was here.");
    expect(message?.attachments).toEqual([]);
    await room.remove(posted);
    expect(discord.messages(lab)).toEqual([]);
    await room.remove(posted);
  });

  it("calls people by id, and nobody else", async () => {
    const ada = discord.user("ada");
    await room.post(lab, card("@everyone", { blocks: [text(`<@${ada.id}>`)] }));
    await room.post(lab, hello, { mention: [ada.id] });
    expect(discord.messages(lab).map(({ pings }) => pings)).toEqual([[], [ada.id]]);
  });

  it("writes to a person, and says so when they take no messages", async () => {
    const ada = discord.user("ada");
    const channel = await room.direct(ada.id);
    expect(await room.direct(ada.id)).toBe(channel);
    await room.post(channel, hello);
    expect(discord.messages(channel)).toHaveLength(1);
    expect(await room.openThread(channel, "no threads here")).toBe(channel);
    expect(room.linkTo({ channelId: channel })).toBe(`https://discord.com/channels/@me/${channel}`);
    discord.setDms(ada, false);
    await expect(room.post(channel, hello)).rejects.toMatchObject(
      refused("chat.forbidden", /takes no direct messages/),
    );
  });

  it("makes links and moments that stay alive on a card", async () => {
    const posted = await room.post(lab, hello);
    const link = room.linkTo(posted);
    expect(link).toBe(`https://discord.com/channels/${discord.guildId}/${lab}/${posted.messageId}`);
    const moment = room.moment(1_764_450_000_123, "relative");
    expect([moment, room.moment(1_764_450_000_123)]).toEqual(["<t:1764450000:R>", "<t:1764450000:f>"]);
    await room.post(lab, card("", { blocks: [text(`${link} ${moment}`)] }));
    expect(textOf(discord.messages(lab)[1])).toBe(`${link} ${moment}`);
  });
});

describe("a lost answer", () => {
  it.each([
    ["a reset connection", { drop: "after" }],
    ["a connection that just ends", { drop: "after", quietly: true }],
  ] as const)("posts nothing twice: %s", async (_, fault) => {
    discord.faults.add(posts, fault, 2);
    const posted = await room.post(lab, hello);
    expect(discord.messages(lab).map(({ id }) => id)).toEqual([posted.messageId]);
    expect(discord.requestsOn(posts).length).toBeGreaterThan(1);
  });

  it("posts nothing twice when the caller asks again with the same key", async () => {
    const first = await room.post(lab, hello, { once: "round:r1:result" });
    expect(await room.post(lab, hello, { once: "round:r1:result" })).toEqual(first);
    const other = await room.post(discord.channelId("general"), hello, { once: "round:r1:result" });
    expect(other.messageId).not.toBe(first.messageId);
    await room.post(lab, hello, { once: `round:r1:result:${"x".repeat(40)}1` });
    await room.post(lab, hello, { once: `round:r1:result:${"x".repeat(40)}2` });
    await room.post(lab, hello);
    await room.post(lab, hello);
    expect(discord.messages(lab)).toHaveLength(5);
  });

  it("opens no second thread, with a message or without", async () => {
    const posted = await room.post(lab, hello);
    discord.faults.add(threadsRoute, { drop: "after" });
    const id = await room.openThread(lab, "Round r1", posted);
    expect(discord.threads(lab).map((thread) => thread.id)).toEqual([id]);
    discord.faults.add(threadsRoute, { drop: "after", quietly: true });
    discord.faults.add(posts, { drop: "after" });
    await room.openThread(lab, "Round r2");
    expect(discord.threads(lab).map(({ name }) => name)).toEqual(["Round r1", "Round r2"]);
    expect(discord.messages(lab)).toHaveLength(2);
  });

  it("outlasts a burst of 5xx, and gives up in words", async () => {
    const burst = discord.faults.add(posts, { status: 502 }, 6);
    await room.post(lab, hello);
    expect(burst.met).toBe(6);
    expect(discord.messages(lab)).toHaveLength(1);
    discord.faults.add(edits, { status: 503 }, 100);
    const posted = { channelId: lab, messageId: discord.messages(lab)[0]?.id ?? "" };
    await expect(room.edit(posted, goodbye)).rejects.toMatchObject(
      refused("chat.unavailable", /did not answer/),
    );
  });
});

describe("a thread", () => {
  it("stays open for a week, under a name that fits", async () => {
    const posted = await room.post(lab, hello);
    const id = await room.openThread(lab, `\n${"long ".repeat(40)}\u202e`, posted);
    const thread = discord.channel(id);
    expect(thread.thread?.autoArchive).toBe(10_080);
    expect(thread.name).toMatch(/^long long .*…$/);
    expect(thread.name?.length).toBeLessThanOrEqual(100);
    expect(await room.openThread(id, "inside")).toBe(id);
    expect(await room.openThread(lab, "again", posted)).toBe(id);
    const within = await room.post(id, hello);
    expect(room.linkTo(within)).toBe(
      `https://discord.com/channels/${discord.guildId}/${id}/${within.messageId}`,
    );
  });

  it("is opened again by an edit when it was archived, and by a post", async () => {
    const id = await room.openThread(lab, "Round r1");
    const posted = await room.post(id, hello);
    discord.archiveThread(id);
    await room.edit(posted, goodbye);
    expect(textOf(discord.messages(id)[0])).toContain("The lab was here.");
    expect(discord.channel(id).thread?.archived).toBe(false);
    discord.archiveThread(id);
    await room.post(id, hello);
    expect(discord.messages(id)).toHaveLength(2);
  });

  it("takes a channel's own time where a week is refused", async () => {
    const posted = await room.post(lab, hello);
    discord.faults.add(threadsRoute, { status: 400, code: 50035, message: "Invalid Form Body" });
    const id = await room.openThread(lab, "Round r1", posted);
    expect(discord.channel(id).thread?.autoArchive).toBe(1_440);
  });
});

describe("a refusal", () => {
  it("for what was deleted says that it is gone", async () => {
    const posted = await room.post(lab, hello);
    const [message] = discord.messages(lab);
    if (message !== undefined) discord.deleteMessage(message);
    await expect(room.edit(posted, goodbye)).rejects.toMatchObject(
      refused("chat.gone", /message was deleted/),
    );
    const thread = await room.openThread(lab, "Round r1");
    discord.deleteChannel(thread);
    await expect(room.post(thread, hello)).rejects.toMatchObject(
      refused("chat.gone", /channel or thread was deleted/),
    );
    await expect(room.remove({ channelId: thread, messageId: posted.messageId })).resolves.toBeUndefined();
  });

  it.each([
    ["SendMessages", /may not post in #lab: it lacks Send Messages\./],
    ["AttachFiles", /may not post in #lab: it lacks Attach Files\./],
    ["ViewChannel", /may not post in #lab: it lacks View Channel\./],
  ] as const)("names the missing permission: %s", async (permission, sentence) => {
    discord.deny(lab, [permission]);
    await discord.until(() => !canDo(permission), { what: "the client knows of it" });
    await expect(room.post(lab, hello)).rejects.toMatchObject(refused("chat.forbidden", sentence));
  });

  it("names what a thread needs", async () => {
    const posted = await room.post(lab, hello);
    discord.deny(lab, ["CreatePublicThreads"]);
    await discord.until(() => !canDo("CreatePublicThreads"), { what: "the client knows of it" });
    await expect(room.openThread(lab, "Round r1", posted)).rejects.toMatchObject(
      refused("chat.forbidden", /may not open a thread in #lab: it lacks Create Public Threads\./),
    );
  });

  it("of the token stays one, also when the client has forgotten the token", async () => {
    discord.faults.add(posts, { status: 401, code: 0, message: "401: Unauthorized" });
    for (const once of ["a", "b"]) {
      await expect(room.post(lab, hello, { once })).rejects.toMatchObject({ code: "chat.bad-token" });
    }
  });

  it("after being removed from the server says that the place is gone", async () => {
    discord.kickBot();
    await discord.until(() => bot.client.guilds.cache.size === 0, { what: "the client knows of it" });
    await expect(room.post(lab, hello)).rejects.toMatchObject({ code: "chat.gone" });
  });

  function canDo(
    permission: "SendMessages" | "AttachFiles" | "ViewChannel" | "CreatePublicThreads",
  ): boolean {
    const channel = bot.client.channels.cache.get(lab);
    if (channel === undefined || channel.isDMBased()) return false;
    return channel.permissionsFor(bot.client.user)?.has(permission) ?? false;
  }
});

describe("registering commands", () => {
  const registration = (guildId: string | null) => ({
    rest: bot.client.rest,
    applicationId: discord.applicationId,
    commands,
    menus: menuEntries,
    guildId,
  });

  it.each(["in one server", "everywhere"])("writes only what differs: %s", async (where) => {
    const guildId = where === "everywhere" ? null : discord.guildId;
    expect(await registerCommands(registration(guildId))).toBe(true);
    expect(discord.commandNames(guildId)).toContain("round");
    expect(discord.commandWrites).toBe(1);
    expect(await registerCommands(registration(guildId))).toBe(false);
    expect(discord.commandWrites).toBe(1);
    const fewer = { ...registration(guildId), commands: commands.slice(1) };
    expect(await registerCommands(fewer)).toBe(true);
    expect(discord.commandNames(guildId)).not.toContain("round");
  });

  it("takes global commands away when one server gets them", async () => {
    await registerCommands(registration(null));
    expect(await registerCommands(registration(discord.guildId))).toBe(true);
    expect(discord.commandNames(null)).toEqual([]);
    expect(discord.commandNames(discord.guildId)).toContain("env");
  });
});
