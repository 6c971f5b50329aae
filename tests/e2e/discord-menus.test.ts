/** A message's own menu, and files that come with commands: what people wrote becomes documents and hints. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { download, fileRulesOf } from "../../bot/discord/interaction-files.ts";
import { configSchema } from "../../config/schema.ts";
import type { Person } from "../support/discord/people.ts";
import { type DiscordLab, openDiscordLab } from "../support/discord-lab.ts";

const sourcePath = new URL("../support/environments/good/vault-dial.js", import.meta.url);

let lab: DiscordLab;
let ada: Person;
let channel: string;

beforeAll(async () => {
  lab = await openDiscordLab({ config: { documents: { maxBytes: 20_000 } } });
  ada = lab.discord.user("ada");
  channel = lab.discord.channelId("lab");
  const file = { name: "vault-dial.js", content: readFileSync(sourcePath, "utf8") };
  await ada.command(channel, "env admit", { file }, { timeoutMs: 60_000 });
});

afterAll(() => lab.close());

const documents = async () => (await lab.services().store.documents.list({ limit: 50 })).items;

describe("use as document", () => {
  it("adds what the message says and what is attached to it", async () => {
    const message = ada.say(channel, "Tides follow the moon, twice a day.", [
      { name: "rules.txt", content: "A harbour has a gate and a keeper." },
    ]);
    const answer = await ada.contextMenu("Use as document", message);
    expect(answer.text).toContain("Added 2 documents");
    expect((await documents()).map(({ origin }) => origin).sort()).toEqual([
      expect.stringMatching(/^ada: Tides follow the moon/),
      "rules.txt",
    ]);
  });

  it("takes the lab's own cards too", async () => {
    const { reply } = await ada.command(channel, "env show", { id: "f1" });
    if (reply === null) throw new Error("there is no card");
    expect((await ada.contextMenu("Use as document", reply)).text).toContain("Added");
  });

  it("refuses a message with nothing in it", async () => {
    const empty = await ada.contextMenu("Use as document", ada.say(channel, ""));
    expect(empty.isEphemeral).toBe(true);
    expect(empty.text).toContain("That message holds no text and no file");
  });
});

describe("use as hint", () => {
  it("opens a form with the text in it, asks for the environment, and keeps the hint", async () => {
    const message = ada.say(channel, "Halve the interval with every guess.");
    const { modal } = await ada.contextMenu("Use as hint", message, { wait: "acknowledged" });
    if (modal === null) throw new Error("there is no form");
    expect(modal.fields.map(({ label, component }) => [label, component.value])).toEqual([
      ["Id", undefined],
      ["Text", "Halve the interval with every guess."],
    ]);
    const answer = await ada.submit(modal, { Id: "f1" });
    expect(answer.text).toContain("Halve the interval");
    expect(await lab.services().store.hints.ofEnvironment("f1")).toHaveLength(1);
    const log = await lab.services().store.audit.list({ limit: 5 });
    expect(log.items[0]).toMatchObject({ who: "ada", what: "hint.add", subject: "f1" });
  });

  it("cuts a text that is longer than a hint may be, so that the form opens", async () => {
    const message = ada.say(channel, "x".repeat(2_000).concat("y".repeat(2_000)));
    const { modal } = await ada.contextMenu("Use as hint", message, { wait: "acknowledged" });
    expect(modal?.fields[1]?.component.value).toHaveLength(2_000);
  });
});

describe("files", () => {
  const attach = async (name: string, content: string, more: object = {}) =>
    (await ada.command(channel, "doc add", { file: { name, content, ...more } })).text;

  it("are refused when they are too large, of a kind that holds no text, or gone", async () => {
    expect(await attach("big.txt", "x".repeat(20_001))).toContain(
      "big.txt is too large; a file of at most 20000 bytes is taken.",
    );
    expect(await attach("tool.exe", "MZ\u0000\u0001")).toContain("tool.exe");
    expect(await attach("old.txt", "late", { expired: true })).toContain("could not be fetched");
    expect((await documents()).map(({ origin }) => origin)).not.toContain("old.txt");
  });

  it("are fetched from where Discord keeps them and from nowhere else", async () => {
    const rules = fileRulesOf(configSchema.parse({}));
    for (const url of [
      "http://cdn.discordapp.com/a.txt",
      "https://cdn.discordapp.com.evil.example/a.txt",
      "https://evil.example/cdn.discordapp.com/a.txt",
      "http://169.254.169.254/latest/meta-data",
      `${lab.discord.api}/a.txt`,
      "file:///etc/passwd",
      "nonsense",
    ]) {
      await expect(download({ name: "a.txt", url, size: 1 }, rules)).rejects.toThrow(
        "is not kept by Discord",
      );
    }
  });
});
