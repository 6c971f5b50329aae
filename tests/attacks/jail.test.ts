/** What a host could do if an environment took it over altogether: a program in its place tries. */
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../../config/words.ts";
import { hidesProcesses } from "../../sandbox/jail.ts";
import { openOrThrow, startSandbox, unwrap } from "./attack.ts";

const program = fileURLToPath(new URL("./jail-probe.js", import.meta.url));
let told: { readonly [key: string]: Json } = {};
let connections = 0;

beforeAll(async () => {
  process.env.SPADEWORK_ATTACK_SECRET = "jail-test-secret";
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const sandbox = await startSandbox({ hosts: 1 }, program);
  try {
    const handle = await openOrThrow(sandbox, JSON.stringify({ port, parent: process.pid }));
    told = unwrap(await handle.reset(1)).info;
  } finally {
    await sandbox.close();
    await new Promise((resolve) => listener.close(resolve));
  }
});

afterAll(() => {
  delete process.env.SPADEWORK_ATTACK_SECRET;
});

describe("a host that was taken over", () => {
  it.each([
    "readPasswords",
    "readEnvironment",
    "readParent",
    "listRoot",
    "writeFile",
    "writeHere",
    "connect",
    "fetch",
    "datagram",
    "lookUp",
    "listen",
    "spawn",
    "fork",
    "worker",
    "inspector",
    "database",
    "secret",
  ])("%s is refused", (name) => {
    expect(told[name]).toBeTypeOf("string");
    expect(told[name]).not.toMatch(/^done/);
  });

  it("has no environment variables but the time zone and what its shell sets", () => {
    const names = String(told.variables)
      .replace("done: ", "")
      .split(",")
      .filter((name) => !["TZ", "PWD", "OLDPWD", "SHLVL", "_"].includes(name));
    expect(names).toEqual([]);
  });

  it("sees no other process where the machine can hide them", () => {
    const expected = hidesProcesses() ? "ESRCH" : told.signalParent;
    expect(told.signalParent).toBe(expected);
  });

  it("the listener saw no connection", () => {
    expect(connections).toBe(0);
  });
});
