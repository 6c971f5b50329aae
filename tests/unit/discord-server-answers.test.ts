/** Which commands and answers the Discord server for tests refuses, each sent by the real client. */
import { type Interaction, Routes } from "discord.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type LittleBot, startLittleBot } from "../support/discord/little-bot.ts";
import { type DiscordServer, startDiscord } from "../support/discord/server.ts";

const v2 = 32_768;
const quiet = { allowed_mentions: { parse: [] } };
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

let discord: DiscordServer;
let bot: LittleBot;
let channel: string;
let answerTo: (interaction: Interaction) => Promise<unknown> = async () => undefined;

beforeAll(async () => {
  discord = await startDiscord();
  bot = await startLittleBot(discord, (interaction) => answerTo(interaction));
  channel = discord.channelId("lab");
  const options = [{ type: 3, name: "id", description: "Which", autocomplete: true }];
  const body = [{ name: "status", description: "Shows it", options }];
  await bot.client.rest.put(Routes.applicationGuildCommands(discord.applicationId, discord.guildId), {
    body,
  });
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

describe("commands", () => {
  const option = (extra: object = {}) => ({ type: 3, name: "id", description: "Which", ...extra });
  it.each<[string, object, string]>([
    ["upper case", { name: "Status", description: "x" }, "the name Status has upper case"],
    ["a blank in its name", { name: "my status", description: "x" }, "characters that a name can't have"],
    ["an empty description", { name: "status", description: "" }, "has an empty description"],
    ["no description", { name: "status" }, "has an empty description"],
    [
      "a required option after an optional one",
      { name: "s", description: "x", options: [option(), option({ name: "b", required: true })] },
      "s b is required and comes after id",
    ],
    [
      "an option twice",
      { name: "s", description: "x", options: [option(), option()] },
      "has the option id twice",
    ],
    [
      "an option without description",
      { name: "s", description: "x", options: [option({ description: "" })] },
      "s id has an empty description",
    ],
    [
      "choices and completion",
      {
        name: "s",
        description: "x",
        options: [option({ autocomplete: true, choices: [{ name: "a", value: "a" }] })],
      },
      "has choices and completion",
    ],
    [
      "subcommands beside options",
      { name: "s", description: "x", options: [option(), { type: 1, name: "t", description: "y" }] },
      "s mixes subcommands with options",
    ],
    [
      "a menu with a description",
      { name: "Use", type: 3, description: "x" },
      "the menu Use has a description",
    ],
    [
      "an unknown kind of option",
      { name: "s", description: "x", options: [option({ type: 99 })] },
      "options/0/type",
    ],
  ])("refuses %s", async (_what, command, problem) => {
    const route = Routes.applicationGuildCommands(discord.applicationId, discord.guildId);
    await refused(bot.client.rest.put(route, { body: [command] }), problem);
  });

  it("refuses two commands of one name", async () => {
    const route = Routes.applicationGuildCommands(discord.applicationId, discord.guildId);
    const body = many(2, () => ({ name: "status", description: "x" }));
    await refused(bot.client.rest.put(route, { body }), "the command status is there twice");
  });
});

describe("answers to interactions", () => {
  const textInput = (id: string) => ({
    type: 18,
    label: "Text",
    component: { type: 4, style: 1, custom_id: id },
  });
  const modal = (count: number, id = (index: number) => `f${index}`) => ({
    type: 9,
    data: { custom_id: "m", title: "T", components: many(count, (index) => textInput(id(index))) },
  });

  /** Answers a command with a body, and gives what came of it. */
  const answerWith = async (body: object): Promise<unknown> => {
    const answered = new Promise((resolve) => {
      answerTo = async ({ id, token }) => {
        const route = Routes.interactionCallback(id, token);
        resolve(await bot.client.rest.post(route, { body, auth: false }).catch((error: unknown) => error));
      };
    });
    await discord.user("ada").command(channel, "status", {}, { wait: "none" });
    return answered;
  };

  it.each<[string, object, string]>([
    ["a deferral with content", { type: 5, data: { content: "x" } }, "a deferred reply carries content"],
    ["a deferral with the v2 flag", { type: 5, data: { flags: v2 } }, "it may only carry EPHEMERAL"],
    [
      "an update of nothing",
      { type: 7, data: { content: "x", ...quiet } },
      "a callback of type 7 can't answer",
    ],
    ["choices for a command", { type: 8, data: { choices: [] } }, "a callback of type 8 can't answer"],
    ["a modal of six rows", modal(6), "the modal has 6 rows"],
    ["a modal with a field twice", modal(2, () => "f"), "custom_id f is there twice"],
    [
      "a modal with a long title",
      { type: 9, data: { ...modal(1).data, title: "x".repeat(46) } },
      "must NOT have more than 45 characters",
    ],
    ["a reply that is empty", { type: 4, data: quiet }, "the message is empty"],
  ])("refuses %s", async (_what, body, problem) => {
    expect(await answerWith(body)).toMatchObject({ status: 400, code: 50035 });
    expect(discord.takeProblems().join("\n")).toContain(problem);
  });

  it("refuses a modal in answer to a modal, and more than 25 choices", async () => {
    answerTo = async (interaction) => {
      if (interaction.isAutocomplete())
        return interaction.respond(many(26, (i) => ({ name: `${i}`, value: `${i}` })));
      const route = Routes.interactionCallback(interaction.id, interaction.token);
      return bot.client.rest.post(route, { body: modal(1), auth: false });
    };
    const ada = discord.user("ada");
    const { modal: opened } = await ada.command(channel, "status");
    if (opened === null) throw new Error("no modal");
    await ada.submit(opened, { f0: "x" }, { wait: "none" });
    await discord.until(() => discord.problems.length > 0, { what: "a problem" });
    expect(discord.takeProblems().join()).toContain(
      "a callback of type 9 can't answer an interaction of type 5",
    );
    await ada.autocomplete(channel, "status", { id: "" }, { wait: "none" });
    await discord.until(() => discord.problems.length > 0, { what: "a problem" });
    expect(discord.takeProblems().join()).toContain("must NOT have more than 25 items");
  });
});
