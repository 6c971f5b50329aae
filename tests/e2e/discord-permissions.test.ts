/** Who may do what, where, and how often: roles, allow lists, limits and the audit log, through the real client. */
import { PermissionFlagsBits } from "discord.js";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Person } from "../support/discord/people.ts";
import { createDeeds, testCommands } from "../support/discord-commands.ts";
import { type DiscordLab, openDiscordLab } from "../support/discord-lab.ts";

let lab: DiscordLab;

afterEach(() => lab.close());

describe("roles", () => {
  it("with no mapping make researchers of members, admins of those who manage the server, viewers of direct messages", async () => {
    lab = await openDiscordLab();
    const { discord } = lab;
    const channel = discord.channelId("lab");
    const ada = discord.user("ada");
    const bob = discord.user("bob", { roles: ["admin"] });
    const role = [...discord.guild().roles.values()].find(({ name }) => name === "admin");
    if (role !== undefined) role.permissions |= PermissionFlagsBits.ManageGuild;
    expect((await ada.command(channel, "help")).text).toContain("Your role is researcher");
    expect((await bob.command(channel, "help")).text).toContain("Your role is admin");
    expect((await ada.command(ada.dm, "help")).text).toContain("Your role is viewer");
    const refused = await ada.command(ada.dm, "round");
    expect(refused.text).toContain(
      'ada may not use "round": it needs the role researcher, and theirs is viewer.',
    );
  });

  it("come from the mapping alone, with a reason for those whom it does not name", async () => {
    lab = await openDiscordLab({ mapped: true });
    const { discord } = lab;
    const channel = discord.channelId("lab");
    const say = async (person: Person, command: string) => (await person.command(channel, command)).text;
    expect(await say(discord.user("vic", { roles: ["viewer"] }), "audit")).toContain("needs the role admin");
    expect(await say(discord.user("rob", { roles: ["researcher"] }), "settings show")).toContain(
      "token budget",
    );
    const nobody = discord.user("eve");
    const refused = await nobody.command(channel, "status");
    expect(refused.isEphemeral).toBe(true);
    expect(refused.text).toContain("The lab gives eve no role");
    expect((await nobody.command(nobody.dm, "status")).text).toContain("Direct messages show no roles");
    const completion = await nobody.autocomplete(channel, "env show", { id: "r" });
    expect(completion.choices).toEqual([]);
  });

  it("keep other models than the lab's to admins", async () => {
    lab = await openDiscordLab({ mapped: true });
    const { discord } = lab;
    const rob = discord.user("rob", { roles: ["researcher"] });
    const channel = discord.channelId("lab");
    const refused = await rob.command(channel, "round", { model: "openai:gpt-5" });
    expect(refused.text).toContain('"round with the model openai:gpt-5": it needs the role admin');
    expect((await lab.services().store.rounds.list({ limit: 1 })).items).toEqual([]);
  });
});

describe("allow lists", () => {
  it("keep the bot to its channels and their threads, and to its servers", async () => {
    lab = await openDiscordLab({
      discord: {
        guilds: [
          { name: "Lab", channels: ["lab", "general"], roles: {} },
          { name: "Elsewhere", channels: ["lab"], roles: {} },
        ],
      },
      configOf: (discord) => ({
        discord: {
          guilds: [discord.guild("Lab").id],
          channels: [discord.channelId("lab", discord.guild("Lab").id)],
        },
      }),
    });
    const { discord } = lab;
    const home = discord.guild("Lab").id;
    const away = discord.guild("Elsewhere").id;
    const ada = discord.user("ada", { guildId: home });
    const inLab = discord.channelId("lab", home);
    expect((await ada.command(inLab, "help")).text).toContain("Your role");
    const refused = await ada.command(discord.channelId("general", home), "help");
    expect(refused.isEphemeral).toBe(true);
    expect(refused.text).toContain("does not answer in this channel");
    const bob = discord.user("bob", { guildId: away });
    expect((await bob.command(discord.channelId("lab", away), "help")).text).toContain(
      "does not answer in this server",
    );
    expect((await ada.command(ada.dm, "help")).text).toContain("can't see which server you are in");
    await ada.command(inLab, "round", { envs: 1, plays: 1, seed: 3 }, { timeoutMs: 30_000 });
    const thread = await discord.until(() => discord.threads(inLab)[0]);
    expect((await ada.command(thread.id, "help")).text).toContain("Your role");
    await lab.bot().close();
    discord.archiveThread(thread.id);
    await lab.restart();
    expect((await ada.command(thread.id, "help", {}, { timeoutMs: 30_000 })).text).toContain("Your role");
  });
});

describe("limits", () => {
  it("count commands, clicks and forms of each person alone", async () => {
    const deeds = createDeeds();
    lab = await openDiscordLab({
      commands: testCommands(deeds),
      config: { limits: { commandsPerMinute: 3 } },
    });
    const { discord } = lab;
    const channel = discord.channelId("lab");
    const ada = discord.user("ada");
    const { reply } = await ada.command(channel, "panel");
    if (reply === null) throw new Error("there is no panel");
    const { modal } = await ada.click(reply, "Fill in");
    if (modal === null) throw new Error("there is no form");
    const third = await ada.submit(modal, { Text: "x" });
    await discord.until(() => third.followUps.length === 1);
    for (const refused of [
      await ada.command(channel, "panel"),
      await ada.click(reply, "Press"),
      await ada.submit(modal, { Text: "y" }),
    ]) {
      expect(refused.text).toContain("You gave 3 commands within a minute");
    }
    expect(deeds.list).toHaveLength(2);
    expect((await discord.user("bob").command(channel, "panel")).text).toContain("panel by bob");
  });

  it("count the rounds that a person started, over a restart of the bot", async () => {
    lab = await openDiscordLab({ config: { limits: { roundsPerHour: 1 } } });
    const { discord } = lab;
    const channel = discord.channelId("lab");
    const ada = discord.user("ada");
    const [first, second] = await Promise.all([
      ada.command(channel, "round", { envs: 1, plays: 1, seed: 1 }, { timeoutMs: 20_000 }),
      ada.command(channel, "round", { envs: 1, plays: 1, seed: 2 }, { timeoutMs: 20_000 }),
    ]);
    expect([first.text, second.text].filter((text) => text.includes("You started 1 round "))).toHaveLength(1);
    await lab.restart();
    const third = await ada.command(channel, "env request", { brief: "tides" });
    expect(third.text).toMatch(
      /You started 1 round within an hour, and the lab allows 1: wait (5\d min|1 h 00 min)/,
    );
    expect((await lab.services().store.rounds.list({ limit: 5 })).items).toHaveLength(1);
  });
});

describe("settings that were changed in chat", () => {
  it("hold for the rounds that are started there, stand in the audit log, and outlive a restart", async () => {
    lab = await openDiscordLab({ mapped: true });
    const { discord } = lab;
    const channel = discord.channelId("lab");
    const ada = discord.user("ada", { roles: ["admin"] });
    await ada.command(channel, "settings set", { "token-budget": 10 });
    expect((await ada.command(channel, "audit")).text).toContain("10 tokens a round");
    await lab.restart();
    expect((await ada.command(channel, "settings show")).text).toContain("10 tokens a round");
    const bad = await ada.command(channel, "settings set", { model: "nobody:nothing" });
    expect(bad.text).toContain("names no provider");
    await ada.command(channel, "round", { envs: 1, plays: 1, seed: 1 }, { timeoutMs: 30_000 });
    await vi.waitFor(
      async () => {
        const round = await lab.services().store.rounds.get("r1");
        expect(round?.error?.code).toBe("provider.budget");
      },
      { timeout: 30_000, interval: 100 },
    );
  });
});
