import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { stepsNeeded, turnsOf } from "../../graph/models/embedded/mechanics/mechanic.ts";
import { mechanics } from "../../graph/models/embedded/mechanics/mechanics.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Run, Sandbox } from "../../sandbox/sandbox.ts";
import { actionsFor, designBy } from "./embedded-designer-designs.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, pino({ level: "silent" }));
});

afterAll(async () => {
  await sandbox.close();
});

/** Plays the solution of a seed in a fresh isolate; `actions` are what was played. */
async function playSolution(source: string, seed: number): Promise<Run & { readonly actions: string[] }> {
  const opened = await sandbox.open(source, { language: "javascript" });
  if (!opened.ok) throw new Error(opened.failure.detail);
  const { value: handle } = opened;
  const start = await handle.run(seed, [], { solution: true });
  const actions = actionsFor(handle.shape.kind, start.solution);
  const run = await handle.run(seed, actions, { tools: true });
  await handle.close();
  return { ...run, actions };
}

describe("every mechanic", () => {
  test("there are at least ten, three of them for tool use, and three held out", () => {
    const designed = mechanics.filter((mechanic) => !mechanic.heldOut);
    expect(designed.length).toBeGreaterThanOrEqual(10);
    expect(designed.filter(({ kind }) => kind === "tool-use").length).toBeGreaterThanOrEqual(3);
    expect(mechanics.length - designed.length).toBeGreaterThanOrEqual(3);
  });

  test.each(mechanics.map((mechanic) => [mechanic.name, mechanic] as const))(
    "%s is won by its solution in every size, and differs by seed",
    async (_name, mechanic) => {
      const sizes = mechanic.heldOut ? [1.5, 8.5, 15.5] : [1, 5, 9, 13, 16];
      for (const [key, size] of sizes.entries()) {
        const design = designBy({ mechanic, size, key, budget: key % 2 === 0 ? 0 : 2 });
        const source = mechanic.write(design);
        const runs = await Promise.all([11, 12, 13, 14].map((seed) => playSolution(source, seed)));
        for (const run of runs) {
          expect(run.failure, `${mechanic.name} ${size}`).toBeNull();
          expect(run.steps.at(-1), `${mechanic.name} ${size}`).toMatchObject({ reward: 1, terminated: true });
          expect(run.steps.length).toBeLessThanOrEqual(turnsOf(design));
        }
        const instances = runs.map((run) => JSON.stringify([run.reset?.observation, run.actions]));
        expect(new Set(instances).size, `${mechanic.name} ${size}`).toBeGreaterThan(1);
        expect(await playSolution(source, 11)).toEqual(runs[0]);
      }
    },
  );

  test.each(mechanics.map((mechanic) => [mechanic.name, mechanic] as const))(
    "%s reads as it is written down",
    async (_name, mechanic) => {
      const source = mechanic.write(designBy({ mechanic, size: mechanic.heldOut ? 6.5 : 7, key: "play" }));
      const lines = source.split("\n").length;
      expect(lines).toBeGreaterThanOrEqual(60);
      expect(lines).toBeLessThanOrEqual(200);
      const run = await playSolution(source, 4);
      const turns = run.steps.map((step, i) => `> ${run.actions[i]}\n${step.observation}`);
      const tools = run.tools?.map((tool) => JSON.stringify(tool)).join("\n");
      const text = [run.reset?.observation, ...(mechanic.kind === "tool-use" ? [tools] : []), ...turns];
      await expect(`${text.join("\n\n")}\n`).toMatchFileSnapshot(
        `embedded-designer-plays/${mechanic.name}.txt`,
      );
    },
  );
});

test("larger sizes need more steps, and turns follow the budget and the cap", () => {
  const steps = Array.from({ length: 16 }, (_, i) => stepsNeeded(i + 1));
  expect(steps[0]).toBe(4);
  expect(steps[15]).toBe(11);
  expect(steps).toEqual([...steps].sort((a, b) => a - b));
  expect(turnsOf({ size: 16, budget: 0, turnCap: 25 })).toBe(13);
  expect(turnsOf({ size: 16, budget: 2, turnCap: 25 })).toBe(25);
  expect(turnsOf({ size: 16, budget: 2, turnCap: 9 })).toBe(9);
});
