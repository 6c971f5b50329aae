/** The environment memory: what it holds, and which of its environments a designer is shown. */
import { describe, expect, it } from "vitest";
import { keyedRandom } from "../../config/random.ts";
import type { Skill } from "../../config/words.ts";
import { badExamples, goodExamples, lowerBound, verdictOf } from "../../graph/memory/examples.ts";
import { memoryOf } from "../../graph/memory/memory.ts";
import type { EnvironmentRecord } from "../../store/records.ts";
import { environment, scored } from "../support/memories.ts";

const task = { kind: "game", skill: "Logical Deduction" as Skill } as const;
const many = (count: number, make: (i: number) => EnvironmentRecord): EnvironmentRecord[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe("the memory", () => {
  it("counts age in rounds, from the latest one", () => {
    const memory = memoryOf([
      environment("a", scored(0.5), { round: 3 }),
      environment("b", scored(0.5), { round: 1 }),
      environment("c", scored(0.5), { round: 2, createdAt: 2_900 }),
      environment("d", scored(0.5), { round: 2, createdAt: 2_000, slot: 1 }),
      environment("e", scored(0.5), { roundId: null, slot: null, createdAt: 1_500 }),
    ]);
    expect(memory.entries.map(({ id, age }) => [id, age])).toEqual([
      ["a", 0],
      ["c", 1],
      ["d", 1],
      ["b", 2],
      ["e", 2],
    ]);
  });

  it("orders a round by slot, whenever its environments were made", () => {
    const late = environment("r1-2", scored(0.5), { slot: 2, createdAt: 1_009 });
    const early = environment("r1-10", scored(0.5), { slot: 10, createdAt: 1_001 });
    expect(memoryOf([early, late]).entries.map(({ id }) => id)).toEqual(["r1-2", "r1-10"]);
    expect(memoryOf([late, early]).entries.map(({ id }) => id)).toEqual(["r1-2", "r1-10"]);
  });

  it("leaves out what was never played", () => {
    expect(memoryOf([environment("a", null)]).entries).toEqual([]);
  });

  it("knows the ancestors of a hierarchical tag", () => {
    const memory = memoryOf([environment("a", scored(0.5), { tags: ["search/size-7", "dial"] })]);
    expect(memory.entries[0]?.tags).toEqual(["search", "search/size-7", "dial"]);
  });
});

describe("good examples", () => {
  const idsOf = (examples: ReturnType<typeof goodExamples>): string[] =>
    examples.map(({ entry }) => entry.id);

  it.each([
    [0.95, "too-easy"],
    [0.91, "too-easy"],
    [0.9, null],
    [0.86, null],
    [0.85, "good"],
    [0.15, "good"],
    [0.14, null],
    [0.1, null],
    [0.09, "too-hard"],
    [0, "too-hard"],
  ])("a win rate of %d is %s", (rate, verdict) => {
    expect(verdictOf(rate)).toBe(verdict);
  });

  it("are ranked by regret − 1 standard error, so that noise does not win", () => {
    const memory = memoryOf([
      environment("noisy", scored(0.5, 0.5, 0.45)),
      environment("sure", scored(0.5, 0.3, 0.05)),
      environment("unknown", scored(0.5, 0.9, null)),
      environment("easy", scored(0.95, 0.9, 0.01)),
      environment("useless", scored(0.5, 0, 0.01)),
      environment("unhinted", scored(0.5)),
    ]);
    expect(lowerBound(memory.entries.find(({ id }) => id === "sure") ?? expect.fail())).toBeCloseTo(0.25, 12);
    expect(idsOf(goodExamples(memory, task, 6, keyedRandom(1)))).toEqual(["sure", "noisy", "unknown"]);
  });

  it("come from the best ones alone", () => {
    const memory = memoryOf(many(100, (i) => environment(`e${i}`, scored(0.5, i / 100, 0.01))));
    for (let slot = 0; slot < 50; slot += 1) {
      for (const { entry } of goodExamples(memory, task, 4, keyedRandom("slot", slot))) {
        expect(entry.regret).toBeGreaterThanOrEqual(0.92);
      }
    }
  });

  it("are of the task's kind, and of its skill while there are any", () => {
    const memory = memoryOf([
      environment("other-kind", scored(0.5, 0.9, 0.01), { kind: "tool-use", skill: "Data Retrieval" }),
      environment("other-skill", scored(0.5, 0.8, 0.01), { skill: "Optimization" }),
      environment("own-skill", scored(0.5, 0.2, 0.01)),
    ]);
    expect(idsOf(goodExamples(memory, task, 1, keyedRandom(1)))).toEqual(["own-skill"]);
    expect(idsOf(goodExamples(memory, task, 4, keyedRandom(1)))).toEqual(["own-skill", "other-skill"]);
  });

  it("are never environments that a person took out of play", () => {
    const memory = memoryOf([environment("a", scored(0.5, 0.9, 0.01), { status: "retired" })]);
    expect(goodExamples(memory, task, 4, keyedRandom(1))).toEqual([]);
  });

  it("differ from prompt to prompt of a batch, and repeat with the key", () => {
    const memory = memoryOf(many(20, (i) => environment(`e${i}`, scored(0.5, 0.5, 0.01), { slot: i })));
    const shown = many(12, (i) => environment(`${i}`, null)).map((_, slot) =>
      idsOf(goodExamples(memory, task, 4, keyedRandom(7, slot))).join(),
    );
    expect(new Set(shown).size).toBeGreaterThan(6);
    expect(idsOf(goodExamples(memory, task, 4, keyedRandom(7, 3))).join()).toBe(shown[3]);
  });
});

describe("bad examples", () => {
  it("warn of both ends, of the task's kind, newest first", () => {
    const memory = memoryOf([
      ...many(10, (i) => environment(`easy${i}`, scored(1), { round: i + 1 })),
      ...many(10, (i) => environment(`hard${i}`, scored(0), { round: i + 1 })),
      environment("fine", scored(0.5, 0.5, 0.1), { round: 11 }),
      environment("tools", scored(0), { kind: "tool-use", round: 11 }),
    ]);
    const shown = badExamples(memory, task, 3, keyedRandom(5));
    expect(shown).toHaveLength(3);
    expect(new Set(shown.map(({ verdict }) => verdict))).toEqual(new Set(["too-easy", "too-hard"]));
    for (const { entry } of shown) {
      expect(entry.kind).toBe("game");
      expect(entry.age).toBeLessThanOrEqual(6);
    }
    expect(badExamples(memory, task, 0, keyedRandom(5))).toEqual([]);
  });

  it("fill up with one end where the other is missing", () => {
    const memory = memoryOf(many(5, (i) => environment(`e${i}`, scored(0), { slot: i })));
    expect(badExamples(memory, task, 3, keyedRandom(5))).toHaveLength(3);
  });
});
