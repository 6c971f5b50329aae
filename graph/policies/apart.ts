/** How far two versions of the embedded policy are apart, in words that a person can follow: skills, and what it designs. */
import { habitsOf } from "../models/embedded/designer/habits.ts";
import { readDesignerWeights } from "../models/embedded/designer/policy.ts";
import type { PolicyWeights } from "../models/embedded/weights.ts";

export interface Apart {
  /** Euclidean length of the difference of all weights of a role. */
  readonly agent: number;
  readonly designer: number;
  /** By strategy: the level up to about which it is carried out well (θ), of a and of b. */
  readonly skill: readonly { readonly strategy: string; readonly a: number; readonly b: number }[];
  /** By mechanic: the share of designs it would have with nothing to go by; most moved first. */
  readonly mechanics: readonly { readonly mechanic: string; readonly a: number; readonly b: number }[];
  /** The mean size of such designs, 1 to 16. */
  readonly size: { readonly a: number; readonly b: number };
}

/** `turnCap`: turns of an episode at most, which bounds the sizes of designs. */
export function apart(a: PolicyWeights, b: PolicyWeights, turnCap: number): Apart {
  const habits = {
    a: habitsOf(readDesignerWeights(a.designer), turnCap),
    b: habitsOf(readDesignerWeights(b.designer), turnCap),
  };
  const names = new Set([...Object.keys(habits.a.mechanics), ...Object.keys(habits.b.mechanics)]);
  const mechanics = [...names].map((mechanic) => ({
    mechanic,
    a: habits.a.mechanics[mechanic] ?? 0,
    b: habits.b.mechanics[mechanic] ?? 0,
  }));
  return {
    agent: lengthOf([
      ...a.agent.logits.flatMap((row, i) => differences(row, b.agent.logits[i])),
      ...differences(a.agent.bias, b.agent.bias),
      ...differences(a.agent.skill, b.agent.skill),
    ]),
    designer: lengthOf(
      [...new Set([...Object.keys(a.designer), ...Object.keys(b.designer)])].flatMap((key) =>
        differences(a.designer[key] ?? [], b.designer[key]),
      ),
    ),
    skill: a.agent.strategies.map((strategy, i) => ({
      strategy,
      a: a.agent.skill[i] ?? 0,
      b: b.agent.skill[i] ?? 0,
    })),
    mechanics: mechanics.sort((one, other) => Math.abs(other.b - other.a) - Math.abs(one.b - one.a)),
    size: { a: habits.a.meanSize, b: habits.b.meanSize },
  };
}

/** Entry by entry; what a list lacks counts as 0. */
function differences(a: readonly number[], b: readonly number[] = []): number[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => (b[i] ?? 0) - (a[i] ?? 0));
}

function lengthOf(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
}
