/**
 * What the agent knows before it learns: hint words point to their strategies, a part of the cue words points to
 * theirs, and every strategy is carried out well up to a middling level.
 */
import { keyedRandom } from "../../../../config/random.ts";
import { featureCount, featureOf } from "../features.ts";
import { cues, cuesOf, hintWords, type Strategy, strategies } from "../mechanics/concepts.ts";
import { mechanics } from "../mechanics/mechanics.ts";
import type { AgentWeights } from "../weights.ts";
import { otherHintWords } from "./skill.ts";

/** Logit of a hint word for its strategy. */
const hintLogit = 7;
/** Logit of a known cue for its strategy. */
const cueLogit = 4;
/** The share of cues known: of mechanics that the designer writes, and of the others. */
const knownCues = { familiar: 0.8, other: 0.5 } as const;
/** Biases lie within this much of 0. */
const biasSpread = 0.1;
/** θ of the strategies: a middling size, and how far a strategy may be off it. */
const initialSkill = { mean: 10, spread: 0.8 } as const;

/** The agent's part of the untrained weights; the same on every machine. */
export function initialAgentWeights(): AgentWeights {
  const logits = strategies.map(() => Array.from({ length: featureCount }, () => 0));
  const familiar = familiarCues();
  const raise = (strategy: Strategy, feature: number, by: number): void => {
    const row = logits[strategies.indexOf(strategy)];
    if (row !== undefined) row[feature] = (row[feature] ?? 0) + by;
  };
  for (const strategy of strategies) {
    for (const word of [...hintWords[strategy], ...otherHintWords[strategy]]) {
      raise(strategy, featureOf("hint", word), hintLogit);
    }
    if (strategy === "random") continue;
    const words = keyedRandom("embedded-prior", strategy).shuffle(cues[strategy].map((cue) => cue.word));
    for (const isFamiliar of [true, false]) {
      const group = words.filter((word) => familiar.has(word) === isFamiliar);
      const share = isFamiliar ? knownCues.familiar : knownCues.other;
      for (const word of group.slice(0, Math.round(share * group.length))) {
        raise(strategy, featureOf("observation", word), cueLogit);
      }
    }
  }
  const random = keyedRandom("embedded-prior", "bias");
  return {
    strategies: [...strategies],
    logits,
    bias: strategies.map(() => biasSpread * (2 * random.next() - 1)),
    skill: strategies.map(() => initialSkill.mean + initialSkill.spread * (2 * random.next() - 1)),
  };
}

/** The cue words of mechanics that are not held out. */
function familiarCues(): Set<string> {
  return new Set(
    mechanics
      .filter((mechanic) => !mechanic.heldOut)
      .flatMap((mechanic) => cuesOf(mechanic.concept, mechanic.cueOffset).map((cue) => cue.word)),
  );
}
