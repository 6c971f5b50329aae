/** 95 % intervals of what evaluations measure. */

/** The quantile of the normal distribution that leaves 2.5 % above it. */
const z = 1.959964;

/**
 * The 95 % interval of a fraction that was seen in `count` independent draws, after Wilson (1927): it stays within
 * [0, 1] and has a width also where nothing or everything was won. [0, 1] without draws.
 */
export function fractionInterval(
  fraction: number,
  count: number,
): { readonly low: number; readonly high: number } {
  if (count <= 0) return { low: 0, high: 1 };
  const middle = (fraction + (z * z) / (2 * count)) / (1 + (z * z) / count);
  const half =
    (z / (1 + (z * z) / count)) *
    Math.sqrt((fraction * (1 - fraction)) / count + (z * z) / (4 * count * count));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}
