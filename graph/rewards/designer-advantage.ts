/** Advantages of the designer: its reward against what designs of the same skill earn, scaled to the agent's share. */
import { average } from "./statistics.ts";

/** One design of a batch with its reward u; null where u can't be said. */
export interface RewardedDesign {
  readonly id: string;
  readonly skill: string;
  readonly reward: number | null;
}

export interface DesignerAdvantageOptions {
  /** Running mean of u per skill before this batch; a skill without one is missing or null. */
  readonly runningMeans: Readonly<Record<string, number | null>>;
  /** Trajectories of the agent in the same update: its scored plain episodes, with or without a spread in their group. */
  readonly agentTrajectories: number;
  /** Rounds that environments are played for before new ones are designed; 1 = new ones every round. */
  readonly regenerationInterval: number;
}

export interface DesignerAdvantages {
  /** s, in [0, 50]. */
  readonly scale: number;
  /** One a design, in the order given; null where its reward is null. */
  readonly advantages: readonly { readonly id: string; readonly advantage: number | null }[];
}

/** The largest factor s. */
const largestScale = 50;

/**
 * A = (u − mean u of the same skill) × s, with no division by a deviation. With fewer than two designs of a skill in
 * the batch, the skill's running mean stands in, else the batch's mean. s = min(agent trajectories / designer
 * trajectories × regeneration interval, 50), designer trajectories being the designs with a reward.
 */
export function designerAdvantages(
  designs: readonly RewardedDesign[],
  options: DesignerAdvantageOptions,
): DesignerAdvantages {
  const bySkill = new Map<string, number[]>();
  const all: number[] = [];
  for (const { skill, reward } of designs) {
    if (reward === null) continue;
    all.push(reward);
    bySkill.set(skill, [...(bySkill.get(skill) ?? []), reward]);
  }
  if (all.length === 0) {
    return { scale: 0, advantages: designs.map(({ id }) => ({ id, advantage: null })) };
  }
  const scale = Math.min(
    (options.agentTrajectories / all.length) * options.regenerationInterval,
    largestScale,
  );
  const baseline = (skill: string): number => {
    const own = bySkill.get(skill) ?? [];
    return own.length >= 2 ? average(own) : (options.runningMeans[skill] ?? average(all));
  };
  const advantages = designs.map(({ id, skill, reward }) => ({
    id,
    advantage: reward === null ? null : (reward - baseline(skill)) * scale,
  }));
  return { scale, advantages };
}
