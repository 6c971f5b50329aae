/** What is checked by hand passes and fails exactly as its schema says. */
import { describe, expect, it } from "vitest";
import { isStepReply, stepReply, stepsOf } from "../../sandbox/answers.ts";
import { frameOf, hostFrame } from "../../sandbox/protocol.ts";

const deep = (levels: number): unknown => (levels === 0 ? 1 : { in: deep(levels - 1) });
/** Holes, elements too many and objects that look like lists included. */
const values: readonly unknown[] = [
  ...[undefined, null, true, false, 0, 1, -1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY],
  ...["", "fine", "done", [], {}, [1], { n: Number.NaN }, { list: [{ n: Number.NEGATIVE_INFINITY }] }],
  ...[JSON.parse('{"__proto__": {"n": 1e999}}'), deep(63), deep(64), deep(65), { length: 5 }],
];

/** Every way of putting one of the values in the place of one element, and lists that are shorter and longer. */
function variants(fine: readonly unknown[]): unknown[] {
  const replaced = fine.flatMap((_, place) => values.map((value) => fine.with(place, value)));
  return [
    ...values,
    ...replaced,
    fine,
    fine.slice(1),
    fine.slice(0, -1),
    [...fine, {}],
    new Array(fine.length),
  ];
}

describe("checks by hand", () => {
  it.each(variants(["text", 0.5, false, true, { turn: 1, list: [1, "x", null] }]))(
    "of a step: %j",
    (value) => {
      expect(isStepReply(value)).toBe(stepReply.safeParse(value).success);
    },
  );

  it.each([
    ...variants([7, "done", { any: "thing" }]),
    ...variants([7, "part", [1]]),
    ...variants([7, "failed", "bad-shape", "why"]),
    ...variants([0, "ready"]),
  ])("of a frame: %j", (value) => {
    expect(frameOf(value)).toEqual(hostFrame.safeParse(value).data ?? null);
  });
});

describe("steps by column", () => {
  const columns = (
    observations: unknown = "onetwo",
    numbers: unknown = [3, 0.5, 0, 3, 1, 3],
    infos: unknown = [{ turn: 1 }, {}],
  ): unknown => [observations, numbers, infos];
  const read = (value: unknown) => {
    const steps: Parameters<typeof stepsOf>[1] = [];
    return stepsOf(value, steps) ? steps : null;
  };

  it("are what was written", () => {
    expect(read(columns())).toEqual([
      { observation: "one", reward: 0.5, terminated: false, truncated: false, info: { turn: 1 } },
      { observation: "two", reward: 1, terminated: true, truncated: true, info: {} },
    ]);
    expect(read(["", [], []])).toEqual([]);
  });

  it("keep what was cut through a character apart", () => {
    const halves = read(["\ud83d\ude00", [1, 0, 0, 1, 0, 2], [{}, {}]]);
    expect(halves?.map(({ observation }) => observation)).toEqual(["\ufffd", "\ufffd"]);
  });

  it.each([
    ...values,
    columns(7),
    columns("onetwothree"),
    columns("one"),
    columns("onetwo", [3, 0.5, 0]),
    columns("onetwo", [3, 0.5, 0, 3, 1, 4]),
    columns("onetwo", [3, Number.NaN, 0, 3, 1, 0]),
    columns("onetwo", [3.5, 0, 0, 2.5, 1, 0]),
    columns("onetwo", [-1, 0, 0, 7, 1, 0]),
    columns("onetwo", [3, "1", 0, 3, 1, 0]),
    columns("onetwo", [3, 1, true, 3, 1, 0]),
    columns("onetwo", [3, 0.5, 0, 3, 1, 3], [{}]),
    columns("onetwo", [3, 0.5, 0, 3, 1, 3], [{}, []]),
    columns("onetwo", [3, 0.5, 0, 3, 1, 3], [{}, deep(70)]),
    [...(columns() as unknown[]), 1],
  ])("are refused as %j", (value) => {
    expect(read(value)).toBeNull();
  });
});
