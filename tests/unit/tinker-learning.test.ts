/** Learning through a training server: the chat model samples, the trainer trains, and the policy gets better. */
import { afterEach, expect, test } from "vitest";
import { average } from "../../graph/rewards/statistics.ts";
import { createTrainer } from "../../graph/trainers/create.ts";
import { type TinkerLab, tinkerLab, toy } from "../support/tinker/lab.ts";
import { playLamps } from "../support/tinker/lamp.ts";

let lab: TinkerLab;
afterEach(() => lab.close());

test("the mean return of a toy game rises over 20 steps, each sampled from the newest version", async () => {
  lab = await tinkerLab();
  const { services, server } = lab;
  const trainer = await createTrainer("tinker", services);
  const returns: number[] = [];
  for (let step = 0; step < 20; step += 1) {
    const model = await services.model(toy);
    const { batch, meanReturn } = await playLamps(model, step, 8);
    returns.push(meanReturn);
    const { version, parent, statistics } = await trainer.update(batch);
    expect(parent).toBe(model.policyVersion);
    expect((await services.store.policies.latest(toy))?.version).toBe(version);
    // What the trainer makes of the sampled tokens before its step is what they were sampled with.
    expect(statistics.metrics?.apartNats ?? 0).toBeCloseTo(0, 6);
    expect(statistics.clipFraction ?? 0).toBe(0);
  }
  await trainer.close?.();
  expect(average(returns.slice(0, 3))).toBeLessThan(0.6);
  expect(average(returns.slice(-3))).toBeGreaterThan(0.9);
  // One model, taken up once, and a pair of checkpoints after each step; a batch of equal returns takes none.
  expect(server.count("create_model")).toBe(1);
  expect(server.count("load_weights")).toBe(0);
  expect(server.world.loaded).toBe(0);
  expect(server.world.steps).toBeGreaterThan(10);
  expect(server.disk.size).toBe(2 * server.world.steps);
});
