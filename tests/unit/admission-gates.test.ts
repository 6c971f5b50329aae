import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { gateName } from "../../config/words.ts";
import type { AdmissionReport } from "../../sandbox/admission/admission.ts";
import { admit } from "../../sandbox/admission/admit.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { faults } from "../support/environments/faults.ts";
import { good, goodNames } from "../support/environments/read.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, pino({ level: "silent" }));
});
afterAll(() => sandbox.close());

function judged(source: string): Promise<AdmissionReport> {
  return admit(source, { language: "javascript", sandbox, novelty: async () => null, reviewer: null });
}

function failed(report: AdmissionReport): string[] {
  return report.gates.filter(({ verdict }) => verdict === "fail").map(({ gate }) => gate);
}

describe("good environments pass every gate", () => {
  test.each(goodNames)("%s", async (name) => {
    const report = await judged(good(name));
    expect(report.gates.map(({ gate }) => gate)).toEqual(gateName.options);
    const others = report.gates.filter(({ gate }) => gate !== "review");
    expect(others.filter(({ verdict }) => verdict !== "pass")).toEqual([]);
    expect(report.gates.at(-1)).toMatchObject({ verdict: "unknown", detail: "No reviewer is configured." });
    expect(report.admitted).toBe(true);
    expect(report.shape?.className).toMatch(/Env$/);
    expect(report.fingerprint).not.toBeNull();
    expect(report.firstObservation?.length).toBeGreaterThan(50);
    expect(report.solutions.length).toBeGreaterThanOrEqual(8);
  });
});

describe("an environment with one fault fails exactly the gate that is for it", () => {
  test.each(faults)("$gate: $what", async ({ gate, source, says }) => {
    const report = await judged(source);
    expect(failed(report)).toEqual([gate]);
    expect(report.admitted).toBe(false);
    expect(report.gates.find((result) => result.gate === gate)?.detail).toMatch(says);
  });

  test("every gate that plays has at least two", () => {
    for (const gate of gateName.options) {
      if (gate === "novelty" || gate === "review") continue;
      expect(faults.filter((fault) => fault.gate === gate).length, gate).toBeGreaterThanOrEqual(2);
    }
  });
});

describe("verdicts", () => {
  test("repeat exactly, sentences included", async () => {
    const source = faults.find(({ gate }) => gate === "non-trivial")?.source ?? "";
    const [first, second] = [await judged(source), await judged(source)];
    const told = (report: AdmissionReport) =>
      report.gates.map(({ gate, verdict, detail }) => [gate, verdict, detail]);
    expect(told(second)).toEqual(told(first));
    expect(second.solutions).toEqual(first.solutions);
  });

  test("tell all faults at once", async () => {
    const source = good("vault-dial")
      .replace('falls into place.", 0,', 'falls into place.", 50,')
      .replace("!terminated && this.turn >= VaultDialEnv.maxTurns", "false")
      .replace('    actions.push("open");\n', "");
    expect(failed(await judged(source))).toEqual(["contract", "winnable", "termination"]);
  });

  test("after an overrun the rest are unknown, the novelty check is not asked", async () => {
    const source = faults.find(({ what }) => what === "memory without end on nonsense")?.source ?? "";
    let asked = 0;
    const report = await admit(source, {
      language: "javascript",
      sandbox,
      reviewer: async () => ({ verdict: "pass", detail: "fine" }),
      novelty: async () => {
        asked += 1;
        return null;
      },
    });
    const verdicts = Object.fromEntries(report.gates.map(({ gate, verdict }) => [gate, verdict]));
    expect(verdicts).toMatchObject({
      parse: "pass",
      contract: "pass",
      resources: "fail",
      winnable: "unknown",
      determinism: "unknown",
      novelty: "unknown",
      review: "unknown",
    });
    expect(asked).toBe(0);
  });

  test("gates that play together are stopped as if they had played one after the other", async () => {
    const report = await judged(
      good("vault-dial").replace(
        'return this.answer("Result: the vault swings open.", 1, true);',
        "for (;;);",
      ),
    );
    const verdicts = Object.fromEntries(report.gates.map(({ gate, verdict }) => [gate, verdict]));
    expect(verdicts).toMatchObject({ robust: "pass", seeding: "pass", resources: "fail" });
    for (const { gate, verdict, detail } of report.gates) {
      if (!["winnable", "non-trivial", "no-leak", "interactive", "termination"].includes(gate)) continue;
      expect([gate, verdict]).toEqual([gate, "unknown"]);
      expect(detail).toContain("see resources");
    }
  });
});
