/**
 * The agent's objective and its gradient: for each trajectory the clipped objective of its choice of a strategy, and of
 * its careful and careless steps divided by √t, so that a long episode does not outweigh its choice. Averaged over all.
 */

import { hintHelps, levelOf } from "../../models/embedded/agent/skill.ts";
import { featuresOf, splitHint } from "../../models/embedded/features.ts";
import { type Strategy, strategies } from "../../models/embedded/mechanics/concepts.ts";
import { logSoftmax, sigmoid } from "../../models/embedded/softmax.ts";
import type { AgentWeights } from "../../models/embedded/weights.ts";
import { type ClipRange, clipped } from "../clip.ts";
import type { AgentTrajectory } from "../trainer.ts";

/** A trajectory with all that the objective needs of it, read once. */
export interface AgentExample {
  readonly indices: readonly number[];
  readonly values: readonly number[];
  /** Position of the strategy that was chosen. */
  readonly strategy: number;
  /** 2 (1.5 · hint − level) + 1.4: what is added to 2θ before the logistic function. */
  readonly ease: number;
  readonly careful: number;
  readonly careless: number;
  /** Advantage times weight. */
  readonly advantage: number;
}

/** Null for a trajectory that holds no choice of a strategy, e.g. of another player. */
export function agentExample(trajectory: AgentTrajectory): AgentExample | null {
  const all = trajectory.decisions.flat();
  const chosen = all.find(({ site }) => site === "strategy")?.choice;
  const names: readonly string[] = strategies;
  const strategy = chosen === undefined ? -1 : names.indexOf(chosen);
  if (strategy < 0) return null;
  const shown =
    trajectory.prompt === "plain"
      ? splitHint(trajectory.firstObservation).observation
      : trajectory.firstObservation;
  const { observation, hint } = splitHint(shown);
  const { indices, values } = featuresOf(shown);
  const steps = all.filter(({ site }) => site.startsWith("step/"));
  const careful = steps.filter(({ choice }) => choice === "careful").length;
  const help = hintHelps(hint, strategies[strategy] as Strategy) ? 1.5 : 0;
  return {
    indices,
    values,
    strategy,
    ease: 2 * (help - levelOf(observation)) + 1.4,
    careful,
    careless: steps.length - careful,
    advantage: trajectory.advantage * trajectory.weight,
  };
}

/** Log-probabilities of an example's decisions under some weights. */
export interface AgentLogprobs {
  readonly strategy: number;
  readonly careful: number;
  readonly careless: number;
}

function strategyDistribution({ logits, bias }: AgentWeights, { indices, values }: AgentExample): number[] {
  return logSoftmax(
    logits.map((row, k) =>
      indices.reduce((sum, feature, i) => sum + (row[feature] ?? 0) * (values[i] ?? 0), bias[k] ?? 0),
    ),
  );
}

/** q and dq/dθ of a careful step (graph/models/embedded/agent/skill.ts). */
function carefulStep(
  { skill }: AgentWeights,
  { strategy, ease }: AgentExample,
): { q: number; slope: number } {
  const s = sigmoid(2 * (skill[strategy] ?? 0) + ease);
  return { q: 0.005 + 0.99 * s, slope: 0.99 * 2 * s * (1 - s) };
}

export function agentLogprobs(weights: AgentWeights, example: AgentExample): AgentLogprobs {
  const { q } = carefulStep(weights, example);
  return {
    strategy: strategyDistribution(weights, example)[example.strategy] ?? Number.NEGATIVE_INFINITY,
    careful: Math.log(q),
    careless: Math.log(1 - q),
  };
}

/** The gradient by the weights it can be other than 0 at. */
export interface AgentGradient {
  /** Strategies × features, sparse: feature → one number a strategy. */
  readonly logits: Map<number, number[]>;
  readonly bias: number[];
  readonly skill: number[];
}

export interface AgentObjective {
  readonly value: number;
  readonly gradient: AgentGradient;
  readonly clippedDecisions: number;
  readonly decisions: number;
  /** Mean entropy of the choice of a strategy, nats. */
  readonly entropy: number;
}

/** `old[i]`: log-probabilities of `examples[i]` under the weights that made the batch. */
export function agentObjective(
  weights: AgentWeights,
  examples: readonly AgentExample[],
  old: readonly AgentLogprobs[],
  clip: ClipRange,
): AgentObjective {
  const gradient: AgentGradient = {
    logits: new Map(),
    bias: strategies.map(() => 0),
    skill: strategies.map(() => 0),
  };
  let value = 0;
  let clippedDecisions = 0;
  let decisions = 0;
  let entropy = 0;
  const share = 1 / Math.max(1, examples.length);
  for (const [i, example] of examples.entries()) {
    const before = old[i];
    if (before === undefined) throw new RangeError("an example without its log-probabilities");
    const { advantage, strategy, careful, careless } = example;
    const logprobs = strategyDistribution(weights, example);
    const choice = clipped((logprobs[strategy] ?? 0) - before.strategy, advantage, clip);
    value += share * choice.value;
    decisions += 1;
    clippedDecisions += choice.isClipped ? 1 : 0;
    entropy -= share * logprobs.reduce((sum, logprob) => sum + Math.exp(logprob) * logprob, 0);
    if (choice.slope !== 0) addChoice(gradient, example, logprobs, share * choice.slope);

    const steps = careful + careless;
    if (steps === 0) continue;
    const { q, slope } = carefulStep(weights, example);
    const scale = share / Math.sqrt(steps);
    const well = clipped(Math.log(q) - before.careful, advantage, clip);
    const badly = clipped(Math.log(1 - q) - before.careless, advantage, clip);
    value += scale * (careful * well.value + careless * badly.value);
    decisions += steps;
    clippedDecisions += (well.isClipped ? careful : 0) + (badly.isClipped ? careless : 0);
    const bySkill = careful * well.slope * (slope / q) - careless * badly.slope * (slope / (1 - q));
    gradient.skill[strategy] = (gradient.skill[strategy] ?? 0) + scale * bySkill;
  }
  return { value, gradient, clippedDecisions, decisions, entropy };
}

/** Adds `by` times the gradient of the log-probability of what was chosen: 1{k = chosen} − p(k), by each feature. */
function addChoice(
  { logits, bias }: AgentGradient,
  { indices, values, strategy }: AgentExample,
  logprobs: readonly number[],
  by: number,
): void {
  const pull = logprobs.map((logprob, k) => by * ((k === strategy ? 1 : 0) - Math.exp(logprob)));
  for (const [k, amount] of pull.entries()) bias[k] = (bias[k] ?? 0) + amount;
  for (const [i, feature] of indices.entries()) {
    const value = values[i] ?? 0;
    const column = logits.get(feature) ?? strategies.map(() => 0);
    for (const [k, amount] of pull.entries()) column[k] = (column[k] ?? 0) + amount * value;
    logits.set(feature, column);
  }
}
