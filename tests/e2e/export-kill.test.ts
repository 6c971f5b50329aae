/** An export whose process is killed again and again ends with the files of one that was left alone, to the byte. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keyedRandom } from "../../config/random.ts";
import { openStore } from "../../store/open.ts";
import { fillStore } from "../support/export-store.ts";
import { exportInto, filesOf, linesOf } from "../support/exports.ts";
import { silent } from "../support/services.ts";

const child = join(import.meta.dirname, "../support/export-child.ts");
/** Kills of each export: after so many transcripts at most, of the 128 that it reads. */
const kills = 4;
const mostReads = 40;
const markBytes = 20_000;
const filling = { rounds: 4, environments: 4, plays: 8, characters: 3_000 };
const shardMb = 0.1;

test.each(["trl-sft", "trl-dpo"] as const)(
  "%s, killed in its midst",
  { timeout: 300_000 },
  async (format) => {
    const directory = await mkdtemp(join(tmpdir(), "spadework-export-kill-"));
    const [dataDir, whole, broken] = ["data", "whole", "broken"].map((name) => join(directory, name));
    if (dataDir === undefined || whole === undefined || broken === undefined) throw new Error("three names");
    const store = await openStore({ dataDir, log: silent });
    await fillStore(store, filling);
    expect((await exportInto({ store }, whole, { format, shardMb })).state).toBe("written");
    await store.close();

    const random = keyedRandom("export-kill", format);
    const parameters = [dataDir, format, broken, String(markBytes), String(shardMb)];
    let killed = 0;
    let inItsMidst = 0;
    for (let alive = true; alive; ) {
      alive = await killedAfter(parameters, killed < kills ? 1 + random.below(mostReads) : null);
      if (!alive) continue;
      killed += 1;
      if (progressIn(broken)) inItsMidst += 1;
    }
    expect(inItsMidst).toBeGreaterThan(1);
    expect(filesOf(broken)).toEqual(filesOf(whole));
    const index = linesOf(join(broken, "index.jsonl"));
    expect(new Set(index.map((line) => JSON.stringify(line))).size).toBe(index.length);
    await rm(directory, { recursive: true });
  },
);

/** Whether a killed export has something that the next process can go on from, inside of a round. */
function progressIn(directory: string): boolean {
  const path = join(directory, "progress.json.partial");
  return existsSync(path) && !readFileSync(path, "utf8").includes('"environments":0,');
}

/** Lets a process work on the export; true if it was killed after so many reads, false if it got done. */
async function killedAfter(parameters: readonly string[], reads: number | null): Promise<boolean> {
  const worker = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", child, ...parameters], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "spadework-compile-cache") },
  });
  let said = "";
  worker.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (reads !== null && said.split(".").length > reads) worker.kill("SIGKILL");
  });
  const [code, signal] = await once(worker, "exit");
  if (signal === "SIGKILL") return true;
  expect({ code, said: said.replaceAll(".", "") }).toEqual({
    code: 0,
    said: expect.stringMatching(/^ready\n\n(written|was-there)\n$/),
  });
  return false;
}
