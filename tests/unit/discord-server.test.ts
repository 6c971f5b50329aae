/** The Discord server for tests, driven through the real client: commands, messages, threads, buttons, modals, files. */
import {
  ActionRowBuilder,
  ApplicationCommandType,
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  ContainerBuilder,
  FileBuilder,
  FileUploadBuilder,
  type Interaction,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  ApplicationCommandOptionType as Option,
  SectionBuilder,
  StringSelectMenuBuilder,
  TextDisplayBuilder,
  TextInputBuilder,
  TextInputStyle,
} from "discord.js";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type LittleBot, startLittleBot } from "../support/discord/little-bot.ts";
import {
  controlsOf,
  type DiscordServer,
  startDiscord,
  textOf,
  textOfModal,
} from "../support/discord/server.ts";
import { present } from "../support/discord/waiting.ts";

const commands = [
  {
    name: "env",
    description: "Environments",
    options: [
      {
        type: Option.Subcommand as const,
        name: "show",
        description: "Shows one",
        options: [
          {
            type: Option.String as const,
            name: "id",
            description: "Which",
            required: true,
            autocomplete: true,
          },
          { type: Option.Integer as const, name: "plays", description: "How many", minValue: 1, maxValue: 9 },
        ],
      },
      {
        type: Option.Subcommand as const,
        name: "admit",
        description: "Admits a file",
        options: [{ type: Option.Attachment as const, name: "file", description: "Source", required: true }],
      },
    ],
  },
  { name: "Use as document", type: ApplicationCommandType.Message as const },
];

const buttons = (...labels: string[]) =>
  new ActionRowBuilder<ButtonBuilder>().addComponents(
    labels.map(
      (label) => new ButtonBuilder({ customId: label.toLowerCase(), label, style: ButtonStyle.Primary }),
    ),
  );

async function handle(interaction: Interaction): Promise<unknown> {
  if (interaction.isAutocomplete()) {
    const typed = interaction.options.getFocused();
    return interaction.respond(
      ["e1", "e2"].filter((id) => id.startsWith(typed)).map((id) => ({ name: id, value: id })),
    );
  }
  if (interaction.isMessageContextMenuCommand()) {
    return interaction.reply({ content: interaction.targetMessage.content, flags: MessageFlags.Ephemeral });
  }
  if (interaction.isChatInputCommand()) {
    if (interaction.options.getSubcommand() === "admit") {
      await interaction.deferReply({ flags: MessageFlags.Ephemeral });
      const { url, size } = interaction.options.getAttachment("file", true);
      const fetched = await fetch(url);
      const text = fetched.ok ? await fetched.text() : `gone: ${fetched.status}`;
      return interaction.editReply(`${size} bytes: ${text}`);
    }
    await interaction.deferReply();
    const container = new ContainerBuilder()
      .addTextDisplayComponents(
        new TextDisplayBuilder({ content: `# ${interaction.options.getString("id", true)}` }),
      )
      .addSectionComponents(
        new SectionBuilder()
          .addTextDisplayComponents(new TextDisplayBuilder({ content: "Beside" }))
          .setButtonAccessory(
            new ButtonBuilder({ customId: "side", label: "Side", style: ButtonStyle.Secondary }),
          ),
      )
      .addActionRowComponents(buttons("Play", "Retire"))
      .addActionRowComponents(
        new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(
          new StringSelectMenuBuilder({
            customId: "pick",
            placeholder: "Pick",
            options: [{ label: "One", value: "1" }],
          }),
        ),
      );
    return interaction.editReply({
      flags: MessageFlags.IsComponentsV2,
      components: [container, new FileBuilder().setURL("attachment://source.js")],
      files: [new AttachmentBuilder(Buffer.from("class A {}"), { name: "source.js" })],
    });
  }
  if (interaction.isButton() && interaction.customId === "play") {
    return interaction.showModal(
      new ModalBuilder({ customId: "say", title: "Your action" }).addLabelComponents(
        new LabelBuilder()
          .setLabel("Action")
          .setTextInputComponent(
            new TextInputBuilder({ customId: "action", style: TextInputStyle.Paragraph, maxLength: 10 }),
          ),
        new LabelBuilder()
          .setLabel("Notes")
          .setFileUploadComponent(
            new FileUploadBuilder().setCustomId("notes").setMaxValues(2).setRequired(false),
          ),
      ),
    );
  }
  if (interaction.isButton()) {
    return interaction.update({
      components: [
        new TextDisplayBuilder({ content: "retired" }),
        new ActionRowBuilder<ButtonBuilder>().addComponents(
          new ButtonBuilder({
            customId: "retire",
            label: "Retired",
            style: ButtonStyle.Danger,
            disabled: true,
          }),
        ),
      ],
      files: [],
      attachments: [],
    });
  }
  if (interaction.isStringSelectMenu()) return interaction.reply(`picked ${interaction.values.join(", ")}`);
  if (interaction.isModalSubmit()) {
    const file = interaction.fields.getUploadedFiles("notes")?.first();
    const notes = file === undefined ? "none" : await (await fetch(file.url)).text();
    return interaction.reply(`${interaction.fields.getTextInputValue("action")}, notes: ${notes}`);
  }
  return undefined;
}

let discord: DiscordServer;
let bot: LittleBot;
let channel: string;

beforeEach(async () => {
  discord = await startDiscord();
  bot = await startLittleBot(discord, handle);
  await bot.client.application.commands.set(commands, discord.guildId);
  channel = discord.channelId("lab");
});

afterEach(async () => {
  await bot.stop();
  await discord.stop();
});

it("registers commands, and again without changing their ids", async () => {
  expect(discord.commandNames(discord.guildId)).toEqual(["env", "Use as document"]);
  const first = await bot.client.application.commands.fetch({ guildId: discord.guildId });
  await bot.client.application.commands.set(commands, discord.guildId);
  const second = await bot.client.application.commands.fetch({ guildId: discord.guildId });
  expect([...second.keys()]).toEqual([...first.keys()]);
  discord.assertNoProblems();
});

it("takes a slash command from deferral to an edit with components, and shows what a person reads", async () => {
  const ada = discord.user("ada");
  const answer = await ada.command(channel, "env show", { id: "e1" });
  expect(answer.answeredWith).toBe(5);
  expect(answer.acknowledgedMs).toBeLessThan(3000);
  expect(answer.text).toBe("# e1\nBeside\n[Side]\n[Play]\n[Retire]\nPick\n(One)\n[source.js]");
  expect(answer.reply?.history.map(({ text }) => text.split("\n")[0])).toEqual(["(thinking)", "# e1"]);
  expect(new TextDecoder().decode(answer.reply?.attachments[0]?.bytes)).toBe("class A {}");
  expect(discord.messages(channel)).toEqual([answer.reply]);
  discord.assertNoProblems();
});

it("updates a message by its button, and drops the files that the edit doesn't list", async () => {
  const ada = discord.user("ada");
  const message = present((await ada.command(channel, "env show", { id: "e1" })).reply);
  const answer = await ada.click(message, "Retire");
  expect(answer.answeredWith).toBe(7);
  expect(answer.reply).toBe(message);
  expect(textOf(message)).toBe("retired\n[Retired]");
  expect(message.attachments).toEqual([]);
  expect(controlsOf(message).map(({ disabled }) => disabled)).toEqual([true]);
  await expect(ada.click(message, "Retired")).rejects.toThrow("is disabled");
  await expect(ada.click(message, "Play")).rejects.toThrow("The message has no Play; it has: Retired");
  expect((await ada.click(message, "retire", { force: true })).answeredWith).toBe(7);
  discord.assertNoProblems();
});

it("opens a modal from a button, with a text and a file in it", async () => {
  const ada = discord.user("ada");
  const message = present((await ada.command(channel, "env show", { id: "e1" })).reply);
  const modal = present((await ada.click(message, "Play")).modal);
  expect(textOfModal(modal)).toBe("Your action\nAction\nNotes");
  await expect(ada.submit(modal, {})).rejects.toThrow("Action is required");
  await expect(ada.submit(modal, { Action: "x".repeat(11) })).rejects.toThrow("at most 10");
  await expect(ada.submit(modal, { Other: "x" })).rejects.toThrow("has no field Other");
  expect((await ada.submit(modal, { Action: "left" })).text).toBe("left, notes: none");
  const files = [{ name: "notes.md", content: "# On doors" }];
  expect((await ada.submit(modal, { action: "left", notes: files })).text).toBe("left, notes: # On doors");
  discord.assertNoProblems();
});

it("completes options, picks in selects, and offers menus on messages", async () => {
  const ada = discord.user("ada");
  expect((await ada.autocomplete(channel, "env show", { id: "e" })).choices).toHaveLength(2);
  const message = present((await ada.command(channel, "env show", { id: "e2" })).reply);
  expect((await ada.select(message, "Pick", ["1"])).text).toBe("picked 1");
  const said = discord.user("bob").say(channel, "A paper on doors");
  const menu = await ada.contextMenu("Use as document", said);
  expect(menu.text).toBe("A paper on doors");
  discord.assertNoProblems();
});

it("hands uploads over by links, which can have expired", async () => {
  const ada = discord.user("ada");
  const file = { name: "a.js", content: "class B {}" };
  expect((await ada.command(channel, "env admit", { file })).text).toBe("10 bytes: class B {}");
  expect((await ada.command(channel, "env admit", { file: { ...file, expired: true } })).text).toBe(
    "10 bytes: gone: 404",
  );
  discord.assertNoProblems();
});

it("shows an ephemeral reply to its person alone, and keeps it from the bot's token", async () => {
  const [ada, bob] = [discord.user("ada"), discord.user("bob")];
  const answer = await ada.command(channel, "env admit", { file: { name: "a.js", content: "x" } });
  expect(answer.isEphemeral).toBe(true);
  expect(ada.reads(channel)).toBe("1 bytes: x");
  expect(bob.reads(channel)).toBe("");
  expect(discord.messages(channel)).toEqual([]);
  const at = bot.client.channels.cache.get(channel);
  const fetched = at?.isTextBased() ? at.messages.fetch(present(answer.reply).id) : null;
  await expect(fetched).rejects.toMatchObject({ code: 10008 });
  expect(discord.takeProblems().join()).toContain(
    "an ephemeral message can't be reached with the bot's token",
  );
});
