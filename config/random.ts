/**
 * Keyed random draws: every draw is named by what it is for (round seed, slot, arm, play, turn), never by an id, a
 * clock or the order in which work happens to run, so that a round repeats exactly whatever was interrupted.
 */
import { hash } from "node:crypto";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";

export type KeyPart = string | number;

/** A seed in [0, 2^31 − 1] for the draw that `parts` name; equal parts give an equal seed on every machine. */
export function keyedSeed(...parts: readonly KeyPart[]): number {
  const digest = hash("sha256", JSON.stringify(parts), "buffer");
  return digest.readUInt32BE(0) & 0x7fff_ffff;
}

/** A source of uniform draws. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform integer in [0, n). `n` must be at least 1. */
  below(n: number): number;
  /** One element; throws a RangeError on an empty list. */
  pick<T>(list: readonly T[]): T;
  /** The list in a random order, as a new array. */
  shuffle<T>(list: readonly T[]): T[];
}

/** The generator for the draw that `parts` name. */
export function keyedRandom(...parts: readonly KeyPart[]): Random {
  const digest = hash("sha256", JSON.stringify(parts), "buffer");
  return fromGenerator(xoroshiro128plus(digest.readInt32BE(0) ^ digest.readInt32BE(4)));
}

function fromGenerator(generator: RandomGenerator): Random {
  const next = (): number => {
    // 53 random bits, as Math.random has them.
    const high = generator.next() >>> 5;
    const low = generator.next() >>> 6;
    return (high * 67_108_864 + low) / 9_007_199_254_740_992;
  };
  const below = (n: number): number => Math.floor(next() * n);
  return {
    next,
    below,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError("pick from an empty list");
      return list[below(list.length)] as T;
    },
    shuffle<T>(list: readonly T[]): T[] {
      const copy = [...list];
      for (let i = copy.length - 1; i > 0; i -= 1) {
        const j = below(i + 1);
        const held = copy[i] as T;
        copy[i] = copy[j] as T;
        copy[j] = held;
      }
      return copy;
    },
  };
}
