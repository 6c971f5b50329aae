/** What untrained weights make of untrained designs in the real sandbox: hints help on some, and not all are solved. */
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { initialWeights } from "../../graph/models/embedded/weights.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { embeddedModel, measureOne } from "../support/embedded-play.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, pino({ level: "silent" }));
});
afterAll(async () => {
  await sandbox.close();
});

test("plain play wins about a fifth, hinted play about half; regret is large on some designs and none on others", async () => {
  const model = embeddedModel(initialWeights());
  // Every skill at every difficulty once.
  const measured = await Promise.all(
    Array.from({ length: 45 }, (_, index) => measureOne(sandbox, model, index, 4)),
  );
  const share = (holds: (one: (typeof measured)[number]) => boolean) =>
    measured.filter(holds).length / measured.length;
  const mean = (of: (one: (typeof measured)[number]) => number) =>
    measured.reduce((sum, one) => sum + of(one), 0) / measured.length;
  const [plain, hinted] = [mean((one) => one.plain), mean((one) => one.hinted)];
  expect(plain).toBeGreaterThan(0.1);
  expect(plain).toBeLessThan(0.3);
  expect(hinted).toBeGreaterThan(0.35);
  expect(hinted).toBeLessThan(0.6);
  expect(share((one) => one.hinted - one.plain > 0.1)).toBeGreaterThan(0.3);
  expect(share((one) => Math.abs(one.hinted - one.plain) < 0.05)).toBeGreaterThan(0.2);
  expect(share((one) => one.plain > 0.9)).toBeLessThan(0.2);
});
