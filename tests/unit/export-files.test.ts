/** The files of an export: shards, what lies in a directory already, what stops an export, and a selection without rows. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { aDocument, anEnvironment, aRound } from "../contract/store-records.ts";
import { aPlay, fillStore } from "../support/export-store.ts";
import { exported, exportInto, filesOf, linesOf } from "../support/exports.ts";
import { silent } from "../support/services.ts";

let directory: string;
let store: Store;
let lab: { readonly store: Store };
let out: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "spadework-exports-"));
  store = await openStore({ dataDir: join(directory, "data"), log: silent });
  lab = { store };
  out = join(directory, "out");
});

afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const filling = { rounds: 3, environments: 3, plays: 6, characters: 2_000 };
const row = z.looseObject({});

/** Plays of which each is larger than a quarter of a megabyte, and small in the store. */
async function putLong(plays: number): Promise<void> {
  await store.rounds.insert(aRound({ id: "r1", status: "finished" }));
  await store.environments.insert(anEnvironment({ id: "r1-1" }));
  await store.episodes.insertWithTranscripts(
    Array.from({ length: plays }, (_, index) =>
      aPlay({ roundId: "r1", environmentId: "r1-1", index }, ["on and on ".repeat(30_000)]),
    ),
  );
}

test("rows go into shards of the size that was asked for, in order, and the index finds each of them", async () => {
  await fillStore(store, filling);
  const made = await exported(lab, row, { format: "trl-sft", shardMb: 0.02 });
  if (made.outcome.state === "empty") throw new Error("there are rows");
  const { files, rows } = made.outcome.card;
  expect(files.length).toBeGreaterThan(5);
  expect(files.reduce((sum, file) => sum + file.rows, 0)).toBe(rows);
  for (const { name, bytes } of files) {
    expect(bytes).toBeLessThanOrEqual(20_000);
    expect(Buffer.byteLength(made.files[name] ?? "")).toBe(bytes);
  }
  for (const { file, line, episodes } of made.index) {
    const [at] = episodes;
    const found = z
      .looseObject({ messages: z.array(z.looseObject({ content: z.string() })) })
      .parse(JSON.parse(made.files[file]?.split("\n")[line - 1] ?? ""));
    expect(found.messages[2]?.content).toContain(
      `turn of ${at?.roundId.slice(1)}.${Number(at?.environmentId.split("-")[1]) - 1}.${at?.index} `,
    );
  }
});

test("a row that is larger than a shard stands alone and whole", async () => {
  await putLong(2);
  const made = await exported(lab, row, { format: "trl-sft", shardMb: 0.1 });
  expect(made.rows).toHaveLength(2);
  expect(Object.keys(made.files)).toContain("data-00002.jsonl");
});

test("the same data and options give the same files to the byte, whatever they are written into", async () => {
  await fillStore(store, filling);
  const asked = { format: "trl-kto", shardMb: 0.02 } as const;
  const [one, other] = [await exported(lab, row, asked), await exported(lab, row, asked)];
  expect(one.files).toEqual(other.files);
});

describe("a directory that holds something", () => {
  test("the same export: it is told that it is there, and nothing is written", async () => {
    await fillStore(store, filling);
    expect((await exportInto(lab, out, { format: "trl-sft" })).state).toBe("written");
    const before = filesOf(out);
    expect((await exportInto(lab, out, { format: "trl-sft" })).state).toBe("was-there");
    expect(filesOf(out)).toEqual(before);
  });

  test("an export with other options, finished or not, stays as it is", async () => {
    await fillStore(store, filling);
    await exportInto(lab, out, { format: "trl-sft" });
    const before = filesOf(out);
    for (const asked of [{ format: "trl-kto" }, { format: "trl-sft", minReturn: 0 }] as const) {
      await expect(exportInto(lab, out, asked)).rejects.toMatchObject({ code: "input.occupied" });
    }
    expect(filesOf(out)).toEqual(before);
    const stopped = join(directory, "stopped");
    await expect(
      exportInto(lab, stopped, { format: "trl-sft" }, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: "input.interrupted" });
    await expect(exportInto(lab, stopped, { format: "trl-kto" })).rejects.toMatchObject({
      code: "input.occupied",
    });
  });

  test("files of somebody else's stay as they are", async () => {
    await fillStore(store, filling);
    await exportInto(lab, out, { format: "trl-sft" });
    const theirs = join(directory, "theirs");
    await exportInto(lab, theirs, { format: "trl-kto" });
    for (const name of readdirSync(theirs)) rmSync(join(theirs, name));
    writeFileSync(join(theirs, "card.json"), "{}");
    await expect(exportInto(lab, theirs, { format: "trl-sft" })).rejects.toMatchObject({
      code: "input.occupied",
    });
    expect(filesOf(theirs)).toEqual({ "card.json": "{}" });
  });
});

describe("an export that was stopped", () => {
  test("goes on where it was, and ends with the files of one that was not", async () => {
    await fillStore(store, filling);
    const asked = { format: "trl-dpo", shardMb: 0.02 } as const;
    let stops = 0;
    for (let state = ""; state !== "written" && stops < 50; ) {
      try {
        ({ state } = await exportInto(lab, out, asked, { signal: AbortSignal.abort() }));
      } catch (error) {
        expect(error).toMatchObject({ code: "input.interrupted" });
        stops += 1;
      }
    }
    expect(stops).toBe(filling.rounds * filling.environments);
    expect(filesOf(out)).toEqual((await exported(lab, row, asked)).files);
  });

  test("does not see rounds that ended in the meantime", async () => {
    await fillStore(store, filling);
    const asked = { format: "trl-sft" } as const;
    const unbroken = await exported(lab, row, asked);
    await expect(exportInto(lab, out, asked, { signal: AbortSignal.abort() })).rejects.toThrow();
    await store.rounds.insert(aRound({ id: "r9", status: "finished", startedAt: 9 }));
    await store.environments.insert(anEnvironment({ id: "r9-1", roundId: "r9" }));
    await store.episodes.insertWithTranscripts([
      aPlay({ roundId: "r9", environmentId: "r9-1", index: 0 }, ["later"]),
    ]);
    await exportInto(lab, out, asked);
    expect(filesOf(out)).toEqual(unbroken.files);
  });

  test("refuses to go on when one of its rounds has changed", async () => {
    await fillStore(store, filling);
    await expect(
      exportInto(lab, out, { format: "trl-sft" }, { signal: AbortSignal.abort() }),
    ).rejects.toThrow();
    await store.episodes.insertWithTranscripts([
      aPlay({ roundId: "r3", environmentId: "r3-1", index: 99 }, ["later"]),
    ]);
    await expect(exportInto(lab, out, { format: "trl-sft" })).rejects.toMatchObject({
      code: "input.occupied",
      message: expect.stringContaining("r3 is not what it was"),
    });
  });

  test("begins anew when its files were taken away", async () => {
    await fillStore(store, filling);
    const asked = { format: "trl-sft", shardMb: 0.02 } as const;
    await expect(exportInto(lab, out, asked, { signal: AbortSignal.abort() })).rejects.toThrow();
    for (const name of readdirSync(out).filter((one) => one.startsWith("data-"))) rmSync(join(out, name));
    await exportInto(lab, out, asked);
    expect(filesOf(out)).toEqual((await exported(lab, row, asked)).files);
  });

  test("is left to the process that is at it", async () => {
    await fillStore(store, filling);
    const results = await Promise.allSettled(
      [1, 2].map(() => exportInto(lab, out, { format: "trl-sft" }, { markBytes: 1 })),
    );
    const refused = results.filter((one) => one.status === "rejected");
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reason).toMatchObject({ code: "input.conflict" });
    expect(linesOf(join(out, "data-00001.jsonl"))).toHaveLength(54);
  });
});

describe("what can't be exported", () => {
  test("a round that is none, or is not over", async () => {
    await fillStore(store, { ...filling, rounds: 1 });
    await store.rounds.insert(aRound({ id: "r2", status: "running" }));
    const asking = (rounds: string[]) => exportInto(lab, out, { format: "trl-sft", rounds });
    await expect(asking(["r7"])).rejects.toMatchObject({ code: "input.not-found", exit: 2 });
    await expect(asking(["r2"])).rejects.toMatchObject({ code: "input.conflict" });
    expect(existsSync(out)).toBe(false);
    const made = await exported(lab, row, { format: "trl-sft" });
    expect(made.outcome).toMatchObject({ card: { unfinishedRounds: ["r2"], rounds: ["r1"] } });
  });

  test("a selection without rows leaves nothing behind", async () => {
    await fillStore(store, filling);
    const outcome = await exportInto(lab, out, {
      format: "trl-sft",
      minReturn: 1,
      rounds: ["r1"],
      arms: ["human"],
    });
    expect(outcome).toEqual({ state: "empty", leftOut: {}, unfinished: [] });
    expect(existsSync(out)).toBe(false);
    expect((await exportInto(lab, join(directory, "none"), { format: "tokens" })).state).toBe("empty");
  });

  test("into a directory that can't be made", async () => {
    await fillStore(store, filling);
    writeFileSync(join(directory, "file"), "");
    await expect(
      exportInto(lab, join(directory, "file", "out"), { format: "trl-sft" }),
    ).rejects.toMatchObject({ code: "input.unwritable", exit: 2 });
  });

  test("onto a full disk: it says so, and goes on once there is space", async () => {
    await putLong(8);
    const child = join(import.meta.dirname, "../support/export-child.ts");
    const parameters = [join(directory, "data"), "trl-sft", out, "100000", "50"];
    const words = [process.execPath, "--disable-warning=ExperimentalWarning", child, ...parameters];
    // A file may not grow beyond 1 MB, as on a disk with no more space.
    const full = spawnSync("bash", ["-c", 'ulimit -f 1024; exec "$@"', "bash", ...words], {
      encoding: "utf8",
    });
    expect(full.stderr).toContain('The export "out" can\'t be written (EFBIG).');
    expect(readdirSync(out)).not.toContain("card.json");
    const asked = { format: "trl-sft", shardMb: 50 } as const;
    expect((await exportInto(lab, out, asked)).state).toBe("written");
    expect(filesOf(out)).toEqual((await exported(lab, row, asked)).files);
  });
});

test("the card names where the environments come from, a file by its name alone", async () => {
  const origins = { d1: "https://example.org/paper", d2: "/home/ada/secret/notes.md", d3: null };
  await store.rounds.insert(aRound({ id: "r1", status: "finished" }));
  for (const [id, origin] of Object.entries(origins)) {
    if (origin !== null) await store.documents.insert({ ...aDocument(id), origin });
    await store.environments.insert(anEnvironment({ id: `r1-${id}`, documentId: id }));
    await store.episodes.insertWithTranscripts([
      aPlay({ roundId: "r1", environmentId: `r1-${id}`, index: 0 }, ["x"]),
    ]);
  }
  const made = await exported(lab, row, { format: "trl-sft" });
  expect(made.outcome).toMatchObject({
    card: {
      documents: [
        { id: "d1", origin: "https://example.org/paper", licence: "unknown" },
        { id: "d2", origin: "notes.md", licence: "unknown" },
        { id: "d3", origin: "no longer in the corpus", licence: "unknown" },
      ],
    },
  });
  expect(made.files["README.md"]).toContain("| d2 | Document d2 | notes.md | unknown |");
  expect(JSON.stringify(made.files)).not.toContain("secret");
});
