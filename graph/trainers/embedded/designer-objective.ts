/**
 * The designer's objective and its gradient: the clipped objective of the choices that regret can judge, the mechanic and
 * the size, and an entropy bonus on all choices, so that the others stay as varied as they are. Averaged over designs.
 */
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import {
  type DesignerWeights,
  exploration,
  type ReplayedChoice,
  replay,
} from "../../models/embedded/designer/policy.ts";
import { type ClipRange, clipped } from "../clip.ts";
import type { DesignerTrajectory } from "../trainer.ts";

/** Sites that the advantage trains; what else a design decides is not what makes its regret. */
const trained = /^(mechanic\/|size$)/;

/** Log-probabilities of a design's decisions, by site. */
export type DesignerLogprobs = ReadonlyMap<string, number>;

export interface DesignerObjective {
  readonly value: number;
  /** By the weights it can be other than 0 at: key → one number an option. */
  readonly gradient: ReadonlyMap<string, readonly number[]>;
  readonly clippedDecisions: number;
  readonly decisions: number;
  /** Mean entropy of a choice, nats. */
  readonly entropy: number;
}

/** The choices of a design under some weights. Throws a RangeError if the decisions do not fit the messages. */
export function replayed(
  { messages, decisions }: DesignerTrajectory,
  weights: DesignerWeights,
): ReplayedChoice[] {
  const sent = messages.map(({ by, text }) =>
    by === "system" ? new SystemMessage(text) : new HumanMessage(text),
  );
  return replay(sent, decisions, weights);
}

export function designerLogprobs(trajectory: DesignerTrajectory, weights: DesignerWeights): DesignerLogprobs {
  return new Map(replayed(trajectory, weights).map(({ site, logprob }) => [site, logprob]));
}

export interface DesignerOptions {
  readonly clip: ClipRange;
  /** What a nat of entropy of a choice is worth. */
  readonly entropyBonus: number;
  /** Width of a site's list of weights, by site. */
  readonly widthOf: (key: string, least: number) => number;
}

/** `old[i]`: log-probabilities of `trajectories[i]` under the weights that made it. */
export function designerObjective(
  weights: DesignerWeights,
  trajectories: readonly DesignerTrajectory[],
  old: readonly DesignerLogprobs[],
  { clip, entropyBonus, widthOf }: DesignerOptions,
): DesignerObjective {
  const gradient = new Map<string, number[]>();
  const share = 1 / Math.max(1, trajectories.length);
  let value = 0;
  let clippedDecisions = 0;
  let decisions = 0;
  let entropySum = 0;
  let choices = 0;
  for (const [i, trajectory] of trajectories.entries()) {
    const advantage = trajectory.advantage * trajectory.weight;
    for (const choice of replayed(trajectory, weights)) {
      const { softmax, chosen, site, logprob, logprobs } = choice;
      const entropy = -softmax.reduce((sum, q) => sum + (q > 0 ? q * Math.log(q) : 0), 0);
      entropySum += entropy;
      choices += 1;
      value += share * entropyBonus * entropy;
      // dH/d logit j = −q(j) (ln q(j) + H)
      const pull = softmax.map((q) => (q > 0 ? -share * entropyBonus * q * (Math.log(q) + entropy) : 0));
      if (trained.test(site)) {
        const before = old[i]?.get(site);
        if (before === undefined) throw new RangeError(`no log-probability at ${site}`);
        const part = clipped(logprob - before, advantage, clip);
        value += share * part.value;
        decisions += 1;
        clippedDecisions += part.isClipped ? 1 : 0;
        const q = softmax[chosen] ?? 0;
        const p = Math.exp(logprobs[chosen] ?? 0);
        const scale = (share * part.slope * (1 - exploration) * q) / p;
        for (const [j, qj] of softmax.entries()) {
          pull[j] = (pull[j] ?? 0) + scale * ((j === chosen ? 1 : 0) - qj);
        }
      }
      add(gradient, choice, pull, widthOf);
    }
  }
  return { value, gradient, clippedDecisions, decisions, entropy: entropySum / Math.max(1, choices) };
}

/** Every weight of an option counts the same in its logit, so each gets the whole of the logit's gradient. */
function add(
  gradient: Map<string, number[]>,
  { keys, positions }: ReplayedChoice,
  pull: readonly number[],
  widthOf: DesignerOptions["widthOf"],
): void {
  const least = Math.max(...positions) + 1;
  for (const key of keys) {
    const list = gradient.get(key) ?? Array.from({ length: widthOf(key, least) }, () => 0);
    while (list.length < least) list.push(0);
    for (const [j, position] of positions.entries()) list[position] = (list[position] ?? 0) + (pull[j] ?? 0);
    gradient.set(key, list);
  }
}
