/** What the embedded designer tends to write, from its weights alone: mechanics and sizes, with nothing to go by. */
import { difficulty, skill } from "../../../../config/words.ts";
import { type DesignerWeights, decide } from "./policy.ts";
import type { DesignRequest } from "./request.ts";

export interface Habits {
  /** Share of its designs by mechanic; sums to 1. */
  readonly mechanics: Readonly<Record<string, number>>;
  /** The mean size of its designs, 1 to 16. */
  readonly meanSize: number;
}

/**
 * Over all skills and difficulties alike, without a document, a brief or a memory: what it would choose where only its
 * weights speak. `turnCap` bounds the sizes, as in a round.
 */
export function habitsOf(weights: DesignerWeights, turnCap: number): Habits {
  const mechanics: Record<string, number> = {};
  let meanSize = 0;
  const tasks = skill.options.flatMap((one) => difficulty.options.map((level) => ({ one, level })));
  for (const { one, level } of tasks) {
    const request: DesignRequest = {
      skill: one,
      difficulty: level,
      turnCap,
      brief: "",
      document: "",
      digest: new Map(),
      repair: null,
    };
    for (const [name, share] of sharesOf(request, weights, "mechanic/")) {
      mechanics[name] = (mechanics[name] ?? 0) + share / tasks.length;
      for (const [size, among] of sharesOf(request, weights, "size", name)) {
        meanSize += (Number(size) * among * share) / tasks.length;
      }
    }
  }
  return { mechanics, meanSize };
}

/** The probabilities at a site, of a design whose mechanic is given where that is decided before. */
function sharesOf(
  request: DesignRequest,
  weights: DesignerWeights,
  wanted: string,
  mechanic?: string,
): readonly (readonly [string, number])[] {
  let shares: readonly (readonly [string, number])[] = [];
  decide(request, weights, ({ site, options, logprobs }) => {
    if (site.startsWith(wanted)) shares = options.map((option, i) => [option, Math.exp(logprobs[i] ?? 0)]);
    const given = options.find((option) => option === mechanic);
    return given ?? options[0] ?? "";
  });
  return shares;
}
