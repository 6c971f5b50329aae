/** People on the Discord server for tests: they can send what Discord's client lets them send, and nothing else. */
import { type Interaction, PermissionFlagsBits } from "discord.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type LittleBot, startLittleBot } from "../support/discord/little-bot.ts";
import type { Person } from "../support/discord/people.ts";
import { type DiscordServer, startDiscord, textOf } from "../support/discord/server.ts";

const lab = { name: "Lab", channels: ["lab", "secret"], roles: { admin: ["ManageGuild"] } } as const;
const other = { name: "Other", channels: ["elsewhere"], roles: {} } as const;

const commands = [
  {
    name: "round",
    description: "Runs one",
    options: [
      { type: 4, name: "envs", description: "How many", required: true, min_value: 1, max_value: 50 },
      { type: 3, name: "kind", description: "Which", choices: [{ name: "game", value: "game" }] },
      { type: 3, name: "text", description: "Some", min_length: 2, max_length: 5 },
      { type: 5, name: "approve", description: "Wait" },
      { type: 6, name: "person", description: "Who" },
      { type: 7, name: "place", description: "Where" },
      { type: 8, name: "role", description: "Whose" },
      { type: 10, name: "share", description: "How much", max_value: 1 },
      { type: 11, name: "file", description: "What" },
    ],
  },
  {
    name: "env",
    description: "Environments",
    options: [{ type: 1, name: "show", description: "One" }],
  },
  {
    name: "secret",
    description: "For those who manage",
    default_member_permissions: PermissionFlagsBits.ManageGuild.toString(),
  },
  { name: "private", description: "In messages alone", contexts: [1] },
];

let discord: DiscordServer;
let bot: LittleBot;
let channel: string;
let ada: Person;

async function answer(interaction: Interaction): Promise<unknown> {
  if (interaction.isUserSelectMenu()) {
    return interaction.reply(interaction.users.map(({ username }) => username).join());
  }
  if (!interaction.isChatInputCommand()) return;
  if (interaction.commandName !== "round") {
    const users = { type: 5 as const, custom_id: "who", placeholder: "Who", max_values: 2 };
    return interaction.reply({ content: "whom?", components: [{ type: 1, components: [users] }] });
  }
  const { options, member } = interaction;
  return interaction.reply(
    [
      options.getInteger("envs"),
      options.getBoolean("approve"),
      options.getUser("person")?.username,
      options.getChannel("place")?.id,
      options.getRole("role")?.name,
      options.getNumber("share"),
      options.getAttachment("file")?.name,
      interaction.memberPermissions?.has("ManageGuild"),
      member !== null && "cache" in member.roles ? member.roles.cache.map(({ name }) => name).join() : "",
    ]
      .filter((given) => given !== null && given !== undefined)
      .join(" "),
  );
}

beforeAll(async () => {
  discord = await startDiscord({ guilds: [lab, other] });
  bot = await startLittleBot(discord, answer);
  await bot.client.rest.put(`/applications/${discord.applicationId}/commands`, { body: commands });
  channel = discord.channelId("lab");
  ada = discord.user("ada", { roles: ["admin"] });
});

afterAll(async () => {
  await bot.stop();
  await discord.stop();
});

it.each<[string, Record<string, string | number | boolean | { name: string; content: string }>, string]>([
  ["rounds", { envs: 1 }, "There is no command /rounds; there are: round, env, secret"],
  ["round", {}, "/round needs the option envs"],
  ["round", { envs: 1, seed: 1 }, "/round has no option seed; it has: envs, kind"],
  ["round", { envs: 0 }, "0 is less than 1"],
  ["round", { envs: 51 }, "51 is more than 50"],
  ["round", { envs: 1.5 }, "it takes a whole number"],
  ["round", { envs: "1" }, "it takes a number"],
  ["round", { envs: 1, share: 2 }, "2 is more than 1"],
  ["round", { envs: 1, kind: "tool" }, "tool is none of game"],
  ["round", { envs: 1, text: "x" }, "it takes at least 2 characters"],
  ["round", { envs: 1, text: "xxxxxx" }, "it takes at most 5 characters"],
  ["round", { envs: 1, text: 5 }, "it takes a text"],
  ["round", { envs: 1, approve: "yes" }, "it takes true or false"],
  ["round", { envs: 1, person: "ada" }, "it takes an id"],
  ["round", { envs: 1, file: "a.txt" }, "it takes a file"],
  ["round", { envs: 1, text: { name: "a", content: "b" } }, "it takes no file"],
  ["env", {}, "/env needs one of its subcommands: show"],
  ["env play", {}, "/env has no subcommand play; it has: show"],
  ["private", {}, "There is no command /private"],
])("can't send /%s with %j", async (typed, options, refusal) => {
  await expect(ada.command(channel, typed, options)).rejects.toThrow(refusal);
});

it("hands over people, places, roles, files and what the person may do", async () => {
  const bob = discord.user("bob");
  const given = { envs: 3, approve: true, person: bob.id, place: channel, share: 0.5 };
  const file = { name: "a.txt", content: "x" };
  const reply = await ada.command(channel, "round", { ...given, role: discord.roleId("admin"), file });
  expect(reply.text).toBe(`3 true bob ${channel} admin 0.5 a.txt true @everyone,admin`);
  discord.removeRole(ada, "admin");
  expect((await ada.command(channel, "round", { envs: 1 })).text).toBe("1 false @everyone");
  discord.addRole(ada, "admin");
  discord.assertNoProblems();
});

it("hides commands by permission, and channels by overwrite, DM and guild", async () => {
  const bob = discord.user("bob");
  await expect(bob.command(channel, "secret")).rejects.toThrow("secret is hidden from this person");
  expect((await ada.command(channel, "secret")).text).toBe("whom?\nWho");
  const secret = discord.channelId("secret");
  discord.deny(secret, ["ViewChannel"], discord.guildId);
  await expect(bob.command(secret, "round", { envs: 1 })).rejects.toThrow(
    "bob doesn't see the channel secret",
  );
  await expect(bob.command(ada.dm, "round", { envs: 1 })).rejects.toThrow("bob doesn't see");
  expect((await bob.command(bob.dm, "private")).text).toBe("whom?\nWho");
  const elsewhere = discord.channelId("elsewhere", discord.guild("Other").id);
  await expect(bob.command(elsewhere, "round", { envs: 1 })).rejects.toThrow("bob doesn't see the channel");
  const eve = discord.user("eve", { guildId: discord.guild("Other").id });
  expect((await eve.command(elsewhere, "round", { envs: 2 })).text).toBe("2 false @everyone");
  discord.assertNoProblems();
});

it("picks people in a select, as many as it takes", async () => {
  const [bob, eve] = [discord.user("bob"), discord.user("eve")];
  const { reply } = await ada.command(channel, "secret");
  const picked = await ada.select(reply, "who", [bob.id, eve.id]);
  expect(textOf(picked.reply)).toBe("bob,eve");
  await expect(ada.select(reply, "who", [bob.id, eve.id, ada.id])).rejects.toThrow("who takes 1 to 2 values");
  await expect(ada.select(reply, "whom", [bob.id])).rejects.toThrow("The message has no whom; it has: Who");
  if (reply !== null) discord.deleteMessage(reply);
  await expect(ada.select(reply, "who", [bob.id])).rejects.toThrow("ada doesn't see that message");
  await expect(ada.click(null, "Go")).rejects.toThrow("There is no message with the button Go");
  discord.assertNoProblems();
});
