/** What a comparison found: held-out success of each arm with its interval, and paired differences to the full method. */
import { average } from "../rewards/statistics.ts";
import { type ArmName, armNames } from "./arms.ts";
import { type Interval, interval } from "./interval.ts";
import type { RunOutcome } from "./lab.ts";

export interface ArmResult {
  readonly arm: ArmName;
  /** The size of the pool that did best, 0 for arms without one. */
  readonly poolSize: number;
  /** All of its pools that were tried. */
  readonly pools: readonly { readonly poolSize: number; readonly mean: number }[];
  /** Final success on the held-out environments, a fraction; `perSeed` in the order of the result's seeds. */
  readonly heldOut: {
    readonly mean: number;
    readonly ci95: readonly [number, number] | null;
    readonly perSeed: readonly number[];
  };
  /** Mean learning curve over the seeds. */
  readonly curve: readonly ({ readonly after: number } & Interval)[];
  /** Means over the seeds, of all rounds. */
  readonly episodes: number;
  readonly turns: number;
  readonly updates: number;
}

export interface Difference {
  readonly arm: ArmName;
  readonly minus: ArmName;
  /** Mean of the differences, seed by seed. */
  readonly mean: number;
  readonly ci95: readonly [number, number] | null;
}

export interface ComparisonResult {
  readonly seeds: readonly number[];
  readonly rounds: number;
  readonly setId: string;
  readonly arms: readonly ArmResult[];
  readonly differences: readonly Difference[];
}

/**
 * Only seeds of which every arm, with every pool size, is finished count, so that all differences are paired. Throws a
 * RangeError if there is none.
 */
export function comparisonResult(outcomes: readonly RunOutcome[], rounds: number): ComparisonResult {
  const variants = Map.groupBy(outcomes, ({ arm, poolSize }) => `${arm} ${poolSize}`);
  const lists = [...variants.values()];
  const seeds = [...new Set(outcomes.map(({ seed }) => seed))]
    .filter((seed) => lists.every((list) => list.some((one) => one.seed === seed)))
    .sort((a, b) => a - b);
  if (seeds.length === 0) throw new RangeError("no seed is finished in every arm");
  const results = armNames.flatMap((arm) => {
    const own = lists.filter((list) => list[0]?.arm === arm).map((list) => ofSeeds(list, seeds));
    return own.length === 0 ? [] : [armResult(arm, own)];
  });
  const full = results.find(({ arm }) => arm === "full");
  return {
    seeds,
    rounds,
    setId: outcomes[0]?.setId ?? "",
    arms: results,
    differences:
      full === undefined
        ? []
        : results.filter(({ arm }) => arm !== "full").map((other) => difference(full, other)),
  };
}

function ofSeeds(list: readonly RunOutcome[], seeds: readonly number[]): RunOutcome[] {
  return seeds.flatMap((seed) => list.find((one) => one.seed === seed) ?? []);
}

const final = ({ curve }: RunOutcome): number => curve.at(-1)?.success ?? 0;

/** Of the pools that were tried, the one that did best speaks for the arm. */
function armResult(arm: ArmName, variants: readonly (readonly RunOutcome[])[]): ArmResult {
  const pools = variants.map((runs) => ({
    poolSize: runs[0]?.poolSize ?? 0,
    mean: average(runs.map(final)),
  }));
  const best = pools.reduce((a, b) => (b.mean > a.mean ? b : a));
  const runs = variants.find((list) => list[0]?.poolSize === best.poolSize) ?? [];
  const perSeed = runs.map(final);
  const { mean, low, high } = interval(perSeed);
  const afters = runs[0]?.curve.map(({ after }) => after) ?? [];
  return {
    arm,
    poolSize: best.poolSize,
    pools: pools.filter(({ poolSize }) => poolSize > 0),
    heldOut: { mean, ci95: low === null || high === null ? null : [low, high], perSeed },
    curve: afters.map((after, i) => ({
      after,
      ...interval(runs.map(({ curve }) => curve[i]?.success ?? 0)),
    })),
    episodes: average(runs.map(({ episodes }) => episodes)),
    turns: average(runs.map(({ turns }) => turns)),
    updates: average(runs.map(({ updates }) => updates)),
  };
}

function difference(full: ArmResult, other: ArmResult): Difference {
  const pairs = full.heldOut.perSeed.map((value, i) => value - (other.heldOut.perSeed[i] ?? 0));
  const { mean, low, high } = interval(pairs);
  return {
    arm: full.arm,
    minus: other.arm,
    mean,
    ci95: low === null || high === null ? null : [low, high],
  };
}
