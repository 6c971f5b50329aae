/** Smooths a curve over rounds, so that hundreds of noisy rounds show where they go. */

/** Rounds on either side that a point is averaged with: none for a few rounds, up to ten. */
export function reachOf(rounds: number): number {
  return Math.min(10, Math.floor(rounds / 12));
}

/**
 * The moving average: each entry is the mean of the known ones within `reach` of it. What is not known stays so, and
 * the ends are averaged over what there is.
 */
export function smoothed(values: readonly (number | null)[], reach: number): (number | null)[] {
  return values.map((value, at) => {
    if (value === null) return null;
    const around = values.slice(Math.max(0, at - reach), at + reach + 1).filter((one) => one !== null);
    return around.reduce((sum, one) => sum + one, 0) / around.length;
  });
}
