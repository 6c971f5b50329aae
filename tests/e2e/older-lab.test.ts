/** A lab that an older version left behind: it is opened, read, and its interrupted round goes on. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { start } from "../support/command-line.ts";

const packed = new URL("../support/labs/version-1.db.gz", import.meta.url);

test("a database of the first version is brought up to date, and its round is finished", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "spadework-"));
  writeFileSync(join(dataDir, "spadework.db"), gunzipSync(readFileSync(packed)));
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await start([...words, "--json", "--data", dataDir]).ended;
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  expect(await json("rounds")).toMatchObject({ rounds: [{ roundId: "r1", status: "failed" }] });
  const finished = await json("resume", "r1");
  expect(finished).toMatchObject({ roundId: "r1", seed: 6, status: "finished" });
  expect((await json("status")).lab.rounds).toBe(1);
  rmSync(dataDir, { recursive: true });
});
