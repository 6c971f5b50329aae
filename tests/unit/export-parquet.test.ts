/** Parquet files hold the rows that the JSON lines would hold, as another reader of the format sees them. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AskedExport, settleOptions } from "../../graph/export/options.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { anEnvironment, aRound } from "../contract/store-records.ts";
import { aPlay, fillStore } from "../support/export-store.ts";
import { exportInto, filesOf, linesOf } from "../support/exports.ts";
import { silent } from "../support/services.ts";

let directory: string;
let store: Store;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "spadework-parquet-"));
  store = await openStore({ dataDir: join(directory, "data"), log: silent });
});

afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

async function tableRows(out: string): Promise<unknown[]> {
  const names = readdirSync(out)
    .filter((name) => name.endsWith(".parquet"))
    .sort();
  expect(names.length).toBeGreaterThan(0);
  const rows = await Promise.all(
    names.map(async (name) => parquetReadObjects({ file: await asyncBufferFromFile(join(out, name)) })),
  );
  return rows.flat();
}

async function both(asked: AskedExport): Promise<{ readonly lines: unknown[]; readonly table: unknown[] }> {
  const [lines, table] = [join(directory, `${asked.format}-lines`), join(directory, `${asked.format}-table`)];
  await exportInto({ store }, lines, asked);
  await exportInto({ store }, table, { ...asked, parquet: true });
  return {
    lines: readdirSync(lines)
      .filter((name) => name.startsWith("data-"))
      .sort()
      .flatMap((name) => linesOf(join(lines, name))),
    table: await tableRows(table),
  };
}

test.each(["trl-sft", "trl-dpo", "trl-kto"] as const)(
  "%s: the same rows, over several files",
  async (format) => {
    await fillStore(store, { rounds: 2, environments: 3, plays: 4, characters: 2_000 });
    const { lines, table } = await both({ format, shardMb: 0.02 });
    expect(lines.length).toBeGreaterThan(8);
    expect(table).toEqual(lines);
  },
);

test("tokens: lists of numbers, and the provenance as JSON", async () => {
  await store.rounds.insert(aRound({ id: "r1", status: "finished" }));
  await store.environments.insert(anEnvironment({ id: "r1-1" }));
  await store.episodes.insertWithTranscripts(
    [0, 1].map((index) =>
      aPlay(
        { roundId: "r1", environmentId: "r1-1", index, return: index },
        ["a"],
        [{ prompt: [151_644, 8], sampled: [9, 10], logprobs: [-0.125, -1e-7] }],
      ),
    ),
  );
  const { lines, table } = await both({ format: "tokens" });
  expect(lines).toHaveLength(2);
  const parsed = table.map((row) => {
    if (typeof row !== "object" || row === null || !("metadata" in row))
      throw new Error("a row has metadata");
    return { ...row, metadata: JSON.parse(String(row.metadata)) as unknown };
  });
  expect(parsed).toEqual(lines);
});

test("an export that was stopped ends with the files of one that was not, and leaves no lines behind", async () => {
  await fillStore(store, { rounds: 2, environments: 3, plays: 4, characters: 2_000 });
  const asked = { format: "trl-sft", shardMb: 0.02, parquet: true } as const;
  const [whole, broken] = [join(directory, "whole"), join(directory, "broken")];
  await exportInto({ store }, whole, asked);
  let stops = 0;
  for (let state = ""; state !== "written" && stops < 50; ) {
    try {
      ({ state } = await exportInto({ store }, broken, asked, { signal: AbortSignal.abort() }));
    } catch (error) {
      expect(error).toMatchObject({ code: "input.interrupted" });
      stops += 1;
    }
  }
  expect(stops).toBe(6);
  expect(filesOf(broken)).toEqual(filesOf(whole));
  expect(readdirSync(broken).filter((name) => name.endsWith(".parquet")).length).toBeGreaterThan(2);
  expect(readdirSync(broken).filter((name) => /^data-.*jsonl/.test(name))).toEqual([]);
});

test("formats whose rows are no table are refused", () => {
  for (const format of ["openai-dpo", "verifiers", "episodes"] as const) {
    expect(() => settleOptions({ format, parquet: true })).toThrow(/The option parquet is for/);
  }
});
