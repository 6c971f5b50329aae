/** Advantages of the agent: how much better each trajectory did than the group it is compared with (GRPO). */
import type { EpisodeRecord } from "../../store/records.ts";
import { average } from "./statistics.ts";

/** What of an episode the grouping needs. */
export type Trajectory = Pick<EpisodeRecord, "id" | "environmentId" | "arm" | "seed" | "return">;

/** Which prompt the trajectories of a group are scored under when the policy is updated. */
export type GroupPrompt = "plain" | "hinted";

/** Trajectories that are compared with each other, by the id of their episode. */
export interface Group {
  readonly id: string;
  readonly environmentId: string;
  readonly prompt: GroupPrompt;
  readonly members: readonly { readonly episodeId: string; readonly return: number }[];
}

/** One trajectory's advantage in one group; with cross-arm groups a hinted episode appears in two. */
export interface AgentAdvantage {
  readonly groupId: string;
  readonly episodeId: string;
  readonly prompt: GroupPrompt;
  readonly advantage: number;
}

export interface AgentAdvantages {
  readonly advantages: readonly AgentAdvantage[];
  /** Groups that had a spread and are in `advantages`. */
  readonly kept: number;
  /** Groups without any spread: they carry no signal. */
  readonly dropped: number;
}

/** Added to a group's standard deviation (GRPO). */
const epsilon = 1e-8;

/** `same-instance`: one group a seed (plays share seeds); otherwise one group an environment, whatever the seeds. */
export type Instances = "mixed" | "same-instance";

/**
 * The reference's groups: one environment's plain episodes; hinted ones measure and don't train. Episodes without a
 * return are left out, and so are groups that nothing is left of. Use `same-instance` when plays share seeds.
 */
export function plainGroups(episodes: readonly Trajectory[], instances: Instances = "mixed"): Group[] {
  return gather(episodes, ["plain"], "plain", instances);
}

/**
 * Cross-arm groups: an environment's plain and hinted trajectories form one group that is scored under the plain
 * prompt, with one mean and deviation, so that what the hint made possible is imitated without it; the hinted ones
 * also form a group of their own under the hinted prompt. A form of distillation, not an unbiased gradient.
 */
export function crossArmGroups(episodes: readonly Trajectory[], instances: Instances = "mixed"): Group[] {
  return [
    ...gather(episodes, ["plain", "hinted"], "plain", instances),
    ...gather(episodes, ["hinted"], "hinted", instances),
  ];
}

/** A = (r − mean of the group) / (population standard deviation of the group + 1e-8); zero-spread groups are dropped. */
export function agentAdvantages(groups: readonly Group[]): AgentAdvantages {
  const advantages: AgentAdvantage[] = [];
  let dropped = 0;
  for (const group of groups) {
    const returns = group.members.map((member) => member.return);
    // Compared by value: rounding can give equal returns a deviation that is not exactly 0.
    if (returns.every((value) => value === returns[0])) {
      dropped += 1;
      continue;
    }
    const mean = average(returns);
    const deviation = Math.sqrt(average(returns.map((value) => (value - mean) ** 2)));
    for (const member of group.members) {
      advantages.push({
        groupId: group.id,
        episodeId: member.episodeId,
        prompt: group.prompt,
        advantage: (member.return - mean) / (deviation + epsilon),
      });
    }
  }
  return { advantages, kept: groups.length - dropped, dropped };
}

function gather(
  episodes: readonly Trajectory[],
  arms: readonly Trajectory["arm"][],
  prompt: GroupPrompt,
  instances: Instances,
): Group[] {
  const groups = new Map<string, Group & { members: { episodeId: string; return: number }[] }>();
  for (const episode of episodes) {
    if (episode.return === null || !arms.includes(episode.arm)) continue;
    const parts = [episode.environmentId, arms.join("+")];
    if (instances === "same-instance") parts.push(String(episode.seed));
    const id = parts.join(".");
    const group = groups.get(id) ?? { id, environmentId: episode.environmentId, prompt, members: [] };
    group.members.push({ episodeId: episode.id, return: episode.return });
    groups.set(id, group);
  }
  return [...groups.values()];
}
