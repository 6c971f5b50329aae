/** Hosts that lie: forged, flooded and partial frames cost the host its life, and never the caller a wrong answer. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FailureVerdict, Sandbox } from "../../sandbox/sandbox.ts";
import { openOrThrow, shortLimits, startSandbox } from "./attack.ts";

const program = fileURLToPath(new URL("./rogue-host.js", import.meta.url));
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ ...shortLimits, hardDeadlineMs: 600 }, program);
});

afterAll(async () => {
  await sandbox.close();
});

const lies: readonly (readonly [string, readonly FailureVerdict[]])[] = [
  ["no JSON", ["host-died"]],
  ["a frame of an unknown form", ["host-died"]],
  ["a frame with an unknown word", ["host-died"]],
  ["an object", ["host-died"]],
  ["an answer that nobody asked for", ["host-died"]],
  ["an answer to a negative call", ["host-died"]],
  ["info as text", ["bad-shape"]],
  ["a reward as text", ["bad-shape"]],
  ["an infinite reward", ["bad-shape"]],
  ["an infinite number in info", ["bad-shape"]],
  ["a longer list", ["bad-shape"]],
  ["a failure with an unknown verdict", ["host-died"]],
  ["an endless failure text", ["host-died"]],
  ["a frame without end", ["host-died"]],
  ["a flood of frames", ["host-died"]],
  ["half a frame, then silence", ["timed-out"]],
  ["half a frame, then the end", ["host-died"]],
  ["silence", ["timed-out"]],
  ["the end", ["host-died"]],
  ["a catastrophe that it made up", ["timed-out", "host-died"]],
];

describe("a host that answers a step with", () => {
  it.each(lies)("%s", async (lie, verdicts) => {
    const handle = await openOrThrow(sandbox, lie);
    expect(await handle.reset(1)).toEqual({ ok: true, value: { observation: "start", info: {} } });
    const outcome = await handle.step("x");
    expect(outcome.ok).toBe(false);
    if (!outcome.ok) expect(verdicts).toContain(outcome.failure.verdict);
    await handle.close();
  });

  it("an answer twice gives the first and ends the host", async () => {
    const handle = await openOrThrow(sandbox, "an answer twice");
    await handle.reset(1);
    const outcome = await handle.step("x");
    if (outcome.ok) expect(outcome.value.observation).toBe("fine");
    else expect(outcome.failure.verdict).toBe("host-died");
    await handle.close();
  });

  it("another transcript when it is played again is nobody's fault but ours", async () => {
    const handle = await openOrThrow(sandbox, "another answer in every process, then the end");
    await handle.reset(1);
    expect((await handle.step("x")).ok).toBe(true);
    const outcome = await handle.step("x");
    expect(outcome.ok ? null : outcome.failure.verdict).toBe("sandbox-failed");
    await handle.close();
  });
});
