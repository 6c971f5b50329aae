/** The seam's promises for environments that fail, and for the end of a handle and of the sandbox. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { answering, openOrThrow, shortLimits, sourceOf, startSandbox } from "../attacks/attack.ts";
import { counter } from "../support/counter-environment.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox(shortLimits);
});

afterAll(async () => {
  await sandbox.close();
});

const open = (source: string) => sandbox.open(source, { language: "javascript" });

describe("failures", () => {
  it("keep what came before, the turn and the line", async () => {
    const handle = await openOrThrow(
      sandbox,
      sourceOf({
        step: `if (action === "bad")\n throw new RangeError("no such field");\n ${answering("action")}`,
      }),
    );
    const run = await handle.run(1, ["a", "b", "bad", "c"]);
    expect(run.steps.map((step) => step.observation)).toEqual(["a", "b"]);
    expect(run.failure).toEqual({
      verdict: "environment-threw",
      call: "step",
      turn: 2,
      detail: "RangeError: no such field (line 6)",
    });
    await handle.reset(1);
    await handle.step("a");
    expect(await handle.step("bad")).toMatchObject({
      ok: false,
      failure: { verdict: "environment-threw", call: "step", turn: 1 },
    });
    expect((await handle.step("c")).ok).toBe(true);
    await handle.close();
  });

  it.each(["reset", "solution", "tools"] as const)("in %s name that call", async (call) => {
    const handle = await openOrThrow(
      sandbox,
      sourceOf({ tools: "return [];", solution: "return [];", [call]: "throw new Error('broken ' + 1);" }),
    );
    const run = await handle.run(1, ["a"], { solution: true, tools: true });
    expect(run.failure).toMatchObject({
      verdict: "environment-threw",
      call,
      detail: expect.stringContaining("broken 1"),
    });
    await handle.close();
  });

  it("a time-out keeps what came before and is repeated by every later call", async () => {
    const handle = await openOrThrow(
      sandbox,
      sourceOf({ step: `if (action === "hang") while (true); ${answering("action")}` }),
    );
    const run = await handle.run(1, ["a", "b", "hang", "c"]);
    expect(run.steps.map((step) => step.observation)).toEqual(["a", "b"]);
    expect(run.failure).toMatchObject({
      verdict: "timed-out",
      call: "step",
      turn: 2,
      detail: "It took more than 300 ms.",
    });
    for (const later of [
      await handle.reset(1),
      await handle.step("a"),
      await handle.solution(),
      await handle.tools(),
    ]) {
      expect(later).toEqual({ ok: false, failure: run.failure });
    }
    expect((await handle.run(1, ["a"])).failure).toEqual(run.failure);
    await handle.close();
    expect(await handle.step("a")).toEqual({ ok: false, failure: run.failure });
  });

  it("running out of memory keeps what came before", async () => {
    const roomy = await startSandbox({ hosts: 1, stepTimeoutMs: 20_000, hardDeadlineMs: 30_000 });
    const step = `if (action === "grow") { const all = []; while (true) all.push(new Array(1000).fill(all.length)); } ${answering("action")}`;
    const handle = await openOrThrow(roomy, sourceOf({ step }));
    const run = await handle.run(1, ["a", "b", "grow"]);
    expect(run.steps.map((taken) => taken.observation)).toEqual(["a", "b"]);
    expect(run.failure).toMatchObject({ verdict: "out-of-memory", call: "step", turn: 2 });
    expect(await handle.step("a")).toMatchObject({ ok: false, failure: { verdict: "out-of-memory" } });
    const other = await openOrThrow(roomy, sourceOf({ step }));
    await other.reset(1);
    expect(await other.step("grow")).toMatchObject({ ok: false, failure: { verdict: "out-of-memory" } });
    await roomy.close();
  });

  it("a long message is cut and has no line breaks", async () => {
    const handle = await openOrThrow(
      sandbox,
      sourceOf({ step: "throw new Error('a\\n\\t\\u0007b' + 'x'.repeat(2000));" }),
    );
    await handle.reset(1);
    const outcome = await handle.step("x");
    expect(outcome.ok).toBe(false);
    if (!outcome.ok) {
      expect(outcome.failure.detail.length).toBeLessThanOrEqual(500);
      expect(outcome.failure.detail.startsWith("Error: a b")).toBe(true);
      expect(outcome.failure.detail.endsWith("…")).toBe(true);
    }
    await handle.close();
  });
});

describe("the end", () => {
  it("of a handle gives its place back at once and closes what is under way", async () => {
    const before = sandbox.stats().live;
    const handle = await openOrThrow(sandbox, sourceOf({ step: "while (true);" }));
    await handle.reset(1);
    expect(sandbox.stats().live).toBe(before + 1);
    const hanging = handle.step("x");
    const queued = handle.step("y");
    await handle.close();
    expect(sandbox.stats().live).toBe(before);
    expect(await hanging).toMatchObject({ ok: false, failure: { verdict: "closed" } });
    expect(await queued).toMatchObject({ ok: false, failure: { verdict: "closed" } });
    expect(await handle.reset(1)).toMatchObject({ ok: false, failure: { verdict: "closed" } });
    await handle.close();
    expect(sandbox.stats().live).toBe(before);
  });

  it("of a failed or dead environment leaves no place taken", async () => {
    const before = sandbox.stats().live;
    await open("class AEnv {");
    await open("while (true);");
    const handle = await openOrThrow(sandbox, sourceOf({ step: "while (true);" }));
    await handle.run(1, ["x"]);
    expect(sandbox.stats().live).toBe(before);
  });

  it("of the sandbox closes everything and leaves no process", async () => {
    const before = children();
    const own = await startSandbox({ ...shortLimits, hosts: 2 });
    await openOrThrow(own, counter);
    expect(children().length).toBeGreaterThan(before.length);
    const handle = await openOrThrow(own, sourceOf({ step: "while (true);" }));
    await handle.reset(1);
    const hanging = handle.step("x");
    const running = (await openOrThrow(own, counter)).run(1, Array(100).fill("wait"));
    await own.close();
    expect(await hanging).toMatchObject({ ok: false, failure: { verdict: "closed" } });
    await running;
    expect(await handle.step("y")).toMatchObject({ ok: false, failure: { verdict: "closed" } });
    expect(await own.open(counter, { language: "javascript" })).toMatchObject({
      ok: false,
      failure: { verdict: "closed" },
    });
    await own.close();
    expect(children()).toEqual(before);
  });
});

/** Processes that this one started and that still live. */
function children(): string[] {
  const text = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "latin1");
  return text.trim().split(" ");
}
