/** Designs for the tests of the embedded designer: any mechanic in any size, everything else drawn by a key. */
import { keyedRandom } from "../../config/random.ts";
import type { EnvironmentKind } from "../../config/words.ts";
import type { Design, Level, Mechanic } from "../../graph/models/embedded/mechanics/mechanic.ts";
import { themeOf } from "../../graph/models/embedded/mechanics/theme.ts";
import type { DesignTask } from "../../graph/prompts/designer.ts";
import { designMessages } from "../../graph/prompts/designer.ts";
import { wrapAction } from "../../sandbox/actions.ts";

export const documents = {
  harbour:
    "The harbor master counts ships, sails, ropes and barrels; 17 vessels left with salted herring, wool and amber in 1874. The tide tables list 12 pilots, and merchants trade in the market for silver.",
  leaf: "Photosynthesis converts light energy into chemical energy. Chlorophyll in the leaves absorbs 430 and 662 nanometre light; glucose, starch and cellulose follow. Roots draw water and nitrogen.",
  music:
    "Mozart wrote 41 symphonies. The orchestra tunes violins, oboes and clarinets; the melody of the sonata returns in the finale, and the audience applauds the music.",
} as const;

export interface DesignKey {
  readonly mechanic: Mechanic;
  readonly size: number;
  readonly key: string | number;
  readonly budget?: Level;
}

/** A design with its rule branches, constants and theme drawn by the key. */
export function designBy({ mechanic, size, key, budget = 1 }: DesignKey): Design {
  const random = keyedRandom("designer-test", mechanic.name, size, key);
  return {
    mechanic,
    size,
    hidden: 1,
    distractors: 1,
    budget,
    turnCap: 25,
    rules: Object.fromEntries(mechanic.rules.map((rule) => [rule.name, random.pick(rule.options)])),
    theme: themeOf(documents.harbour, random),
    random,
  };
}

/** A solution as `step` takes it. */
export function actionsFor(kind: EnvironmentKind, solution: readonly string[] | null): string[] {
  return (solution ?? []).map((action) => wrapAction(kind, action));
}

/** The messages of a design request; what is left out is a plain game of medium difficulty. */
export function requestFor(task: Partial<DesignTask> & { readonly text?: string } = {}) {
  const { text, ...given } = task;
  return designMessages({
    kind: "game",
    language: "javascript",
    skill: "Logical Deduction",
    difficulty: "medium",
    turnCap: 25,
    brief: null,
    document: text === undefined ? null : { id: "d-1", title: "A document", text },
    memory: "",
    ...given,
  });
}
