import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import { silent } from "../support/services.ts";

const source = `class CountEnv {
  static maxTurns = 9;
  reset() { this.count = 0; return { observation: "begin", info: {} }; }
  step() { this.count += 1; return { observation: "step " + this.count, reward: 0, terminated: false, truncated: false, info: {} }; }
  solution() { return []; }
}`;

/** The processes that a process started, and those that they started, from Linux's own lists. */
function children(pid = process.pid): number[] {
  try {
    const direct = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")
        .trim()
        .split(/\s+/)
        .filter(Boolean)
        .map(Number),
    );
    return direct.flatMap((child) => [child, ...children(child)]);
  } catch {
    // It ended while it was looked at.
    return [];
  }
}

it.each(["SIGINT", "SIGTERM"] as const)("hosts live on when %s reaches the whole group", async (signal) => {
  const before = new Set(children());
  const sandbox = await createSandbox(configSchema.parse({ sandbox: { hosts: 1 } }).sandbox, silent);
  const opened = await sandbox.open(source, { language: "javascript" });
  if (!opened.ok) throw new Error(opened.failure.detail);
  await opened.value.reset(1);
  await opened.value.step("a");
  const hosts = children().filter((pid) => !before.has(pid));
  expect(hosts.length).toBeGreaterThan(0);
  for (const pid of hosts) process.kill(pid, signal);
  // Later calls come after the signal: what it did would be done by then.
  for (let turn = 2; turn <= 50; turn += 1) {
    expect(await opened.value.step("a")).toMatchObject({ ok: true, value: { observation: `step ${turn}` } });
  }
  expect(sandbox.stats().hostRestarts).toBe(0);
  await sandbox.close();
  expect(children().filter((pid) => hosts.includes(pid))).toEqual([]);
});
