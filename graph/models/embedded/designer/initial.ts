/** What the designer knows before it learns: which mechanics train a skill, and about how large a difficulty is. */
import { gameSkills, type Skill, toolUseSkills } from "../../../../config/words.ts";
import { sizes } from "../mechanics/mechanic.ts";
import { mechanicsOf } from "../mechanics/mechanics.ts";

/** Logit of a mechanic that does not train a skill; the others get their own weight. */
const unfit = -2.5;
/** Logits of a document's topic and of a brief's wish for a mechanic. */
const topicLogit = 2.5;
const wishLogit = 5;
/** Centre and spread of the sizes of a difficulty. */
const sizeOf = {
  easy: { centre: 0.8, spread: 1.6 },
  medium: { centre: 7.5, spread: 2.3 },
  hard: { centre: 11.5, spread: 2.8 },
} as const;
/** Hidden level, distractors and budget of a difficulty, as logits of 0, 1 and 2. */
const details = {
  hidden: { easy: [0.6, 0.3, -0.6], medium: [0, 0.4, 0], hard: [-0.6, 0.3, 0.6] },
  distractors: { easy: [0.6, 0.3, -0.6], medium: [0, 0.4, 0], hard: [-0.4, 0.3, 0.4] },
  budget: { easy: [-1, 0.2, 0.8], medium: [-0.2, 0.4, 0.2], hard: [0, 0.5, -0.3] },
} as const;

/** The designer's part of the untrained weights; the same on every machine. */
export function initialDesignerWeights(): Record<string, number[]> {
  const weights: Record<string, number[]> = {};
  for (const [kind, skills] of [
    ["game", gameSkills],
    ["tool-use", toolUseSkills],
  ] as const) {
    const known = mechanicsOf(kind);
    for (const skill of skills satisfies readonly Skill[]) {
      weights[`mechanic/${kind}|skill=${skill}`] = known.map(
        ({ skills: trained }) => trained[skill] ?? unfit,
      );
    }
    for (const { name } of known) {
      const here = (logit: number) => known.map((mechanic) => (mechanic.name === name ? logit : 0));
      weights[`mechanic/${kind}|topic=${name}`] = here(topicLogit);
      weights[`mechanic/${kind}|brief=${name}`] = here(wishLogit);
    }
  }
  for (const [difficulty, { centre, spread }] of Object.entries(sizeOf)) {
    weights[`size|difficulty=${difficulty}`] = sizes.map(
      (size) => -((size - centre) ** 2) / (2 * spread ** 2),
    );
  }
  weights["size|brief=small"] = sizes.map((size) => -0.4 * size);
  weights["size|brief=large"] = sizes.map((size) => 0.4 * size);
  for (const [site, byDifficulty] of Object.entries(details)) {
    for (const [difficulty, logits] of Object.entries(byDifficulty)) {
      weights[`${site}|difficulty=${difficulty}`] = [...logits];
    }
  }
  weights["budget|brief=tight"] = [3, 0, -3];
  weights["budget|brief=generous"] = [-3, 0, 3];
  weights["distractors|brief=plain"] = [4, 0, -2];
  return weights;
}
