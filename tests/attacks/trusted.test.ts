/**
 * Attacks by environments that behaved well until their steps ran on their host's own thread: what they do there ends
 * as it would elsewhere, and those who live on the same host keep it.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EnvironmentHandle, Sandbox } from "../../sandbox/sandbox.ts";
import {
  answering,
  expectFailure,
  openOrThrow,
  shortLimits,
  sourceOf,
  startSandbox,
  unwrap,
} from "./attack.ts";
import { type Attack, loops, thrown } from "./list.ts";

/** Quick steps after which a host trusts an environment, and some more. */
const goodSteps = 6;
let sandbox: Sandbox;
let neighbour: EnvironmentHandle;
let neighbourSteps = 0;

beforeAll(async () => {
  sandbox = await startSandbox({ ...shortLimits, hosts: 1, hardDeadlineMs: 20_000 });
  neighbour = await openOrThrow(
    sandbox,
    sourceOf({
      reset: "this.turn = 0; return '';",
      step: `this.turn += 1; ${answering("String(this.turn)")}`,
    }),
  );
  await neighbour.reset(1);
});

afterAll(async () => {
  await sandbox.close();
});

async function trusted(step: string, on = sandbox): Promise<EnvironmentHandle> {
  const source = sourceOf({
    construct: "this.good = 0;",
    step: `if (this.good++ < ${goodSteps}) { ${answering("'good'")} } ${step}`,
  });
  const handle = await openOrThrow(on, source);
  await handle.reset(1);
  for (let i = 0; i < goodSteps; i += 1) expect(unwrap(await handle.step("x")).observation).toBe("good");
  return handle;
}

async function attack({ bodies, call, verdicts }: Attack): Promise<void> {
  const handle = await trusted(bodies.step ?? "");
  const [outcome, other] = await Promise.all([handle.step("x"), neighbour.step("x")]);
  expectFailure(outcome.ok ? null : outcome.failure, call, verdicts);
  neighbourSteps += 1;
  expect(unwrap(other).observation).toBe(String(neighbourSteps));
  expect(sandbox.stats().hostRestarts).toBe(0);
  await handle.close();
}

const inStep = ({ bodies }: Attack): boolean => bodies.step !== undefined;

describe("once it is trusted", () => {
  it.each(loops.filter(inStep))("$name", attack);
  it.each(thrown.filter(inStep))("$name", attack);
});

const work = (rounds: number): string =>
  `let n = 0; for (let i = 0; i < ${rounds}; i += 1) n = (n + i) % 1000; ${answering("action")}`;

describe("honest environments", () => {
  it("that get slower together don't cost their host its life", async () => {
    const calm = await startSandbox({ hosts: 1 });
    const slow = await openOrThrow(calm, sourceOf({ step: work(100_000) }));
    await slow.reset(1);
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 10; i += 1) {
      const started = performance.now();
      await slow.step("x");
      best = Math.min(best, performance.now() - started);
    }
    // Shorter than what the guard ends, but all of them together are longer than a host may be silent.
    const rounds = Math.ceil((100_000 * 70) / best);
    await slow.close();
    const handles: EnvironmentHandle[] = [];
    while (handles.length < 28) handles.push(await trusted(work(rounds), calm));
    const steps = await Promise.all(handles.map((handle) => handle.step("a")));
    expect(new Set(steps.map((step) => unwrap(step).observation))).toEqual(new Set(["a"]));
    expect(calm.stats().hostRestarts).toBe(0);
    await calm.close();
  });
});
