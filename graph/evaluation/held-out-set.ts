/**
 * The held-out set: the 300 environments on which learning is judged, the same on every machine and in every run.
 * Nobody trains on them; the designer can't write their mechanics, sizes or themes.
 */
import { hash } from "node:crypto";
import { keyedSeed } from "../../config/random.ts";
import type { EnvironmentKind } from "../../config/words.ts";
import { heldOutDesign } from "../models/embedded/mechanics/held-out/source.ts";

/** How many environments there are; each mechanic has equally many. */
export const heldOutCount = 300;

/** Draws the sources and instances. Another one makes another set, with which earlier results can't be compared. */
const setSeed = 20_261_201;

/** One environment with the one instance that is played. */
export interface HeldOut {
  /** From 0; its place in the set. */
  readonly index: number;
  readonly mechanic: string;
  readonly kind: EnvironmentKind;
  /** A half size, 1.5 to 15.5. */
  readonly size: number;
  readonly source: string;
  /** What `reset` is called with. */
  readonly seed: number;
}

export interface HeldOutSet {
  /** Names the sources and their seeds: equal ids mean equal sets. */
  readonly id: string;
  readonly environments: readonly HeldOut[];
}

let made: HeldOutSet | null = null;

/** The committed set. Written once a process, which takes some hundred milliseconds. */
export function heldOutSet(): HeldOutSet {
  made ??= setOf(
    Array.from({ length: heldOutCount }, (_, index) => {
      const { mechanic, size, source } = heldOutDesign(index, setSeed);
      const seed = keyedSeed("held-out-instance", setSeed, index);
      return { index, mechanic: mechanic.name, kind: mechanic.kind, size, source, seed };
    }),
  );
  return made;
}

/** A set of given environments, with its id. */
export function setOf(environments: readonly HeldOut[]): HeldOutSet {
  const written = JSON.stringify(environments.map(({ source, seed }) => [hash("sha256", source), seed]));
  return { id: `held-out-${hash("sha256", written).slice(0, 12)}`, environments };
}

/**
 * So many of a set's environments, evenly spread over its mechanics and sizes: always the same ones, and those of a
 * smaller count are among those of a larger. All of them, if `count` is not below their number. In the set's order.
 */
export function spread(environments: readonly HeldOut[], count: number): readonly HeldOut[] {
  const { length } = environments;
  if (count >= length) return environments;
  // Steps of the golden section fill a circle evenly however many are taken.
  let step = Math.max(1, Math.round(0.618 * length));
  while (commonDivisor(step, length) > 1) step += 1;
  return Array.from({ length: count }, (_, i) => (i * step) % length)
    .sort((a, b) => a - b)
    .flatMap((index) => environments[index] ?? []);
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
