/** Records that are remembered: the same JSON gives the same record, and no more is held than said. */
import { expect, test } from "vitest";
import { KnownRecords } from "../../store/sqlite/known-records.ts";

const json = (id: number, characters: number): string => `${id}`.padEnd(characters, ".");

test("the same JSON gives the record that was remembered, another JSON none", () => {
  const known = new KnownRecords<{ id: number }>();
  const record = { id: 1 };
  known.add(json(1, 10), record);
  expect(known.get(json(1, 10))).toBe(record);
  expect(known.get(json(1, 11))).toBeUndefined();
});

test("nobody can change a record that is remembered", () => {
  const known = new KnownRecords<{ gates: { name: string }[] }>();
  const record = known.add("{}", { gates: [{ name: "parse" }] });
  expect(() => record.gates.push({ name: "load" })).toThrow(TypeError);
  expect(() => Object.assign(record.gates[0] ?? {}, { name: "load" })).toThrow(TypeError);
});

test("those that were not asked for the longest are forgotten first", () => {
  const known = new KnownRecords<number>();
  for (const id of [1, 2, 3, 4]) known.add(json(id, 500_000), id);
  expect(known.get(json(1, 500_000))).toBe(1);
  known.add(json(5, 500_000), 5);
  expect([1, 2, 3, 4, 5].map((id) => known.get(json(id, 500_000)))).toEqual([1, undefined, 3, 4, 5]);
  known.add(json(6, 3_000_000), 6);
  expect([1, 6].map((id) => known.get(json(id, id === 6 ? 3_000_000 : 500_000)))).toEqual([1, undefined]);
});
