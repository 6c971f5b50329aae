/** Texts that are remembered: the same text is known, another is not, and no more is held than said. */
import { expect, test } from "vitest";
import { KnownTexts } from "../../store/sqlite/known-texts.ts";

const text = (id: number, characters: number): string => `${id}`.padEnd(characters, ".");

test("those that were not asked for the longest are forgotten first", () => {
  const known = new KnownTexts();
  for (const id of [1, 2, 3, 4]) known.add(text(id, 500_000));
  expect(known.has(text(1, 500_000))).toBe(true);
  expect(known.has(text(1, 500_001))).toBe(false);
  known.add(text(5, 500_000));
  expect([1, 2, 3, 4, 5].map((id) => known.has(text(id, 500_000)))).toEqual([true, false, true, true, true]);
  known.add(text(6, 3_000_000));
  expect(known.has(text(6, 3_000_000))).toBe(false);
  expect(known.has(text(1, 500_000))).toBe(true);
});
