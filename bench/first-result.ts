/** From a fresh clone to the first result: `npm ci`, then a default round, with npm's cache warm. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import type { Row } from "./row.ts";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const result = z.object({ status: z.string(), totals: z.object({ episodes: z.number() }) });

/** Clones the last commit, so what is measured is what a newcomer gets. Needs the npm registry or a full cache. */
export async function run(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "spadework-first-"));
  const clone = join(folder, "spadework");
  try {
    await execute("git", ["clone", "--quiet", root, clone]);
    // The first install fills the cache that the second one is measured with.
    await execute("npm", ["ci"], { cwd: clone, maxBuffer: 1e8 });
    await rm(join(clone, "node_modules"), { recursive: true });
    const startedAt = performance.now();
    await execute("npm", ["ci"], { cwd: clone, maxBuffer: 1e8 });
    const installedAt = performance.now();
    const { stdout } = await execute("npm", ["start", "--silent", "--", "round", "--json"], {
      cwd: clone,
      maxBuffer: 1e8,
    });
    const endedAt = performance.now();
    const { status } = result.parse(JSON.parse(stdout));
    const total = (endedAt - startedAt) / 1_000;
    return [
      row("npm ci", (installedAt - startedAt) / 1_000, "part of the next", true),
      row("npm ci to the first result", total, "< 60", total < 60 && status === "finished"),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function row(name: string, value: number, goal: string, ok: boolean): Row {
  return { name, value, unit: "s", goal, ok };
}
