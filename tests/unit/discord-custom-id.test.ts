import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Meaning, readId, writeId } from "../../bot/discord/custom-id.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { nastyText } from "../support/nasty-texts.ts";
import { silent } from "../support/services.ts";

let folder: string;
let store: Store;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "spadework-"));
  store = await openStore({ dataDir: folder, log: silent });
});

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const meanings: readonly Meaning[] = [
  { kind: "press", command: "status", options: {}, ask: [] },
  { kind: "press", command: "env play", options: { id: "r1-1", seed: 7, shared: true }, ask: [] },
  { kind: "press", command: "reject", options: { id: "r1-1" }, ask: ["reason"] },
  { kind: "form", command: "hint add", options: { id: "r12-3" }, ask: ["text"] },
  { kind: "form", command: "env request", options: { brief: "x".repeat(4_000) }, ask: ["document"] },
];

describe("a custom_id", () => {
  it.each(meanings)("keeps what $kind $command stands for", async (meaning) => {
    const id = await writeId(meaning, store.texts);
    expect(id.length).toBeGreaterThan(0);
    expect(id.length).toBeLessThanOrEqual(100);
    expect(await readId(id, store.texts)).toEqual(meaning);
  });

  it("keeps 200 nasty actions, each in 100 well-formed characters", async () => {
    for (let number = 1; number <= 200; number += 1) {
      const action = nastyText(number).slice(0, 500);
      const meaning: Meaning = { kind: "press", command: "play step", options: { action }, ask: [] };
      const id = await writeId(meaning, store.texts);
      expect(id.length).toBeLessThanOrEqual(100);
      expect(id.isWellFormed()).toBe(true);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
      expect(id).not.toMatch(/[\u0000-\u001f]/);
      expect((await readId(id, store.texts)).options).toEqual({ action });
    }
  });

  it("needs no memory where it fits: another store reads it", async () => {
    const id = await writeId(
      { kind: "press", command: "cancel", options: { id: "r1" }, ask: [] },
      store.texts,
    );
    const empty = {
      put: () => Promise.reject(new Error("put")),
      get: () => Promise.reject(new Error("get")),
    };
    expect(await readId(id, empty)).toMatchObject({ command: "cancel", options: { id: "r1" } });
  });

  it.each([
    ["short", {}],
    ["long", { text: "y".repeat(300) }],
  ])("tells %s buttons that do the same apart", async (_, options) => {
    const meaning: Meaning = { kind: "press", command: "round", options, ask: [] };
    const ids = await Promise.all([0, 1, 2].map((among) => writeId(meaning, store.texts, among)));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(await readId(id, store.texts)).toEqual(meaning);
  });

  it.each([
    "",
    "p",
    "x",
    "pnull",
    "p{}",
    'p["cancel"]',
    'p["",{},[],0]',
    'p["cancel",{"id":{"a":1}},[],0]',
    'p["cancel",{"id":["r1"]},[],0]',
    'p["cancel",{"id":null},[],0]',
    'p["cancel",{},["a",1],0]',
    'p["cancel",{},[],-1]',
    'p["cancel",{},[],0,"more"]',
    'q["cancel",{},[],0]',
    "p[".repeat(49),
    `p${'["cancel",{"id":"'}${"x".repeat(200)}"},[],0]`,
  ])("that the lab did not write is refused: %s", async (id) => {
    await expect(readId(id, store.texts)).rejects.toMatchObject({ code: "input.bad-option" });
  });

  it("whose text is not kept any more is gone", async () => {
    await expect(readId(`p${"0".repeat(64)}`, store.texts)).rejects.toMatchObject({ code: "chat.gone" });
  });

  it("that names some other text of the lab is refused", async () => {
    const source = await store.texts.put("class VaultDialEnv {}");
    await expect(readId(`p${source}`, store.texts)).rejects.toMatchObject({ code: "input.bad-option" });
  });
});
