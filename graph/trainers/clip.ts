/** The clipped objective of one decision: L(ρ, A) = min(ρA, clip(ρ, low, high) A), ρ = exp(logp − logp when it was made). */

export interface ClipRange {
  /** Absolute bounds of ρ. */
  readonly low: number;
  readonly high: number;
}

/** SPADE's asymmetric clip (arXiv 2608.19197): 1 − 0.2 and 1 + 0.28. */
export const spadeClip: ClipRange = { low: 0.8, high: 1.28 };

export interface Clipped {
  /** L(ρ, A). */
  readonly value: number;
  /** dL / d logp: ρA, or 0 where the clip holds. */
  readonly slope: number;
  readonly isClipped: boolean;
}

/** `logratio` = logp − logp when it was made. */
export function clipped(logratio: number, advantage: number, { low, high }: ClipRange): Clipped {
  const ratio = Math.exp(logratio);
  const free = ratio * advantage;
  const held = Math.min(high, Math.max(low, ratio)) * advantage;
  return held < free
    ? { value: held, slope: 0, isClipped: true }
    : { value: free, slope: free, isClipped: false };
}
