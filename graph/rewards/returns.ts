/** An episode's return: the one number in [−1, 1] that an episode is worth. */

/** How an episode ended, as far as its return depends on it. */
export interface EpisodeEnd {
  /** The environment said that the episode is over. Out of turns or out of context is not that. */
  readonly terminated: boolean;
  /** The reward of the last step; null if no step was taken. Finite. */
  readonly lastReward: number | null;
  /** Null if nothing failed. `ours`: the environment and the player are innocent. */
  readonly failure: { readonly ours: boolean } | null;
}

/**
 * The return r of an episode (arXiv 2608.19197): the last step's reward clamped to [−1, 1] if it terminated, else 0:
 * out of turns, out of context and an environment that failed all earn 0. Null if it failed for our own reasons: such
 * an episode is left out, not scored. Throws a RangeError on a reward that is not finite.
 */
export function episodeReturn(end: EpisodeEnd): number | null {
  if (end.failure !== null) return end.failure.ours ? null : 0;
  if (!end.terminated || end.lastReward === null) return 0;
  if (!Number.isFinite(end.lastReward)) throw new RangeError(`a reward of ${end.lastReward} has no return`);
  return clamp(end.lastReward, -1, 1);
}

/** Success: terminated with return 1. */
export function isSuccess(episode: {
  readonly terminated: boolean;
  readonly return: number | null;
}): boolean {
  return episode.terminated && episode.return === 1;
}

/** `value`, or the nearer end of [low, high]. Turns −0 into 0. */
export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value)) + 0;
}
