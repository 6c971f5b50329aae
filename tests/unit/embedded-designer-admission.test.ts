import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { readDesign } from "../../graph/design-answer.ts";
import { designAnswer } from "../../graph/models/embedded/designer/design.ts";
import { initialDesignerWeights } from "../../graph/models/embedded/designer/policy.ts";
import { heldOutMechanics, heldOutSource } from "../../graph/models/embedded/mechanics/held-out/source.ts";
import { mechanics } from "../../graph/models/embedded/mechanics/mechanics.ts";
import { drawTasks } from "../../graph/plan.ts";
import type { AdmissionReport } from "../../sandbox/admission/admission.ts";
import { admit } from "../../sandbox/admission/admit.ts";
import { fingerprintOf } from "../../sandbox/admission/fingerprint.ts";
import { NoveltyIndex } from "../../sandbox/admission/novelty-index.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { designBy, documents, requestFor } from "./embedded-designer-designs.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, pino({ level: "silent" }));
});

afterAll(async () => {
  await sandbox.close();
});

function judge(source: string): Promise<AdmissionReport> {
  return admit(source, { language: "javascript", sandbox, novelty: async () => null, reviewer: null });
}

function faults(report: AdmissionReport): string[] {
  return report.gates
    .filter(({ gate, verdict }) => verdict !== "pass" && gate !== "review")
    .map(({ gate, detail }) => `${gate}: ${detail}`);
}

test.each(
  mechanics.filter((mechanic) => !mechanic.heldOut).map((mechanic) => [mechanic.name, mechanic] as const),
)("%s passes every gate in a middle size", async (_name, mechanic) => {
  const report = await judge(mechanic.write(designBy({ mechanic, size: 9, key: "admitted" })));
  expect(faults(report)).toEqual([]);
  expect(report.admitted).toBe(true);
});

test("held-out environments are other ones by index and seed, and can be admitted", async () => {
  expect(heldOutSource(3, 1)).toBe(heldOutSource(3, 1));
  expect(heldOutSource(3, 1)).not.toBe(heldOutSource(3, 2));
  const themes = Array.from({ length: 30 }, (_, i) => /class (\w+)/.exec(heldOutSource(i, 1))?.[1]);
  expect(new Set(themes).size).toBeGreaterThan(25);
  // One of each mechanic, in a middle size.
  for (let index = 70; index < 70 + heldOutMechanics.length; index += 1)
    expect(faults(await judge(heldOutSource(index, 1))), String(index)).toEqual([]);
});

test("the easiest sizes are too easy now and then, so that a designer has something to learn", async () => {
  const easy = mechanics.filter((mechanic) =>
    ["interval-search", "circuit", "glossary"].includes(mechanic.name),
  );
  const reports = await Promise.all(
    easy.map((mechanic) => judge(mechanic.write(designBy({ mechanic, size: 1, key: "easy", budget: 2 })))),
  );
  const sentences = reports.flatMap(faults);
  expect(sentences.length).toBeGreaterThan(0);
  expect(sentences.every((sentence) => sentence.startsWith("non-trivial: "))).toBe(true);
});

test("over many rounds under a tenth of the designs are near-copies of what a memory of 200 holds", () => {
  const weights = initialDesignerWeights();
  const texts = Object.values(documents);
  const rounds = 40;
  const index = new NoveltyIndex();
  const held: string[] = [];
  let copies = 0;
  for (let round = 0; round < rounds; round += 1) {
    const tasks = drawTasks({ seed: round, envs: 4, kind: "mixed", skill: null, difficulty: null });
    for (const [slot, task] of tasks.entries()) {
      const messages = requestFor({ ...task, text: texts[(round + slot) % texts.length] ?? "" });
      const { text } = designAnswer({ messages, seed: 10 * round + slot, weights });
      const fingerprint = fingerprintOf(readDesign(text, "javascript").source ?? "");
      if (fingerprint === null) throw new Error("the source does not parse");
      if (index.nearest(fingerprint) !== null) copies += 1;
      else {
        held.push(`${round}.${slot}`);
        index.add(`${round}.${slot}`, fingerprint);
      }
      const oldest = held.length > 200 ? held.shift() : undefined;
      if (oldest !== undefined) index.remove(oldest);
    }
  }
  expect(copies / (4 * rounds)).toBeLessThan(0.1);
});
