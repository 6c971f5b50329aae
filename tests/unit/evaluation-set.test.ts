/** The held-out set is the committed one: results measured on it stay comparable, and it holds what it says. */
import { expect, test } from "vitest";
import { heldOutCount, heldOutSet, setOf, spread } from "../../graph/evaluation/held-out-set.ts";
import { heldOutMechanics } from "../../graph/models/embedded/mechanics/held-out/source.ts";
import { mechanics } from "../../graph/models/embedded/mechanics/mechanics.ts";

/** Change it only together with the set, on purpose: results measured on another set can't be compared with new ones. */
const pinned = "held-out-28c7bcfc5974";

const { id, environments } = heldOutSet();

test("it is the set that results were measured on", () => {
  expect(id).toBe(pinned);
  expect(environments).toHaveLength(heldOutCount);
  expect(environments.map(({ index }) => index)).toEqual(environments.map((_, i) => i));
});

test("its id names the sources and the instances", () => {
  const [first, ...others] = environments;
  if (first === undefined) throw new Error("the set is empty");
  expect(setOf(environments).id).toBe(id);
  expect(setOf(others).id).not.toBe(id);
  expect(setOf([{ ...first, seed: first.seed + 1 }, ...others]).id).not.toBe(id);
  expect(setOf([{ ...first, source: `${first.source}\n` }, ...others]).id).not.toBe(id);
});

test("it has no mechanic and no size that the designer writes, and none of them twice as often as another", () => {
  const written = new Set(mechanics.filter(({ heldOut }) => !heldOut).map(({ name }) => name));
  const groups = Map.groupBy(environments, ({ mechanic }) => mechanic);
  expect(groups.size).toBe(heldOutMechanics.length);
  for (const [mechanic, own] of groups) {
    expect(written.has(mechanic)).toBe(false);
    expect(own).toHaveLength(heldOutCount / groups.size);
    // Every half size, equally often.
    const sizes = Map.groupBy(own, ({ size }) => size);
    expect([...sizes.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, i) => i + 1.5));
    expect(new Set([...sizes.values()].map(({ length }) => length)).size).toBe(1);
  }
  expect(new Set(environments.map(({ source }) => source)).size).toBe(heldOutCount);
});

test("every concept has a held-out relative that shares some of its cues", () => {
  const familiar = mechanics.filter(({ heldOut }) => !heldOut);
  const concepts = new Set(heldOutMechanics.map(({ concept }) => concept));
  expect(concepts).toEqual(new Set(familiar.map(({ concept }) => concept)));
  for (const { concept, cueOffset } of heldOutMechanics) {
    const offsets = familiar.filter((one) => one.concept === concept).map((one) => one.cueOffset);
    expect(offsets).not.toContain(cueOffset);
  }
});

test("a part of it is spread over mechanics and sizes, and lies within every larger part", () => {
  for (const count of [1, 10, 60, 150, 299]) {
    const part = spread(environments, count);
    expect(part).toHaveLength(count);
    const larger = new Set(spread(environments, count + 1));
    expect(part.every((one) => larger.has(one))).toBe(true);
  }
  const part = spread(environments, 60);
  const counts = [...Map.groupBy(part, ({ mechanic }) => mechanic).values()].map(({ length }) => length);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(5);
  expect(Math.max(...counts)).toBeLessThanOrEqual(7);
  const meanSize = part.reduce((sum, { size }) => sum + size, 0) / part.length;
  expect(Math.abs(meanSize - 8.5)).toBeLessThan(0.5);
  expect(spread(environments, heldOutCount)).toEqual(environments);
  expect(spread(environments, 1_000)).toEqual(environments);
});
