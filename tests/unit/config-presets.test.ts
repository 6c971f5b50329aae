import { expect, it } from "vitest";
import { loadConfig } from "../../config/load.ts";
import { presetNames, presets } from "../../config/presets.ts";
import { configSchema } from "../../config/schema.ts";

const load = (preset: string) => loadConfig({ directory: "/nonexistent", environment: {}, preset });

it.each(presetNames)("%s holds settings that exist, with values that they take", (name) => {
  expect(configSchema.safeParse(presets[name].settings).success).toBe(true);
  expect(presets[name].summary).not.toBe("");
});

it("plays games as the paper's launcher does", async () => {
  const { round } = await load("paper-games");
  expect(round).toMatchObject({
    envs: 24,
    plays: 16,
    kind: "game",
    reward: "blend",
    turnCap: 25,
    contextTokens: 32_768,
    temperature: 0.6,
  });
});

it("plays 400 plain episodes of 25 tool-use environments", async () => {
  const { round } = await load("paper-tool-use");
  expect(round).toMatchObject({ kind: "tool-use", turnCap: 25, contextTokens: 32_768, temperature: 0.6 });
  expect(round.envs * round.plays).toBe(400);
});

it("keeps the demo smaller than a default round, and free of keys", async () => {
  const demo = await load("demo");
  const plain = await loadConfig({ directory: "/nonexistent", environment: {} });
  expect(demo.model).toBe("embedded");
  expect(demo.round.envs * demo.round.plays).toBeLessThan(plain.round.envs * plain.round.plays);
});
