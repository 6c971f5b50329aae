/** Running numbers of a skill across rounds: fast and slow averages of returns, and the mean of the designer's u. */
import type { Role } from "../../config/words.ts";
import type { SkillAverages } from "../../store/records.ts";

/** Weight of a new return in the fast average. */
export const fastWeight = 0.98;
/** Weight of a new return in the slow average. */
export const slowWeight = 0.85;

/** A skill that nothing is known of yet. */
export function emptyAverages(role: Role, skill: string): SkillAverages {
  return { role, skill, fast: null, slow: null, meanReward: null, count: 0 };
}

/**
 * The averages after more returns, in the order played: μ ← (1 − γ) μ + γ r for each r, with γ 0.98 (fast) and 0.85
 * (slow); the first return starts both. Feed plain returns by slot and play; null ones are left out.
 */
export function withReturns(averages: SkillAverages, returns: readonly (number | null)[]): SkillAverages {
  let { fast, slow } = averages;
  for (const value of returns) {
    if (value === null) continue;
    fast = fast === null ? value : (1 - fastWeight) * fast + fastWeight * value;
    slow = slow === null ? value : (1 - slowWeight) * slow + slowWeight * value;
  }
  return { ...averages, fast, slow };
}

/** The averages after more rewards of the designer: `meanReward` is the plain mean of all `count` so far. */
export function withRewards(averages: SkillAverages, rewards: readonly (number | null)[]): SkillAverages {
  let { meanReward, count } = averages;
  for (const reward of rewards) {
    if (reward === null) continue;
    meanReward = ((meanReward ?? 0) * count + reward) / (count + 1);
    count += 1;
  }
  return { ...averages, meanReward, count };
}
