/** A process is only called dead when it certainly is: its id may have been given to another since. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isDead, ownIdentity, writeHolder } from "../../store/process-identity.ts";

test("this process is not dead", () => {
  expect(isDead(writeHolder(ownIdentity(), "n"))).toBe(false);
});

test("an earlier process with the id of a live one is dead", () => {
  expect(isDead(writeHolder({ ...ownIdentity(), started: "1" }, "n"))).toBe(true);
});

test("a process that ended is dead, though its parent has not asked for its end yet", async () => {
  const child = spawn("sleep", ["600"]);
  const pid = child.pid;
  if (pid === undefined) throw new Error("sleep did not start");
  const holder = writeHolder({ ...ownIdentity(), pid, started: "1" }, "n");
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
  expect(isDead(holder)).toBe(true);
});

test("nothing is known of a process of another machine, or of a holder of another form", () => {
  expect(isDead(writeHolder({ machine: "elsewhere", pid: 1, started: "1" }, "n"))).toBe(false);
  expect(isDead("somebody")).toBe(false);
  expect(isDead("{}")).toBe(false);
});
