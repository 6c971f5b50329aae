/** Every command that is registered, given once through the real client, with nothing that Discord would refuse. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { commands } from "../../bot/commands/all.ts";
import { isOffered } from "../../bot/commands/command.ts";
import { policyWeights, serialiseWeights } from "../../graph/models/embedded/weights.ts";
import type { Answer } from "../support/discord/answer.ts";
import type { Person } from "../support/discord/people.ts";
import { type DiscordLab, openDiscordLab } from "../support/discord-lab.ts";

const sourcePath = new URL("../support/environments/good/vault-dial.js", import.meta.url);

let lab: DiscordLab;
let ada: Person;
let channel: string;
const given = new Set<string>();

async function give(name: string, options: Parameters<Person["command"]>[2] = {}): Promise<Answer> {
  given.add(name);
  const answer = await ada.command(channel, name, options, { timeoutMs: 60_000 });
  expect(answer.text, name).not.toContain("Something unexpected");
  return answer;
}

/** Waits for a round to be in a state. */
async function ended(roundId: string, wanted = "finished"): Promise<void> {
  await vi.waitFor(
    async () => {
      const record = await lab.services().store.rounds.get(roundId);
      expect(record?.status).toBe(wanted);
    },
    { timeout: 60_000, interval: 100 },
  );
}

beforeAll(async () => {
  lab = await openDiscordLab({ mapped: true });
  ada = lab.discord.user("ada", { roles: ["admin"] });
  channel = lab.discord.channelId("lab");
});

afterAll(() => lab.close());

describe("every command on Discord", () => {
  it("help says what one can do, to the caller alone, and what a command takes", async () => {
    const answer = await give("help");
    expect(answer.isEphemeral).toBe(true);
    expect(answer.text).toContain("Your role is admin");
    for (const command of commands.filter((one) => isOffered(one, "discord") && one.name !== "help")) {
      expect(answer.text).toContain(`/${command.name}`);
    }
    expect((await give("help", { command: "round" })).text).toContain("plays-per-seed");
  });

  it("status, and the lists of a lab with nothing in it", async () => {
    const status = await give("status");
    expect(status.text).toContain("embedded");
    // Paths of the machine mean nothing to people in chat.
    expect(status.text).not.toContain(lab.services().config.dataDir);
    for (const name of ["rounds", "env list", "doc list", "watch list"]) {
      expect((await give(name)).text.length).toBeGreaterThan(10);
    }
  });

  it("settings are shown and changed, and audit shows who did", async () => {
    expect((await give("settings show")).text).toContain("no limit");
    const changed = await give("settings set", { "token-budget": 5_000_000, approvals: "never" });
    expect(changed.text).toContain("5,000,000 tokens a round");
    expect((await give("settings set", {})).text).toContain("Nothing to change was named");
    expect((await give("settings set", { reset: "all" })).text).toContain("no limit");
    const log = await give("audit");
    expect(log.isEphemeral).toBe(true);
    expect(log.text).toMatch(/ada.*setting\.set/s);
    expect(log.text).toContain("setting.reset");
  });

  it("env admit takes a file, and the environment is shown, played, compared, measured and retired", async () => {
    const file = { name: "vault-dial.js", content: readFileSync(sourcePath, "utf8") };
    const admitted = await give("env admit", { file });
    expect(admitted.text).toContain("admitted");
    const id = "f1";
    expect((await give("env show", { id })).text).toContain("f1");
    const [source] = (await give("env source", { id })).reply?.attachments ?? [];
    expect(Buffer.from(source?.bytes ?? []).toString()).toBe(file.content);
    expect((await give("env list", { status: "admitted" })).text).toContain("f1");
    expect((await give("env play", { id, seed: 7 })).text.length).toBeGreaterThan(20);
    expect((await give("env compare", { id })).text).toContain("f1");
    expect((await give("hint add", { id, text: "Halve the interval with every guess." })).text).toContain(
      "ada",
    );
    expect((await give("hint list", { id })).text).toContain("Halve the interval");
    expect((await give("env measure", { id, plays: 1, seed: 3 })).text).toContain("r1");
    await ended("r1");
    expect((await give("env retire", { id, reason: "done with it" })).text).toContain("retired");
  });

  it("doc add takes files, and documents are shown and removed", async () => {
    const file = { name: "notes.md", content: "# Tides\n\nThe moon moves the sea twice a day.\n" };
    expect((await give("doc add", { file })).text).toContain("Added 1 document");
    const [document] = (await lab.services().store.documents.list({ limit: 5 })).items;
    const id = document?.id ?? "";
    expect((await give("doc show", { id })).text).toContain("The moon moves the sea");
    expect((await give("doc remove", { id })).text).toContain("removed");
  });

  it("round runs in the background, and its episodes are listed and shown", async () => {
    const answer = await give("round", { envs: 1, plays: 1, seed: 11, kind: "game" });
    expect(answer.text).toContain("r2");
    await ended("r2");
    expect((await give("episodes", { id: "r2" })).text.length).toBeGreaterThan(10);
    const [episode] = await lab.services().store.episodes.ofRound("r1");
    expect((await give("episode", { id: episode?.id ?? "" })).text.length).toBeGreaterThan(20);
    expect((await give("resume", { id: "r2" })).text).toContain("r2");
    expect((await give("rounds")).text).toContain("r2");
  });

  it("approve, reject, hint edit and cancel decide about a round that asks", async () => {
    const asks = await give("round", { envs: 4, plays: 1, seed: 5, kind: "game", approve: true });
    expect(asks.text).toContain("r3");
    await ended("r3", "waiting");
    const waiting = (await lab.services().store.approvals.waiting()).map(
      ({ environmentId }) => environmentId,
    );
    const [first = "", second = first] = waiting;
    expect(
      (await give("hint edit", { id: first, text: "Begin in the middle." })).text.length,
    ).toBeGreaterThan(10);
    expect((await give("approve", { id: first })).text).toContain("approved");
    expect((await give("reject", { id: second, reason: "too dull" })).text).toMatch(
      /rejected|approved already/,
    );
    // Nobody asked about it, so rejecting it would take it out of play as retiring does.
    const bea = lab.discord.user("bea", { roles: ["researcher"] });
    const unasked = await bea.command(channel, "reject", { id: "f1", reason: "too dull" });
    expect(unasked.text).toContain("needs the role admin");
    expect((await give("cancel", { id: "r3" })).text).toMatch(/cancelled|finished/);
    expect((await give("cancel", { id: "r3" })).text).toMatch(/already/);
  });

  it("env request designs an environment to a brief, and asks for the brief in a form if it was not given", async () => {
    const answer = await give("env request", { brief: "a game about tides", plays: 1, seed: 2 });
    expect(answer.text).toContain("r4");
    await ended("r4");
    const asked = await ada.command(channel, "env request", {}, { wait: "acknowledged" });
    expect(asked.modal?.fields.map(({ label }) => label)).toEqual(["Brief", "Document"]);
    expect(asked.modal?.title).toBe("Ask for an environment");
  });

  it("watch add and watch remove", async () => {
    expect((await give("watch add", { events: "round-finished" })).text.length).toBeGreaterThan(5);
    const listed = await give("watch list");
    expect(listed.text).toMatch(/round-finished +this channel +at any/);
    expect(listed.text).toContain("Stop w1");
    expect((await give("watch add", { events: "round-finished", quiet: "25-99" })).text).toContain(
      "it takes two hours from 0 to 23, e.g. 22-7",
    );
    expect((await give("watch remove", { id: "w1" })).text).toContain("in this channel");
  });

  it("campaign runs in the background, and is shown, paused, taken up and stopped", async () => {
    const options = { rounds: 30, envs: 1, plays: 1, every: 2, "evaluate-every": 0, seed: 4 };
    expect((await give("campaign start", options)).text).toContain("c1");
    expect((await give("campaign list")).text).toContain("c1");
    expect((await give("campaign status", { id: "c1" })).text).toContain("30");
    expect((await give("campaign pause", { id: "c1" })).text).toContain("paused");
    expect((await give("campaign resume", { id: "c1" })).text).toContain("c1");
    expect((await give("campaign stop", { id: "c1" })).text).toContain("stopped");
    expect((await give("campaign stop", { id: "c1" })).text).toContain("already");
  });

  it("policy lists, shows, compares and rolls back versions", async () => {
    // Two versions, whatever the campaign came to.
    const { store } = lab.services();
    const newest = await store.policies.latest("embedded");
    if (newest === null) throw new Error("there is no version");
    const text = await store.texts.get(newest.weightsId);
    const weights = policyWeights.parse(JSON.parse(text));
    const [first = 0, ...others] = weights.agent.bias;
    const bias = [first + 1, ...others];
    const changed = { ...weights, agent: { ...weights.agent, bias } };
    await store.policies.insert({
      version: "embedded-changed",
      parent: newest.version,
      provider: "embedded",
      weightsId: await store.texts.put(serialiseWeights(changed)),
      note: "changed by a test",
      createdAt: 1,
    });
    expect((await give("policy list")).text).toContain("embedded-changed");
    expect((await give("policy show", { version: newest.version })).text).toContain(newest.version);
    const both = { a: newest.version, b: "embedded-changed", evaluations: 2 };
    expect((await give("policy compare", both)).text).toContain("embedded-changed");
    expect((await give("policy rollback", { version: newest.version })).text).toContain(newest.version);
  });

  it("export writes into the lab's own folder and says where", async () => {
    const answer = await give("export", { format: "episodes", name: "everything" });
    expect(answer.text).toContain("exports/everything");
    expect(answer.text).not.toContain(lab.services().config.dataDir);
  });

  it("leave none out", () => {
    const registered = commands.filter((command) => isOffered(command, "discord")).map(({ name }) => name);
    expect(registered.filter((name) => !given.has(name))).toEqual([]);
  });
});
