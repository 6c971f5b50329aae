/** Completion through the real client: what is offered for each kind of option, newest first, in time. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { EnvironmentRecord } from "../../store/records.ts";
import type { Person } from "../support/discord/people.ts";
import { type DiscordLab, openDiscordLab } from "../support/discord-lab.ts";

const sourcePath = new URL("../support/environments/good/vault-dial.js", import.meta.url);

let lab: DiscordLab;
let ada: Person;
let channel: string;

const values = async (command: string, options: Record<string, string>, focused?: string) => {
  const act = focused === undefined ? {} : { focused };
  const answer = await ada.autocomplete(channel, command, options, act);
  return (answer.choices ?? []).map(({ value }) => value);
};

beforeAll(async () => {
  lab = await openDiscordLab();
  ada = lab.discord.user("ada");
  channel = lab.discord.channelId("lab");
  const file = { name: "vault-dial.js", content: readFileSync(sourcePath, "utf8") };
  await ada.command(channel, "env admit", { file }, { timeoutMs: 60_000 });
  const { store } = lab.services();
  const admitted = await store.environments.get("f1");
  if (admitted === null) throw new Error("f1 is missing");
  for (let number = 2; number <= 40; number += 1) {
    const record: EnvironmentRecord = {
      ...admitted,
      id: `f${number}`,
      name: number === 7 ? "TideTable\u202e" : `Dial${number}`,
      createdAt: admitted.createdAt + number,
    };
    await store.environments.insert(record);
  }
  const notes = { name: "notes.md", content: "# Tides and harbours\n\nThe moon moves the sea.\n" };
  await ada.command(channel, "doc add", { file: notes });
  await ada.command(channel, "env measure", { id: "f1", plays: 1, seed: 1 });
  await vi.waitFor(async () => expect((await store.rounds.get("r1"))?.status).toBe("finished"), {
    timeout: 60_000,
    interval: 100,
  });
});

afterAll(() => lab.close());

describe("completion", () => {
  it("offers environments newest first, at most 25, and finds them by id and name", async () => {
    const all = await values("env show", { id: "" });
    expect(all).toHaveLength(25);
    expect(all.slice(0, 3)).toEqual(["f40", "f39", "f38"]);
    expect(await values("env show", { id: "tidet" })).toEqual(["f7"]);
    expect((await values("env show", { id: "f3" }))[0]).toBe("f39");
    expect(await values("env show", { id: "nothing like it" })).toEqual([]);
  });

  it("shows names that can't steer what is read", async () => {
    const answer = await ada.autocomplete(channel, "env show", { id: "f7" });
    expect(answer.choices?.map(({ name }) => name).join()).not.toContain("\u202e");
  });

  it("completes the last of several, and keeps the ones before", async () => {
    expect(await values("round", { pool: "f1, tidet" })).toEqual(["f1, f7"]);
    expect((await values("watch add", { events: "round-finished, round-f" }))[0]).toMatch(
      /^round-finished, round-f/,
    );
  });

  it("offers rounds, episodes, documents, models and long lists of choices", async () => {
    expect(await values("episodes", { id: "" })).toEqual(["r1"]);
    const episodes = await values("episode", { id: "r1." });
    expect(episodes.length).toBeGreaterThan(0);
    expect(episodes[0]).toMatch(/^r1\.f1\./);
    expect(await values("doc show", { id: "harbours" })).toHaveLength(1);
    expect(await values("round", { model: "emb" })).toEqual(["embedded"]);
    expect(await values("help", { command: "env pl" })).toEqual(["env play"]);
  });

  it("stays empty when the store does not answer, and never leaves a person waiting", async () => {
    const { store } = lab.services();
    const broken = vi.spyOn(store.environments, "list").mockRejectedValueOnce(new Error("no store"));
    expect(await values("env show", { id: "f" })).toEqual([]);
    broken.mockRestore();
  });
});
