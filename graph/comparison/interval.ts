/** A mean with its 95 % confidence interval by Student's t. */
import { average } from "../rewards/statistics.ts";

export interface Interval {
  readonly mean: number;
  /** Null with under two values. */
  readonly low: number | null;
  readonly high: number | null;
}

/** Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom (any table of the distribution). */
const quantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** Above the table: the normal quantile and the first term of its expansion in 1/n (Cornish and Fisher). */
function quantile(degrees: number): number {
  const z = 1.959_964;
  return quantiles[degrees - 1] ?? z + (z ** 3 + z) / (4 * degrees);
}

/** Throws a RangeError on an empty list. */
export function interval(values: readonly number[]): Interval {
  const mean = average(values);
  const n = values.length;
  if (n < 2) return { mean, low: null, high: null };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = quantile(n - 1) * Math.sqrt(variance / n);
  return { mean, low: mean - half, high: mean + half };
}
