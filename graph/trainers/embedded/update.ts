/** An update of the embedded policy, pure: weights and a batch in, new weights and what changed out. */
import { type DesignerWeights, readDesignerWeights } from "../../models/embedded/designer/policy.ts";
import type { AgentWeights, PolicyWeights } from "../../models/embedded/weights.ts";
import { type ClipRange, spadeClip } from "../clip.ts";
import type { Batch, UpdateStatistics } from "../trainer.ts";
import { type AgentExample, agentExample, agentLogprobs, agentObjective } from "./agent-objective.ts";
import { designerObjective } from "./designer-objective.ts";

export interface UpdateSettings {
  readonly epochs: number;
  readonly clip: ClipRange;
  /** Steps along the gradient of the mean objective. */
  readonly strategyRate: number;
  readonly skillRate: number;
  readonly designerRate: number;
  /** How far one θ may move in an update. */
  readonly mostSkill: number;
  /** The share of a skill's change that the others get: what is learnt of one helps with all. */
  readonly spilled: number;
  /** What a nat of entropy of a designer's choice is worth. */
  readonly entropyBonus: number;
}

export const defaultSettings: UpdateSettings = {
  epochs: 2,
  clip: spadeClip,
  strategyRate: 6,
  skillRate: 6,
  designerRate: 0.2,
  mostSkill: 0.15,
  spilled: 0.15,
  entropyBonus: 1,
};

export interface Updated {
  readonly weights: PolicyWeights;
  readonly statistics: UpdateStatistics;
}

/** Throws a RangeError if a designer's decisions do not fit their messages. */
export function updatedPolicy(
  before: PolicyWeights,
  batch: Pick<Batch, "agent" | "designer">,
  settings: UpdateSettings = defaultSettings,
): Updated {
  const examples = batch.agent.map(agentExample).filter((example) => example !== null);
  const agent = updatedAgent(before.agent, examples, settings);
  const designer = updatedDesigner(readDesignerWeights(before.designer), batch, settings);
  const decisions = agent.decisions + designer.decisions;
  return {
    weights: { format: 1, agent: agent.weights, designer: designer.weights },
    statistics: {
      agentTrajectories: examples.length,
      designerTrajectories: batch.designer.length,
      clipFraction: decisions === 0 ? null : (agent.clipped + designer.clipped) / decisions,
      agentEntropy: examples.length === 0 ? null : agent.entropy,
      designerEntropy: batch.designer.length === 0 ? null : designer.entropy,
      changed: Math.sqrt(agent.squaredChange + designer.squaredChange),
      metrics: null,
    },
  };
}

interface Part<W> {
  readonly weights: W;
  readonly clipped: number;
  readonly decisions: number;
  /** Before the update. */
  readonly entropy: number;
  readonly squaredChange: number;
}

function updatedAgent(
  before: AgentWeights,
  examples: readonly AgentExample[],
  { epochs, clip, strategyRate, skillRate, mostSkill, spilled }: UpdateSettings,
): Part<AgentWeights> {
  const old = examples.map((example) => agentLogprobs(before, example));
  const weights: AgentWeights = {
    strategies: before.strategies,
    logits: before.logits.map((row) => [...row]),
    bias: [...before.bias],
    skill: [...before.skill],
  };
  let entropy = 0;
  let last = { clippedDecisions: 0, decisions: 0 };
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const objective = agentObjective(weights, examples, old, clip);
    if (epoch === 0) entropy = objective.entropy;
    last = objective;
    const { gradient } = objective;
    for (const [feature, column] of gradient.logits) {
      for (const [k, row] of weights.logits.entries()) {
        row[feature] = (row[feature] ?? 0) + strategyRate * (column[k] ?? 0);
      }
    }
    const all = gradient.skill.reduce((sum, amount) => sum + amount, 0);
    for (const [k, own] of gradient.skill.entries()) {
      weights.bias[k] = (weights.bias[k] ?? 0) + strategyRate * (gradient.bias[k] ?? 0);
      const start = before.skill[k] ?? 0;
      const wanted = (weights.skill[k] ?? 0) + skillRate * (own + spilled * (all - own));
      weights.skill[k] = Math.min(start + mostSkill, Math.max(start - mostSkill, wanted));
    }
  }
  const squared = (now: readonly number[], then: readonly number[]): number =>
    now.reduce((sum, value, i) => sum + (value - (then[i] ?? 0)) ** 2, 0);
  const ofLogits = weights.logits.reduce((sum, row, k) => sum + squared(row, before.logits[k] ?? []), 0);
  return {
    weights,
    clipped: last.clippedDecisions,
    decisions: last.decisions,
    entropy,
    squaredChange: ofLogits + squared(weights.bias, before.bias) + squared(weights.skill, before.skill),
  };
}

function updatedDesigner(
  before: DesignerWeights,
  { designer }: Pick<Batch, "designer">,
  { epochs, clip, designerRate, entropyBonus }: UpdateSettings,
): Part<Record<string, number[]>> {
  // As they were sampled: a design may be an earlier version's.
  const old = designer.map(({ decisions }) => new Map(decisions.map(({ site, logprob }) => [site, logprob])));
  let weights: Record<string, number[]> = Object.fromEntries(
    Object.entries(before).map(([key, list]) => [key, [...list]]),
  );
  let entropy = 0;
  let last = { clippedDecisions: 0, decisions: 0 };
  let squaredChange = 0;
  for (let epoch = 0; epoch < epochs && designer.length > 0; epoch += 1) {
    const objective = designerObjective(weights, designer, old, {
      clip,
      entropyBonus,
      widthOf: (key, least) => Math.max(least, before[key]?.length ?? 0),
    });
    if (epoch === 0) entropy = objective.entropy;
    last = objective;
    // A new object each time: whoever reads weights may remember what they read of an object.
    weights = { ...weights };
    for (const [key, gradient] of objective.gradient) {
      const list = [...(weights[key] ?? [])];
      for (const [i, amount] of gradient.entries()) {
        list[i] = (list[i] ?? 0) + designerRate * amount;
        squaredChange += (designerRate * amount) ** 2;
      }
      weights[key] = list;
    }
  }
  return {
    weights,
    clipped: last.clippedDecisions,
    decisions: last.decisions,
    entropy,
    squaredChange,
  };
}
