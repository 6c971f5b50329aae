/** Which strategy to play by: a softmax over what the first observation says, hint included. */
import { type Features, featuresOf } from "../features.ts";
import { type Strategy, strategies } from "../mechanics/concepts.ts";
import { logSoftmax } from "../softmax.ts";
import type { AgentWeights } from "../weights.ts";
import { carefulChance } from "./skill.ts";

/** Log-probabilities of the strategies, in the order of `strategies`. */
export function strategyLogprobs(weights: AgentWeights, features: Features): number[] {
  return logSoftmax(
    weights.logits.map((row, k) => {
      let logit = weights.bias[k] ?? 0;
      for (const [i, feature] of features.indices.entries()) {
        logit += (row[feature] ?? 0) * (features.values[i] ?? 0);
      }
      return logit;
    }),
  );
}

/**
 * The log-probability of a strategy after a first observation as a player saw it. Take the hint off the text
 * (`splitHint`) to score a hinted choice as a plain one.
 */
export function strategyLogprob(weights: AgentWeights, firstObservation: string, strategy: Strategy): number {
  const logprobs = strategyLogprobs(weights, featuresOf(firstObservation));
  return logprobs[strategies.indexOf(strategy)] ?? Number.NEGATIVE_INFINITY;
}

/** The chance of a careful step under a strategy, in (0.005, 0.995); its complement is that of a careless one. */
export function stepChance(weights: AgentWeights, firstObservation: string, strategy: Strategy): number {
  return carefulChance(skillIn(weights, strategy), firstObservation, strategy);
}

/** θ of a strategy. */
export function skillIn(weights: AgentWeights, strategy: Strategy): number {
  return weights.skill[strategies.indexOf(strategy)] ?? 0;
}
