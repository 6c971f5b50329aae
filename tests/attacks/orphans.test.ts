/** Hosts outlive nobody: when the process that started them is killed, they end, whatever runs in them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("./orphan-child.ts", import.meta.url));

/** A process and everything below it. */
function family(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1");
  const direct = children
    .split(" ")
    .filter((part) => part !== "")
    .map(Number);
  return [pid, ...direct.flatMap(family)];
}

it("kill -9 leaves no host, not even one that an environment holds up", async () => {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const everyone = family(child.pid as number);
  expect(everyone.length).toBeGreaterThan(2);
  child.kill("SIGKILL");
  await expect
    .poll(() => everyone.filter((pid) => existsSync(`/proc/${pid}`)), { timeout: 5_000 })
    .toEqual([]);
});
