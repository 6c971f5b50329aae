/** What holds a round together when processes stop, clocks jump, and what is stored can't be read. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { StoreError } from "../../config/errors.ts";
import { configSchema } from "../../config/schema.ts";
import { createRound, runRound } from "../../graph/control.ts";
import { roundResult } from "../../graph/result.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { answerWith, numberSearch } from "../support/designs.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { roundOptionsOf, silent, testServices } from "../support/services.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, silent);
});
afterAll(() => sandbox.close());
afterEach(() => {
  vi.useRealTimers();
});

const day = 24 * 3_600_000;

test("a process that was stopped for longer than its lease changes nothing when it goes on", async () => {
  // A stopped process looks after nothing: its intervals stand still, and time passes.
  vi.useFakeTimers({ toFake: ["setInterval", "Date"], now: Date.now() });
  const stopped = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  const stops = scriptedModel({
    design: () => "I have nothing to repair it with.",
    before: async (call) => {
      const answers = call.messages.filter((message) => message.getType() === "ai").length;
      if (call.role !== "designer" || answers === 0) return;
      stopped.resolve();
      await goesOn.promise;
    },
  });
  const takesOver = scriptedModel({
    design: (call) => answerWith(numberSearch(`Search${call.seed}`, 900 + (call.seed % 90), 10)),
  });
  const first = await testServices({ model: stops, sandbox });
  const second = await testServices({ model: takesOver, sandbox, dataDir: first.dataDir });
  const { id } = await createRound(first, roundOptionsOf({ envs: 1, repairs: 1 }), "tester");
  const running = runRound(first, id);
  await stopped.promise;
  await expect(runRound(second, id)).rejects.toMatchObject({ code: "round.busy" });
  vi.setSystemTime(Date.now() + 20_000);
  expect((await runRound(second, id)).status).toBe("finished");
  const ended = await roundResult(second.store, id);
  expect(ended.environments[0]?.status).toBe("admitted");
  goesOn.resolve();
  await expect(running).rejects.toMatchObject({ code: "round.busy" });
  expect(await roundResult(second.store, id)).toEqual(ended);
  await second.close();
  await first.close();
});

test.each([-day, day])("a clock that jumps by %d ms does not change the time a round took", async (jump) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  let jumped = false;
  const model = scriptedModel({
    before: ({ role }) => {
      if (role !== "agent" || jumped) return;
      jumped = true;
      vi.setSystemTime(Date.now() + jump);
    },
  });
  const services = await testServices({ model, sandbox });
  const { id } = await createRound(services, roundOptionsOf({ envs: 1, plays: 2 }), "tester");
  const ended = await runRound(services, id);
  expect(jumped).toBe(true);
  expect(ended.status).toBe("finished");
  expect(ended.wallMs).toBeGreaterThan(0);
  expect(ended.wallMs).toBeLessThan(60_000);
  await services.close();
});

test("a round whose checkpoint can't be read fails with the reason, and is let go of", async () => {
  const services = await testServices({ model: scriptedModel(), sandbox });
  const { id } = await createRound(services, roundOptionsOf(), "tester");
  const damaged = new StoreError("store.corrupt", "A stored checkpoint is not readable.");
  const store = { ...services.store, checkpoints: () => Promise.reject(damaged) };
  expect(await runRound({ ...services, store }, id)).toMatchObject({
    status: "failed",
    error: { code: "store.corrupt" },
  });
  expect(await services.store.leases.holder(`round:${id}`)).toBeNull();
  await services.close();
});
