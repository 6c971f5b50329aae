/** A round's budget: what it counts, when it ends, and what was used before. */
import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, test } from "vitest";
import { configSchema, type ModelsConfig } from "../../config/schema.ts";
import { withinBudget } from "../../graph/models/budget.ts";
import type { Model, ModelCall } from "../../graph/models/model.ts";
import type { Usage } from "../../store/records.ts";

const nothing = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

const call: ModelCall = {
  role: "agent",
  messages: [new HumanMessage("x".repeat(40))],
  seed: 1,
  temperature: 0,
  maxOutputTokens: 100,
  signal: new AbortController().signal,
};

/** Answers with 40 tokens in and 60 out. */
function model(
  over: Partial<Usage> = {},
  wait?: Promise<void>,
): { find: (name: string) => Promise<Model>; asked: () => number } {
  let asked = 0;
  return {
    asked: () => asked,
    find: async (name) => ({
      name,
      async call() {
        asked += 1;
        await wait;
        const usage = { calls: 1, inputTokens: 40, outputTokens: 60, costUsd: 0, ...over };
        return { text: "y".repeat(200), usage, decisions: null, policyVersion: null, ms: 1 };
      },
    }),
  };
}

function settings(over: Partial<ModelsConfig>): ModelsConfig {
  return configSchema.parse({ models: over }).models;
}

async function callsUntilRefused(find: (name: string) => Promise<Model>): Promise<number> {
  const budgeted = await find("m");
  for (let calls = 0; calls < 100; calls += 1) {
    try {
      await budgeted.call(call);
    } catch (error) {
      expect(error).toMatchObject({ code: "provider.budget" });
      return calls;
    }
  }
  return 100;
}

test("without a budget models stay as they are", async () => {
  const { find } = model();
  expect(withinBudget(find, settings({}), nothing)).toBe(find);
});

test("tokens in and out are counted, over all models of the round", async () => {
  const { find } = model();
  const budgeted = withinBudget(find, settings({ tokenBudget: 1_000 }), nothing);
  const other = await budgeted("other");
  expect(other.name).toBe("other");
  for (let i = 0; i < 4; i += 1) await other.call(call);
  expect(await callsUntilRefused(budgeted)).toBe(6);
});

test("money is counted by the prices", async () => {
  const { find } = model({ costUsd: 0.0064 });
  // 40 × 10 + 60 × 100 = 6,400 millionths a call.
  const prices = { inputUsdPerMillion: 10, outputUsdPerMillion: 100 };
  const budgeted = withinBudget(find, settings({ costBudgetUsd: 0.02, ...prices }), nothing);
  expect(await callsUntilRefused(budgeted)).toBe(4);
});

test("what was used before counts", async () => {
  const { find, asked } = model();
  const spent = { inputTokens: 600, outputTokens: 400, costUsd: 0 };
  expect(await callsUntilRefused(withinBudget(find, settings({ tokenBudget: 1_000 }), spent))).toBe(0);
  expect(asked()).toBe(0);
});

test("a provider that counts nothing is counted by the length of its texts", async () => {
  const { find } = model({ inputTokens: 0, outputTokens: 0 });
  // 10 in and 50 out a call.
  expect(await callsUntilRefused(withinBudget(find, settings({ tokenBudget: 300 }), nothing))).toBe(5);
});

test("questions in flight are counted before their answers are there", async () => {
  let answer = (): void => {};
  const { find, asked } = model({}, new Promise((resolve) => (answer = resolve)));
  const budgeted = await withinBudget(find, settings({ tokenBudget: 25 }), nothing)("m");
  const calls = [budgeted.call(call), budgeted.call(call), budgeted.call(call)];
  await expect(budgeted.call(call)).rejects.toMatchObject({ code: "provider.budget" });
  expect(asked()).toBe(3);
  answer();
  await Promise.all(calls);
});

test("a budget hands on the version that is asked for, and says which one it is", async () => {
  const asked: (string | undefined)[] = [];
  const bounded = withinBudget(
    async (name, version) => {
      asked.push(version);
      return { ...(await model().find(name)), ...(version === undefined ? {} : { policyVersion: version }) };
    },
    settings({ tokenBudget: 1_000 }),
    nothing,
  );
  expect((await bounded("embedded", "embedded-7")).policyVersion).toBe("embedded-7");
  expect(await bounded("openai:x")).not.toHaveProperty("policyVersion");
  expect(asked).toEqual(["embedded-7", undefined]);
});

describe("a call that fails", () => {
  test("costs nothing", async () => {
    let asked = 0;
    const failing: Model = {
      name: "m",
      call() {
        asked += 1;
        return Promise.reject(new Error("no"));
      },
    };
    const budgeted = await withinBudget(async () => failing, settings({ tokenBudget: 15 }), nothing)("m");
    for (let i = 0; i < 5; i += 1) await expect(budgeted.call(call)).rejects.toThrow("no");
    expect(asked).toBe(5);
  });
});

test("a cost budget without prices is a setting that can't be kept", () => {
  const { find } = model();
  expect(() => withinBudget(find, settings({ costBudgetUsd: 1 }), nothing)).toThrow(
    expect.objectContaining({ code: "input.bad-config" }),
  );
});
