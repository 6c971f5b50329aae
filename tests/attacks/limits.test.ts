/** Attacks on time and memory, through single calls and through runs, while eight good environments play on. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { expectFailure, failureOfRun, firstFailure, shortLimits, sourceOf, startSandbox } from "./attack.ts";
import { type Attack, loops, memory, thrown } from "./list.ts";
import { Neighbours } from "./neighbours.ts";

let sandbox: Sandbox;
let neighbours: Neighbours;

beforeAll(async () => {
  sandbox = await startSandbox(shortLimits);
  neighbours = await Neighbours.settle(sandbox, 8);
});

afterAll(async () => {
  await sandbox.close();
});

async function attack({ bodies, call, verdicts, heavy }: Attack): Promise<void> {
  const source = sourceOf(bodies);
  const failures = await Promise.all([
    failureOfRun(sandbox, source),
    ...(heavy === true ? [] : [firstFailure(sandbox, source)]),
  ]);
  for (const failure of failures) expectFailure(failure, call, verdicts);
}

describe("loops end at their limit", () => {
  it.each(loops)("$name", attack);
});

describe("memory ends at its limit", () => {
  it.each(memory)("$name", attack);
});

describe("what is thrown is never read outside its limit", () => {
  it.each(thrown)("$name", attack);
});

describe("neighbours", () => {
  it("eight good environments played on all the while, with no wrong result and bounded delay", async () => {
    const { episodes, failures, wrong, longestWaitMs } = await neighbours.leave();
    expect(failures).toEqual([]);
    expect(wrong).toBe(0);
    expect(episodes).toBeGreaterThan(8);
    // A host is killed at its hard deadline, and again in the lone trial; beyond that only the machine's load counts.
    expect(longestWaitMs).toBeLessThan(20_000);
  });
});
