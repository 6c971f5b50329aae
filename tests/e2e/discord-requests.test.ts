/** People bring things to the lab on Discord: requests, documents, hints and environments of their own. */
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Person } from "../support/discord/people.ts";
import { controlsOf, textOf } from "../support/discord/server.ts";
import type { Message } from "../support/discord/world.ts";
import { type DiscordLab, openDiscordLab } from "../support/discord-lab.ts";
import { good } from "../support/environments/read.ts";
import { pdfOf } from "../support/pdf.ts";

let lab: DiscordLab;
let ada: Person;
let bo: Person;
let channel: string;

beforeAll(async () => {
  lab = await openDiscordLab({ mapped: true });
  ada = lab.discord.user("ada", { roles: ["admin"] });
  bo = lab.discord.user("bo", { roles: ["viewer"] });
  channel = lab.discord.channelId("lab");
});

afterAll(() => lab.close());

const slow = { timeoutMs: 30_000 };
const labelsOf = (message: Message): string[] => controlsOf(message).map(({ label }) => label);
const documents = async () => (await lab.services().store.documents.list({ limit: 100 })).items;

/** The last message of a round's thread, once it holds the text. */
async function endOf(roundId: string, text: string | RegExp): Promise<Message> {
  const thread = await lab.discord.threadIn(channel, new RegExp(`Round ${roundId}\\b`), slow);
  return lab.discord.messageWith(thread.id, text, slow);
}

describe("a request on Discord", () => {
  let end: Message;

  it("ends with its environment: gates, first observation, statistics, source, and what to do next", async () => {
    const answer = await ada.command(channel, "env request", {
      brief: "a game about tides",
      difficulty: "easy",
      plays: 2,
      seed: 3,
    });
    expect(answer.text).toContain("r1");
    end = await endOf("r1", "gates passed");
    const said = textOf(end);
    expect(said).toContain("a game about tides");
    expect(said).toMatch(/parse, contract, robust/);
    expect(said).toContain("Goal:");
    expect(said).toMatch(/plain.*over 2 plays/);
    expect(said).toMatch(/regret/);
    expect(labelsOf(end)).toEqual(["Play", "Add hint", "Run a round", "Source", "Retire"]);
    const source = end.attachments.find(({ name }) => name.endsWith("Env.js"));
    expect(Buffer.from(source?.bytes ?? []).toString()).toMatch(/class \w+Env/);
  });

  it("can be played, from its buttons, by anybody", async () => {
    const played = await bo.click(end, "Play");
    expect(played.shown?.ephemeralFor).toBe(bo.id);
    expect(played.text).toContain("turn 1 of");
    const refused = await bo.click(end, "Run a round");
    expect(refused.text).toContain("needs the role researcher");
  });

  it("takes a person's hint, and the next round says what it is worth", async () => {
    const form = await ada.click(end, "Add hint");
    expect(form.modal?.fields.map(({ label }) => label)).toEqual(["Text"]);
    const kept = await ada.submit(form.modal, { Text: "Go where the hum gets smaller." });
    expect(kept.text).toContain("Go where the hum gets smaller.");
    await ada.click(end, "Run a round");
    // A round that is begun in a thread goes on there.
    const result = await lab.discord.messageWith(end.channelId, "A person's hint returns", slow);
    expect(textOf(result)).toMatch(/r1-1: A person's hint returns .* its designer's/);
    const shown = await ada.command(channel, "env show", { id: "r1-1" });
    expect(shown.text).toMatch(/A person's hint returns .* its designer's/);
    expect(shown.text).toContain("Hint of ada");
  });

  it("asks for the brief in a form, with a file to ground it on", async () => {
    const asked = await ada.command(channel, "env request", { plays: 1, seed: 5 });
    expect(asked.modal?.fields.map(({ label }) => label)).toEqual(["Brief", "Document"]);
    const answer = await ada.submit(asked.modal, {
      Brief: "something with ferries",
      Document: [{ name: "ferries.pdf", content: pdfOf(["Ferries leave the harbor at dawn."]) }],
    });
    expect(answer.text).toContain("r3");
    await endOf("r3", /gates passed|did not pass/);
    const round = await lab.services().store.rounds.get("r3");
    const [document] = await documents();
    expect(document?.title).toBe("ferries.pdf");
    expect(round?.options).toMatchObject({
      brief: "something with ferries",
      plays: 1,
      seed: 5,
      envs: 1,
      documentIds: [document?.id],
    });
  });

  it("is for researchers", async () => {
    const refused = await bo.command(channel, "env request", {});
    expect(refused.modal).toBeNull();
    expect(refused.text).toContain("needs the role researcher");
  });
});

describe("documents on Discord", () => {
  let server: Server;
  let link: string;
  let hits = 0;
  beforeAll(async () => {
    server = createServer((_, response) => {
      hits += 1;
      response.setHeader("content-type", "text/plain").end("Secrets of this network.");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    link = `http://127.0.0.1:${address.port}/secrets.txt`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it("come as attachments, several at once, of every type", async () => {
    const nothing = await ada.command(channel, "doc add", {});
    const form = await ada.click(nothing.reply, "Add some");
    expect(form.modal?.fields.map(({ label }) => label)).toEqual(["File", "Url"]);
    const added = await ada.submit(form.modal, {
      File: [
        { name: "notes.md", content: "# Of tides\n\nThe moon moves the sea." },
        { name: "paper.pdf", content: pdfOf(["Words of a paper."]) },
        { name: "corpus.jsonl", content: '{"text":"One line."}\n{"text":"Another line."}\n' },
        { name: "picture.txt", content: Buffer.from([0, 1, 2, 3]) },
      ],
    });
    expect(added.text).toContain("Added 4 documents.");
    expect(added.text).toContain("picture.txt can't be read: it is binary");
    expect((await documents()).map(({ title }) => title)).toEqual(
      expect.arrayContaining(["Of tides", "paper.pdf", "corpus.jsonl line 1", "corpus.jsonl line 2"]),
    );
    const listed = await ada.command(channel, "doc list");
    expect(listed.text).toMatch(/Of tides.*\d{4}-\d\d-\d\d \d\d:\d\d/);
  });

  it("come from what somebody wrote", async () => {
    const message = bo.say(channel, "A lighthouse blinks every four seconds.");
    const added = await ada.contextMenu("Use as document", message);
    expect(added.text).toContain("Added 1 document.");
    const refused = await bo.contextMenu("Use as document", message);
    expect(refused.text).toContain("needs the role researcher");
  });

  it("never come from the lab's own network", async () => {
    const before = await documents();
    for (const url of [link, link.replace("127.0.0.1", "localhost")]) {
      const refused = await ada.command(channel, "doc add", { url });
      expect(refused.text).toContain("not on the public internet");
      const round = await ada.command(channel, "round", { docs: url, envs: 1 });
      expect(round.text).toContain("not on the public internet");
    }
    expect(hits).toBe(0);
    expect(await documents()).toEqual(before);
    const path = await ada.command(channel, "doc add", { url: "/etc/passwd" });
    expect(path.text).toContain("/etc/passwd");
    expect(await documents()).toEqual(before);
  });

  it("are taken out again", async () => {
    const [document] = await documents();
    const removed = await ada.command(channel, "doc remove", { id: document?.id ?? "" });
    expect(removed.text).toMatch(/It was added by ada, \d{4}-\d\d-\d\d \d\d:\d\d\./);
  });
});

describe("an environment of one's own on Discord", () => {
  it("is admitted from an attachment, and asks for its language where nobody can tell", async () => {
    const content = good("nim-keeper");
    const unclear = await ada.command(channel, "env admit", { file: { name: "nim.txt", content } });
    expect(unclear.text).toContain("name it with language, one of javascript, python");
    const admitted = await ada.command(
      channel,
      "env admit",
      { file: { name: "nim.txt", content }, language: "javascript" },
      slow,
    );
    expect(admitted.text).toContain("admitted");
    expect(labelsOf(admitted.reply ?? bo.say(channel, ""))).toEqual([
      "Play",
      "Add hint",
      "Measure",
      "Source",
      "Retire",
    ]);
    const form = await ada.click(admitted.reply, "Add hint");
    await ada.submit(form.modal, { Text: "Leave a multiple of four." });
    const hints = await ada.command(channel, "hint list", { id: "f1" });
    expect(hints.text).toContain("Leave a multiple of four.");
  });
});
