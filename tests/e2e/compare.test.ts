import { fork } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type ComparisonProgress, conduct } from "../../bot/comparison/conduct.ts";
import { comparisonFiles } from "../../bot/comparison/files.ts";
import { writeResults } from "../../bot/comparison/write.ts";
import { runsOf } from "../../graph/comparison/arms.ts";
import type { RunOutcome } from "../../graph/comparison/lab.ts";
import { comparisonResult } from "../../graph/comparison/result.ts";

const sizes = { rounds: 2, envs: 2, plays: 3, hintedPlays: 1, evaluateEvery: 2, evaluations: 2 };
const runs = runsOf(["full", "fixed-pool"], [1], sizes);

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), "spadework-compare-"));
  directories.push(made);
  return made;
}

async function compared(
  dataDir: string,
  options: {
    readonly drain?: AbortSignal;
    readonly onProgress?: (progress: ComparisonProgress) => void;
  } = {},
): Promise<readonly RunOutcome[] | null> {
  return conduct(runs, {
    files: comparisonFiles(dataDir, sizes),
    sizes,
    workers: 2,
    drain: options.drain ?? new AbortController().signal,
    onProgress: options.onProgress ?? (() => {}),
  });
}

const withoutTimes = (outcomes: readonly RunOutcome[] | null) =>
  outcomes?.map(({ wallMs: _, ...outcome }) => outcome);

describe("a comparison", () => {
  it("goes on after it was stopped, and after a worker was killed, to the outcomes of one that was not", async () => {
    const whole = directory();
    const seen: ComparisonProgress[] = [];
    const expected = await compared(whole, { onProgress: (progress) => seen.push(progress) });
    expect(expected?.map(({ arm }) => arm)).toEqual(["full", ...Array(runs.length - 1).fill("fixed-pool")]);
    expect(expected?.every(({ episodes, updates }) => episodes === 12 && updates === 2)).toBe(true);
    expect(seen.at(-1)).toMatchObject({
      done: 2 * runs.length,
      total: 2 * runs.length,
      runsDone: runs.length,
    });
    // The labs are gone, the outcomes stay.
    const files = comparisonFiles(whole, sizes);
    expect(readdirSync(join(files.dir, "labs"))).toEqual([]);

    const stopped = directory();
    const drain = new AbortController();
    const first = await compared(stopped, {
      drain: drain.signal,
      onProgress: ({ done }) => {
        if (done >= 1) drain.abort();
      },
    });
    expect(first).toBeNull();
    // What a killed worker leaves behind is a lab in the midst of its campaign.
    await killedWorker(stopped);
    expect(withoutTimes(await compared(stopped))).toEqual(withoutTimes(expected));

    const again: ComparisonProgress[] = [];
    expect(await compared(stopped, { onProgress: (progress) => again.push(progress) })).not.toBeNull();
    expect(again).toHaveLength(1);

    const out = directory();
    const written = await writeResults(
      out,
      {
        result: comparisonResult(expected ?? [], sizes.rounds),
        sizes,
        command: "bin/spadework compare",
        workMs: 1,
        workers: 2,
      },
      expected ?? [],
    );
    expect(written.every((path) => existsSync(path))).toBe(true);
    expect(readFileSync(join(out, "results.md"), "utf8")).toContain("| full |");
    const lines = readFileSync(join(out, "results-runs.jsonl"), "utf8").trim().split("\n");
    expect(lines).toHaveLength(runs.length);
  }, 180_000);
});

/** Starts a worker on the first run that is not finished, and kills it at its first sign of life. */
async function killedWorker(dataDir: string): Promise<void> {
  const files = comparisonFiles(dataDir, sizes);
  const run = runs.find((one) => files.read(one) === null);
  if (run === undefined) return;
  const child = fork(
    new URL("../../bot/comparison/worker.ts", import.meta.url),
    [JSON.stringify({ dir: files.lab(run), run, sizes })],
    { stdio: ["ignore", "ignore", "ignore", "ipc"] },
  );
  await new Promise((resolve) => {
    child.once("message", resolve);
    child.once("exit", resolve);
  });
  child.kill("SIGKILL");
  await new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(null);
    else child.once("exit", resolve);
  });
}
