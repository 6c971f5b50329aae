/** `export` as people give it: on the command line into a directory of theirs, in chat into the lab's own folder. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Caller } from "../../bot/caller.ts";
import type { Answer, CommandContext } from "../../bot/commands/command.ts";
import { exportEpisodes } from "../../bot/commands/export.ts";
import type { RawOptions } from "../../bot/commands/option.ts";
import { anEnvironment, aRound } from "../contract/store-records.ts";
import { errorDocument } from "../support/command-line.ts";
import { aPlay, fillStore } from "../support/export-store.ts";
import { runInside } from "../support/inside.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { silent, type TestServices, testServices } from "../support/services.ts";

let directory: string;
let dataDir: string;
let services: TestServices;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "spadework-bot-export-"));
  dataDir = join(directory, "data");
  services = await testServices({ model: scriptedModel(), dataDir });
  await fillStore(services.store, { rounds: 1, environments: 2, plays: 4, characters: 200 });
});

afterEach(async () => {
  await services.close();
  rmSync(directory, { recursive: true });
});

const inChat: Caller = { id: "1", name: "ada", role: "admin", surface: "discord" };

function give(options: RawOptions, caller: Caller = inChat): Promise<Answer> {
  const context: CommandContext = {
    config: async () => services.config,
    services: async () => services,
    log: silent,
    drainable: () => new AbortController().signal,
    dialog: null,
    team: null,
    place: null,
  };
  return exportEpisodes.run(options, caller, context);
}

describe("in chat", () => {
  test("it writes below the lab's exports, and answers with the card and the files", async () => {
    const { card, exit } = await give({ format: "trl-sft", name: "for-ada" });
    expect(exit).toBeUndefined();
    expect(readdirSync(join(dataDir, "exports", "for-ada")).sort()).toEqual([
      "README.md",
      "card.json",
      "data-00001.jsonl",
      "index.jsonl",
    ]);
    expect(card.title).toBe("Export trl-sft: 8 rows");
    expect(card.files.map(({ name }) => name)).toEqual(["data-00001.jsonl", "README.md"]);
    expect(card.files[0]?.text.trim().split("\n")).toHaveLength(8);
    const shown = JSON.stringify(card.blocks);
    expect(shown).toContain("exports/for-ada in the lab's data directory");
    expect(shown).not.toContain(directory);
    const { items } = await services.store.audit.list({ limit: 5 });
    expect(items[0]).toMatchObject({ who: "ada", what: "export", detail: "8 rows" });
  });

  test("the same export of the same data has the same folder, that of other data another", async () => {
    const asked = { format: "trl-kto" };
    await give(asked);
    const [first] = readdirSync(join(dataDir, "exports"));
    expect((await give(asked)).card.blocks[0]).toMatchObject({
      text: expect.stringContaining("there already"),
    });
    expect(readdirSync(join(dataDir, "exports"))).toEqual([first]);
    await give({ ...asked, minReturn: "1" });
    expect(readdirSync(join(dataDir, "exports"))).toHaveLength(2);
  });

  test("large files stay where they are", async () => {
    await services.store.rounds.insert(aRound({ id: "r2", status: "finished" }));
    await services.store.environments.insert(anEnvironment({ id: "r2-1" }));
    await services.store.episodes.insertWithTranscripts([
      aPlay({ roundId: "r2", environmentId: "r2-1" }, ["on and on ".repeat(500_000)]),
    ]);
    const { card } = await give({ format: "trl-sft", rounds: ["r2"] });
    expect(card.files).toEqual([]);
    expect(JSON.stringify(card.blocks)).toContain("exports/trl-sft-");
  });

  test.each([
    [{ out: "/tmp/anywhere" }],
    [{ name: "../../etc" }],
    [{ name: "a/b" }],
    [{ name: "/tmp/x" }],
    [{ name: ".hidden" }],
  ])("no path gets out of that folder: %j", async (options) => {
    await expect(give({ format: "trl-sft", ...options })).rejects.toMatchObject({ code: "input.bad-option" });
    expect(existsSync(join(dataDir, "exports"))).toBe(false);
  });

  test("it takes an admin", async () => {
    await expect(give({ format: "trl-sft" }, { ...inChat, role: "researcher" })).rejects.toMatchObject({
      code: "input.not-allowed",
    });
  });
});

describe("on the command line", () => {
  const json = z.looseObject({ state: z.string(), rows: z.number() });
  const run = (...words: string[]) => runInside(["export", ...words, "--json", "--data", dataDir]);

  test("it writes where it is told to, rounds with commas or spaces between them", async () => {
    const out = join(directory, "out");
    const { code, stdout } = await run(
      "--format",
      "trl-dpo",
      "--out",
      out,
      "--rounds",
      "r1,r1",
      "--min-return",
      "-0.5",
    );
    expect(code).toBe(0);
    expect(json.parse(JSON.parse(stdout))).toMatchObject({ state: "written", directory: out, rows: 4 });
    expect(existsSync(join(out, "card.json"))).toBe(true);
  });

  test("nothing to export ends with 3 and says why", async () => {
    const { code, stdout } = await run("--format", "tokens", "--out", join(directory, "out"));
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toEqual({
      state: "empty",
      rows: 0,
      leftOut: { "no-tokens": 8 },
      unfinishedRounds: [],
    });
    const shown = await runInside(["export", "--format", "tokens", "--data", dataDir]);
    expect(shown.stdout).toContain("hold no sampled tokens");
  });

  test.each([
    [["--format", "trl-sft", "--rounds", "r7"], "input.not-found"],
    [["--format", "sft"], "input.bad-option"],
    [["--format", "trl-sft", "--arm", "hinted"], "input.bad-option"],
    [["--format", "trl-sft", "--min-return", "2"], "input.bad-option"],
    [["--format", "trl-sft", "--per", "turn"], "input.bad-option"],
    [["--format", "tokens", "--hint", "drop"], "input.bad-option"],
    [["--format", "verifiers", "--shard-mb", "1"], "input.bad-option"],
    [[], "input.bad-option"],
  ])("%j ends with 2", async (words, expected) => {
    const { code, stdout } = await run(...words, "--out", join(directory, "none"));
    expect(code).toBe(2);
    expect(errorDocument.parse(JSON.parse(stdout)).error.code).toBe(expected);
    expect(existsSync(join(directory, "none"))).toBe(false);
  });
});
