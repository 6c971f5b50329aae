/** Softmax choices: probabilities, a draw, and the log-probability of what was drawn. */
import type { Random } from "../../../config/random.ts";

/** Log-probabilities of a softmax over `logits`; finite logits give finite results that sum to 1 after `exp`. */
export function logSoftmax(logits: readonly number[]): number[] {
  const top = Math.max(...logits);
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - top);
  const shift = top + Math.log(sum);
  return logits.map((logit) => logit - shift);
}

/** The logistic function σ(x), in (0, 1). */
export function sigmoid(x: number): number {
  return x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
}

/** An index drawn by its log-probability; one draw of `random`. */
export function sampleIndex(logprobs: readonly number[], random: Random): number {
  let left = random.next();
  for (const [index, logprob] of logprobs.entries()) {
    left -= Math.exp(logprob);
    if (left < 0) return index;
  }
  return logprobs.length - 1;
}
