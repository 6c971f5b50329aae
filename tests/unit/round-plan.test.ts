/** What the slots of a round are asked to design. */
import { expect, test } from "vitest";
import { gameSkills, kindOfSkill, toolUseSkills } from "../../config/words.ts";
import { playSeed } from "../../graph/instance-seed.ts";
import { drawTasks } from "../../graph/plan.ts";

const open = { seed: 3, envs: 30, kind: "mixed", skill: null, difficulty: null } as const;

test("skills, kinds and difficulties are spread evenly", () => {
  const tasks = drawTasks(open);
  expect(tasks.filter(({ kind }) => kind === "game")).toHaveLength(15);
  const count = (skill: string) => tasks.filter((task) => task.skill === skill).length;
  for (const skill of gameSkills) expect([1, 2]).toContain(count(skill));
  for (const skill of toolUseSkills) expect([2, 3]).toContain(count(skill));
  for (const level of ["easy", "medium", "hard"]) {
    expect(tasks.filter(({ difficulty }) => difficulty === level)).toHaveLength(10);
  }
  for (const { kind, skill } of tasks) expect(kindOfSkill(skill)).toBe(kind);
});

test("what is asked for is kept", () => {
  expect(drawTasks({ ...open, kind: "tool-use" }).every(({ kind }) => kind === "tool-use")).toBe(true);
  const skilled = drawTasks({ ...open, skill: "Error Recovery", difficulty: "hard" });
  expect(new Set(skilled.map((task) => JSON.stringify(task))).size).toBe(1);
  expect(skilled[0]).toEqual({ kind: "tool-use", skill: "Error Recovery", difficulty: "hard" });
});

test("the seed alone decides, and a larger batch begins like a smaller one", () => {
  expect(drawTasks(open)).toEqual(drawTasks(open));
  expect(drawTasks({ ...open, seed: 4 })).not.toEqual(drawTasks(open));
  expect(drawTasks({ ...open, envs: 7 })).toEqual(drawTasks(open).slice(0, 7));
});

test("plays that share an instance follow each other", () => {
  const seeds = Array.from({ length: 6 }, (_, index) => playSeed(1, 0, index, 3));
  expect(new Set(seeds.slice(0, 3)).size).toBe(1);
  expect(new Set(seeds.slice(3)).size).toBe(1);
  expect(seeds[0]).not.toBe(seeds[3]);
  expect(playSeed(1, 1, 0, 3)).not.toBe(seeds[0]);
  expect(playSeed(2, 0, 0, 3)).not.toBe(seeds[0]);
});
