import { readFileSync } from "node:fs";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { admit } from "../../sandbox/admission/admit.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";

const page = readFileSync(new URL("../../docs/environments.md", import.meta.url), "utf8");
const examples = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");

describe("docs/environments.md", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createSandbox(configSchema.parse({}).sandbox, pino({ level: "silent" }));
  });
  afterAll(() => sandbox.close());

  it("has a game and a tool-use environment", () => {
    expect(examples).toHaveLength(2);
  });

  it.each(examples.map((source, index) => [index, source] as const))(
    "example %i is admitted",
    async (_, source) => {
      const report = await admit(source, {
        language: "javascript",
        sandbox,
        novelty: async () => null,
        reviewer: null,
      });
      expect(report.gates.filter((gate) => gate.verdict !== "pass" && gate.gate !== "review")).toEqual([]);
      expect(report.admitted).toBe(true);
    },
  );
});
