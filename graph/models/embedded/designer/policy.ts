/**
 * The designer's policy: one softmax per decision, mechanic → size → hidden → distractors → budget → rule branches,
 * each conditioned on the task, the document and the choices before it. A choice's logits are a sum of weights, one list
 * a feature, plus what the memory's digest and the document say; its log-probability can be worked out again from the
 * messages, the decisions and the weights alone (`replay`).
 */
import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { keyedRandom } from "../../../../config/random.ts";
import type { Decision } from "../../../../store/records.ts";
import { type Mechanic, sizes, stepsNeeded } from "../mechanics/mechanic.ts";
import { mechanicNamed, mechanicsOf } from "../mechanics/mechanics.ts";
import { logSoftmax, sampleIndex } from "../softmax.ts";
import { mechanicBias, sizeBias } from "./digest.ts";
import { type Grounding, groundingOf, leaning } from "./grounding.ts";
import { repairBias } from "./repair.ts";
import { type DesignRequest, kindOf, readRequest } from "./request.ts";

export { initialDesignerWeights } from "./initial.ts";

/** Weights by `site|feature`: one number an option of the site. What is absent counts as zeros. */
export type DesignerWeights = Readonly<Record<string, readonly number[]>>;

const weightsSchema = z.record(z.string(), z.array(z.number()));
const parsed = new WeakMap<object, DesignerWeights>();

/** The designer's part of stored weights. Throws a ZodError if they are none. */
export function readDesignerWeights(weights: object): DesignerWeights {
  const known = parsed.get(weights);
  if (known !== undefined) return known;
  const read = weightsSchema.parse(weights);
  parsed.set(weights, read);
  return read;
}

/** The share of every choice that is drawn uniformly, so that no option is ever out of reach. */
export const exploration = 0.02;

const levels = ["0", "1", "2"] as const;

/** One decision as it stands before its draw. */
export interface Choice {
  readonly site: string;
  /** Options that can be drawn. */
  readonly options: readonly string[];
  /** Positions of `options` in the weights' lists. */
  readonly positions: readonly number[];
  /** Keys of the weights that apply, `site|feature`. */
  readonly keys: readonly string[];
  /** The softmax alone, without exploration; sums to 1. */
  readonly softmax: readonly number[];
  /** ln((1 − ε) softmax + ε / n); sums to 1 after `exp`. */
  readonly logprobs: readonly number[];
}

/** What was chosen, by site. */
type Made = Record<string, string>;

interface Site {
  readonly site: string;
  readonly all: readonly string[];
  readonly allowed?: (option: string) => boolean;
  readonly features: readonly string[];
  /** Added to the logits of `all`; not learned. */
  readonly bias?: readonly number[];
}

/** The decisions of a whole design, in order; `choose` draws one option of each. */
export function decide(
  request: DesignRequest,
  weights: DesignerWeights,
  choose: (choice: Choice) => string,
): { readonly mechanic: Mechanic; readonly made: Readonly<Made> } {
  const grounding = groundingOf(request.document, request.brief);
  const made: Made = {};
  const take = (site: Site): string => {
    const chosen = choose(choiceAt(site, request, grounding, weights));
    made[site.site] = chosen;
    return chosen;
  };
  const kind = kindOf(request);
  const task = ["bias", `skill=${request.skill}`, `difficulty=${request.difficulty}`];
  const ground = [...grounding.themes, ...grounding.wishes];
  const names = mechanicsOf(kind).map((mechanic) => mechanic.name);
  const name = take({
    site: `mechanic/${kind}`,
    all: names,
    features: [...task, ...ground, ...grounding.topics],
    bias: mechanicBias(request.digest, names),
  });
  const mechanic = mechanicNamed(name);
  if (mechanic === null) throw new RangeError(`no mechanic ${name}`);
  const size = take({
    site: "size",
    all: sizes.map(String),
    allowed: (option) => option === "1" || stepsNeeded(Number(option)) <= request.turnCap,
    features: [...task, `mechanic=${name}`, ...ground, ...grounding.numbers],
    bias: sizeBias(request.digest, name, sizes),
  });
  const band = `band=${Number(size) <= 5 ? "low" : Number(size) <= 10 ? "middle" : "high"}`;
  const details = [`difficulty=${request.difficulty}`, `mechanic=${name}`, band, ...ground];
  const hidden = take({ site: "hidden", all: levels, features: ["bias", ...details] });
  const distractors = take({
    site: "distractors",
    all: levels,
    features: ["bias", ...details, `hidden=${hidden}`],
  });
  take({ site: "budget", all: levels, features: ["bias", ...details, `distractors=${distractors}`] });
  for (const rule of mechanic.rules) {
    take({
      site: `rule/${name}/${rule.name}`,
      all: rule.options,
      features: ["bias", band, ...grounding.themes, ...grounding.numbers],
    });
  }
  return { mechanic, made };
}

function choiceAt(
  { site, all, allowed, features, bias }: Site,
  request: DesignRequest,
  grounding: Grounding,
  weights: DesignerWeights,
): Choice {
  const keys = features.map((feature) => `${site}|${feature}`);
  const mending = repairBias(request.repair, site, all);
  const logits = all.map(
    (option, i) =>
      (bias?.[i] ?? 0) +
      (mending[i] ?? 0) +
      keys.reduce((sum, key) => sum + (weights[key]?.[i] ?? 0), 0) +
      grounding.themes.reduce((sum, theme) => sum + leaning(site, theme, option), 0),
  );
  const positions = all.flatMap((option, i) => (allowed === undefined || allowed(option) ? [i] : []));
  const softmax = logSoftmax(positions.map((i) => logits[i] ?? 0)).map(Math.exp);
  return {
    site,
    options: positions.map((i) => all[i] ?? ""),
    positions,
    keys,
    softmax,
    logprobs: softmax.map((p) => Math.log((1 - exploration) * p + exploration / positions.length)),
  };
}

/** Draws a whole design; every draw is keyed by the seed and its site. */
export function sampleDesign(
  request: DesignRequest,
  weights: DesignerWeights,
  seed: number,
): { readonly mechanic: Mechanic; readonly made: Readonly<Made>; readonly decisions: Decision[] } {
  const decisions: Decision[] = [];
  const { mechanic, made } = decide(request, weights, (choice) => {
    const index = sampleIndex(choice.logprobs, keyedRandom("embedded-designer", seed, choice.site));
    const chosen = choice.options[index] ?? "";
    decisions.push({
      site: choice.site,
      choice: chosen,
      options: [...choice.options],
      logprob: choice.logprobs[index] ?? 0,
    });
    return chosen;
  });
  return { mechanic, made, decisions };
}

/** A decision with everything that its gradient needs. */
export interface ReplayedChoice extends Choice {
  /** Index of what was chosen among `options`. */
  readonly chosen: number;
  /** The log-probability under the given weights. */
  readonly logprob: number;
}

/**
 * The decisions of a designer's answer under other weights. `messages` are those that it answered to. With q the
 * softmax and p = (1 − ε) q + ε / n, the gradient of ln p(chosen) by the weight of option j under each of `keys` is
 * (1 − ε) q(chosen) (1{j = chosen} − q(j)) / p(chosen). Throws a RangeError if the decisions do not fit the messages.
 */
export function replay(
  messages: readonly BaseMessage[],
  decisions: readonly Decision[],
  weights: DesignerWeights,
): ReplayedChoice[] {
  const bySite = new Map(decisions.map((decision) => [decision.site, decision.choice]));
  const replayed: ReplayedChoice[] = [];
  decide(readRequest(messages), weights, (choice) => {
    const wanted = bySite.get(choice.site);
    const chosen = wanted === undefined ? -1 : choice.options.indexOf(wanted);
    if (wanted === undefined || chosen < 0) throw new RangeError(`no decision that fits at ${choice.site}`);
    replayed.push({ ...choice, chosen, logprob: choice.logprobs[chosen] ?? 0 });
    return wanted;
  });
  return replayed;
}
