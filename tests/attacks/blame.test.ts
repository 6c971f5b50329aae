/** Nobody is condemned for what others do: not for a busy machine, nor for a neighbour that took the host down. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { innermost } from "../../sandbox/jail.ts";
import type { EnvironmentHandle, Sandbox, Step } from "../../sandbox/sandbox.ts";
import { answering, openOrThrow, shortLimits, sourceOf, startSandbox, unwrap } from "./attack.ts";

const burners: ChildProcess[] = [];
let sandbox: Sandbox | null = null;

afterEach(async () => {
  for (const burner of burners.splice(0)) burner.kill("SIGKILL");
  await sandbox?.close();
  sandbox = null;
});

function burn(count: number): void {
  for (let i = 0; i < count; i += 1) {
    burners.push(spawn(process.execPath, ["-e", "while (true);"], { stdio: "ignore" }));
  }
}

const working = sourceOf({
  reset: "this.turn = 0; return 'ready';",
  step: `this.turn += 1; let n = 0; for (let i = 0; i < Number(action); i += 1) n = (n + i) % 1000; ${answering("[this.turn, n].join(' ')")}`,
});

/** Rounds of the loop above that take about so many milliseconds at best. */
async function roundsFor(ms: number): Promise<number> {
  const calm = await startSandbox({ hosts: 1, stepTimeoutMs: 30_000, hardDeadlineMs: 60_000 });
  const handle = await openOrThrow(calm, working);
  await handle.reset(1);
  let best = Number.POSITIVE_INFINITY;
  const rounds = 200_000;
  for (let i = 0; i < 5; i += 1) {
    const started = performance.now();
    await handle.step(String(rounds));
    best = Math.min(best, performance.now() - started);
  }
  await calm.close();
  return Math.round((rounds * ms) / best);
}

describe("a slow but honest environment under full CPU load", () => {
  it("is not condemned, and remembers everything", async () => {
    const limitMs = 400;
    const rounds = await roundsFor(limitMs * 0.4);
    sandbox = await startSandbox({ ...shortLimits, stepTimeoutMs: limitMs });
    const handles = await Promise.all(
      Array.from({ length: 3 }, () => openOrThrow(sandbox as Sandbox, working)),
    );
    burn(8);
    const play = async (handle: EnvironmentHandle) => {
      await handle.reset(1);
      const told: string[] = [];
      for (let i = 0; i < 3; i += 1)
        told.push(unwrap(await handle.step(String(rounds))).observation.split(" ")[0] ?? "");
      return told;
    };
    expect(await Promise.all(handles.map(play))).toEqual(Array.from({ length: 3 }, () => ["1", "2", "3"]));
  });
});

describe("innocent environments on the host of a guilty one", () => {
  const counting = sourceOf({
    reset: "this.turns = []; this.luck = Math.random(); return String(this.luck);",
    step: `this.turns.push(action); ${answering("this.turns.join() + this.luck + Math.random()")}`,
  });

  it.each([
    ["outgrows its host", "const all = []; while (true) all.push(new Float64Array(2e6).fill(1));"],
    ["can't be stopped", "return Array(1e9).fill(0);"],
    [
      "can't be stopped, once it was trusted",
      "if (this.trusted++ < 6) return ['', 0, false, false, {}]; return Array(1e9).fill(0);",
    ],
  ])("lose nothing when it %s", async (_name, step) => {
    const limits = { stepTimeoutMs: 1_000, memoryMb: 1_024, hostRssMb: 300 };
    sandbox = await startSandbox({ ...shortLimits, hosts: 1, ...limits });
    const opened = sandbox;
    const innocents = await Promise.all(Array.from({ length: 6 }, () => openOrThrow(opened, counting)));
    const quiet = await openOrThrow(opened, counting);
    const expected = await quiet.run(3, ["a", "b", "c"]);
    await quiet.close();
    for (const handle of innocents) {
      await handle.reset(3);
      await handle.step("a");
    }
    const guilty = await openOrThrow(opened, sourceOf({ construct: "this.trusted = 0;", step }));
    await guilty.reset(1);
    const attack = (async () => {
      for (;;) {
        const outcome = await guilty.step("x");
        if (!outcome.ok) return outcome.failure;
      }
    })();
    const seconds = await Promise.all(innocents.map((handle) => handle.step("b")));
    expect((await attack).verdict).toMatch(/^(out-of-memory|timed-out|host-died)$/);
    const thirds = await Promise.all(innocents.map((handle) => handle.step("c")));
    for (const step of seconds) expect(unwrap(step)).toEqual(expected.steps[1]);
    for (const step of thirds) expect(unwrap(step)).toEqual(expected.steps[2]);
    expect(opened.stats().hostRestarts).toBeGreaterThan(0);
    expect(await guilty.step("y")).toMatchObject({ ok: false, failure: { verdict: (await attack).verdict } });
  });

  it.each([
    ["a loop", "while (true);"],
    ["a loop of microtasks", "const again = () => Promise.resolve().then(again); again();"],
    ["a regular expression without end", "return /^(a+)+$/.test('a'.repeat(60) + '!');"],
  ])("keep their host when what was trusted turns out to be %s", async (_name, turn) => {
    sandbox = await startSandbox({ ...shortLimits, hosts: 1, hardDeadlineMs: 20_000 });
    const opened = sandbox;
    const innocents = await Promise.all(Array.from({ length: 4 }, () => openOrThrow(opened, counting)));
    const expected = await Promise.all(innocents.map((handle) => handle.run(3, ["a", "b"])));
    for (const handle of innocents) {
      await handle.reset(3);
      await handle.step("a");
    }
    const step = `if (this.trusted++ < 6) ${answering("''")} ${turn}`;
    const guilty = await openOrThrow(opened, sourceOf({ construct: "this.trusted = 0;", step }));
    await guilty.reset(1);
    for (let i = 0; i < 6; i += 1) expect((await guilty.step("x")).ok).toBe(true);
    const [last, ...steps] = await Promise.all([
      guilty.step("x"),
      ...innocents.map((handle) => handle.step("b")),
    ]);
    expect(last).toMatchObject({ ok: false, failure: { verdict: "timed-out" } });
    expect(steps.map(unwrap)).toEqual(expected.map((run) => run.steps[1]));
    expect(opened.stats().hostRestarts).toBe(0);
  });

  it("lose nothing when their host is killed from outside", async () => {
    sandbox = await startSandbox({ ...shortLimits, hosts: 1 });
    const handle = await openOrThrow(sandbox, counting);
    const expected = await handle.run(9, ["a", "b", "c"]);
    await handle.reset(9);
    await handle.step("a");
    for (const pid of hosts()) process.kill(pid, "SIGKILL");
    const both = await Promise.all([handle.step("b"), handle.step("c")]);
    expect(both.map(unwrap)).toEqual(expected.steps.slice(1));
  });

  it("lose nothing when also the host that tried them alone before is killed from outside", async () => {
    sandbox = await startSandbox({ ...shortLimits, hosts: 1 });
    const handle = await openOrThrow(sandbox, counting);
    const expected = await handle.run(9, ["a", "b", "c"]);
    await handle.reset(9);
    const told: Step[] = [];
    for (const action of ["a", "b", "c"]) {
      for (const pid of hosts()) process.kill(pid, "SIGKILL");
      told.push(unwrap(await handle.step(action)));
    }
    expect(told).toEqual(expected.steps);
  });

  it("lose nothing of many runs in one message, whatever the environment keeps over its resets", async () => {
    sandbox = await startSandbox({ ...shortLimits, hosts: 1 });
    const keeping = sourceOf({
      top: "let calls = 0;",
      reset: "calls += 1; return String(calls);",
      step: `calls += 1; let n = 0; for (let i = 0; i < 20000; i += 1) n = (n + i) % 1000; ${answering("[calls, n].join()")}`,
    });
    const scripts = Array.from({ length: 20 }, (_, seed) => ({ seed, actions: Array<string>(20).fill("x") }));
    const calm = await openOrThrow(sandbox, keeping);
    await calm.run(1, ["x"]);
    const started = performance.now();
    const expected = await calm.runAll(scripts);
    const tookMs = performance.now() - started;
    const after = await calm.reset(1);
    const handle = await openOrThrow(sandbox, keeping);
    await handle.run(1, ["x"]);
    const runs = handle.runAll(scripts);
    await new Promise((resolve) => setTimeout(resolve, tookMs / 2));
    for (const pid of hosts()) process.kill(pid, "SIGKILL");
    expect(await runs).toEqual(expected);
    expect(await handle.reset(1)).toEqual(after);
  });

  it("answer to nobody once they are closed, also in the middle of a quick step", async () => {
    sandbox = await startSandbox({ ...shortLimits, hosts: 1 });
    const closing = await openOrThrow(sandbox, counting);
    const staying = await openOrThrow(sandbox, counting);
    for (const handle of [closing, staying]) {
      await handle.reset(1);
      for (let i = 0; i < 5; i += 1) await handle.step("x");
    }
    const expected = (await staying.run(2, ["y", "z"])).steps;
    await staying.reset(2);
    const asked = [closing.step("x"), closing.step("x")];
    const other = staying.step("y");
    await closing.close();
    const late = await Promise.all([...asked, closing.step("x")]);
    for (const outcome of late) expect(outcome).toMatchObject({ ok: false, failure: { verdict: "closed" } });
    expect([unwrap(await other), unwrap(await staying.step("z"))]).toEqual(expected);
    expect(sandbox.stats().live).toBe(1);
  });
});

/** The hosts that this process started, below what wraps them. */
function hosts(): number[] {
  const file = `/proc/${process.pid}/task/${process.pid}/children`;
  return readFileSync(file, "latin1").trim().split(" ").map(Number).map(innermost);
}
