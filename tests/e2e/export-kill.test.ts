/** An export whose process is killed again and again ends with the files of one that was left alone, to the byte. */
import { spawn } from "node:child_process";
import { once } from "node:events";
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
/** Kills of each export that must strike it at work, between its first moment and its last. */
const kills = 5;
const filling = { rounds: 4, environments: 4, plays: 8, characters: 3_000 };
const shardMb = 0.1;

test.each(["trl-sft", "trl-dpo"] as const)(
  "%s, killed in its midst",
  { timeout: 120_000 },
  async (format) => {
    const directory = await mkdtemp(join(tmpdir(), "spadework-export-kill-"));
    const [dataDir, whole, broken] = ["data", "whole", "broken"].map((name) => join(directory, name));
    if (dataDir === undefined || whole === undefined || broken === undefined) throw new Error("three names");
    const store = await openStore({ dataDir, log: silent });
    await fillStore(store, filling);
    const started = performance.now();
    expect((await exportInto({ store }, whole, { format, shardMb })).state).toBe("written");
    const tookMs = performance.now() - started;
    await store.close();

    const random = keyedRandom("export-kill", format);
    let killed = 0;
    let alive = true;
    while (alive) {
      // Each life is a part of what the whole takes, so that several are needed.
      const lifeMs = killed < kills ? (tookMs / kills) * (0.5 + random.next()) : null;
      alive = await killedAfter([dataDir, format, broken, "40000", String(shardMb)], lifeMs);
      if (alive) killed += 1;
    }
    expect(killed).toBeGreaterThan(1);
    expect(filesOf(broken)).toEqual(filesOf(whole));
    const index = linesOf(join(broken, "index.jsonl"));
    expect(new Set(index.map((line) => JSON.stringify(line))).size).toBe(index.length);
    await rm(directory, { recursive: true });
  },
);

/** Lets a process work on the export; true if it was killed, false if it got done. */
async function killedAfter(parameters: readonly string[], lifeMs: number | null): Promise<boolean> {
  const worker = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", child, ...parameters], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "spadework-compile-cache") },
  });
  let said = "";
  let timer: NodeJS.Timeout | undefined;
  worker.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    // Its life begins when it has loaded what it needs.
    if (lifeMs !== null) timer ??= setTimeout(() => worker.kill("SIGKILL"), lifeMs);
  });
  const [code, signal] = await once(worker, "exit");
  clearTimeout(timer);
  if (signal === "SIGKILL") return true;
  expect({ code, said }).toEqual({ code: 0, said: expect.stringMatching(/^ready\n(written|was-there)\n$/) });
  return false;
}
