import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { wrapAction } from "../../sandbox/actions.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { EnvironmentHandle, Run, Sandbox, Script } from "../../sandbox/sandbox.ts";
import { good, goodNames } from "../support/environments/read.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  const config = configSchema.parse({
    sandbox: { hosts: 1, stepTimeoutMs: 400, loadTimeoutMs: 1_000 },
  }).sandbox;
  sandbox = await createSandbox(config, pino({ level: "silent" }));
});
afterAll(() => sandbox.close());

async function opened(source: string): Promise<EnvironmentHandle> {
  const outcome = await sandbox.open(source, { language: "javascript" });
  if (!outcome.ok) throw new Error(outcome.failure.detail);
  return outcome.value;
}

/** The same scripts in one message and one by one, each on an instance of its own. */
async function bothWays(
  source: string,
  scripts: readonly Script[],
): Promise<[readonly Run[], readonly Run[]]> {
  const [together, single] = [await opened(source), await opened(source)];
  const many = await together.runAll(scripts);
  const one: Run[] = [];
  for (const { seed, actions, ...asked } of scripts) one.push(await single.run(seed, actions, asked));
  await Promise.all([together.close(), single.close()]);
  return [many, one];
}

const trap = `
class TrapEnv {
  static maxTurns = 50;
  reset(seed) {
    if (seed === 13) throw new Error("unlucky");
    this.count = 0;
    return { observation: "seed " + seed, info: {} };
  }
  step(action) {
    this.count += 1;
    if (action === "throw") throw new Error("thrown");
    if (action === "shape") return { observation: 7, reward: 0, terminated: false, truncated: false, info: {} };
    if (action === "large") return { observation: "x".repeat(1e6), reward: 0, terminated: false, truncated: false, info: {} };
    if (action === "long") return { observation: "y".repeat(60000), reward: 0, terminated: false, truncated: false, info: {} };
    if (action === "reject") Promise.reject(new Error("nobody listens"));
    while (action === "loop");
    const kept = [];
    // In large pieces, so that a slow machine runs out of memory long before it runs out of time.
    while (action === "memory") kept.push(new Array(1_000_000).fill(1));
    return { observation: action + this.count, reward: 0, terminated: action === "end", truncated: false, info: {} };
  }
  solution() {
    return ["end"];
  }
}`;
const script = (...actions: string[]): Script => ({ seed: 5, actions });

describe("several runs in one message are what single runs are", () => {
  test.each(goodNames)("%s", async (name) => {
    const handle = await opened(good(name));
    const { solution } = await handle.run(5, [], { solution: true });
    const actions = (solution ?? []).map((action) => wrapAction(handle.shape.kind, action));
    await handle.close();
    const scripts = [
      { seed: 5, actions: [], solution: true, tools: true },
      { seed: 5, actions },
      ...Array.from({ length: 12 }, (_, seed) => ({ seed, actions: ["", ...actions, "\\boxed{look}"] })),
    ];
    const [many, one] = await bothWays(good(name), scripts);
    expect(many).toEqual(one);
    expect(many[1]?.steps.at(-1)).toMatchObject({ terminated: true, reward: 1 });
  });

  test("those that fail do not stop those after them", async () => {
    const scripts = [
      script("a", "throw", "b"),
      script("shape"),
      { seed: 13, actions: ["a"] },
      script("large"),
      script("a", "b", "end", "c"),
      { seed: 6, actions: [], solution: true, tools: true },
    ];
    const [many, one] = await bothWays(trap, scripts);
    expect(many).toEqual(one);
    expect(many.map(({ failure }) => failure?.verdict)).toEqual([
      "environment-threw",
      "bad-shape",
      "environment-threw",
      "too-large",
      undefined,
      undefined,
    ]);
    expect(many[4]?.steps).toHaveLength(3);
  });

  test("more text than one message holds comes in parts", async () => {
    const scripts = Array.from({ length: 12 }, () =>
      script(...Array.from({ length: 10 }, () => "long"), "z"),
    );
    const [many, one] = await bothWays(trap, scripts);
    expect(many).toEqual(one);
    expect(many.every(({ steps }) => steps.length === 11)).toBe(true);
  });

  test("no scripts are no runs", async () => {
    const handle = await opened(trap);
    expect(await handle.runAll([])).toEqual([]);
    await handle.close();
  });
});

describe("what ends an environment ends the runs after it", () => {
  test.each([
    ["loop", "timed-out"],
    ["memory", "out-of-memory"],
  ])("%s", async (action, verdict) => {
    const handle = await opened(trap);
    const runs = await handle.runAll([script("a"), script("b", action, "c"), script("d")]);
    expect(runs[0]).toMatchObject({ failure: null, steps: [{ observation: "a1" }] });
    expect(runs[1]).toMatchObject({
      failure: { verdict, call: "step", turn: 1 },
      steps: [{ observation: "b1" }],
    });
    expect(runs[2]).toMatchObject({ failure: { verdict }, steps: [], reset: null });
    expect((await handle.run(1, [])).failure?.verdict).toBe(verdict);
    await handle.close();
  });

  test("closing", async () => {
    const handle = await opened(trap);
    await handle.close();
    const runs = await handle.runAll([script("a"), script("b")]);
    expect(runs.map(({ failure }) => failure?.verdict)).toEqual(["closed", "closed"]);
  });
});
