/** The weights of the embedded policy: everything that learning may change, for both roles, as one text with a format. */
import { z } from "zod";
import { initialAgentWeights } from "./agent/prior.ts";
import { initialDesignerWeights } from "./designer/policy.ts";
import { featureCount } from "./features.ts";
import { strategies } from "./mechanics/concepts.ts";

const perStrategy = z.array(z.number()).length(strategies.length);

export const agentWeights = z.strictObject({
  /** The order of the lists below; weights written for other strategies are refused. */
  strategies: z.array(z.enum(strategies)).refine((names) => names.join() === strategies.join(), {
    error: "the strategies are not those of this version",
  }),
  /** Strategies × features. */
  logits: z.array(z.array(z.number()).length(featureCount)).length(strategies.length),
  bias: perStrategy,
  /** θ: up to about which level each strategy is carried out well. */
  skill: perStrategy,
});
export type AgentWeights = z.infer<typeof agentWeights>;

export const policyWeights = z.strictObject({
  format: z.literal(1),
  /** The designer's part: lists of numbers by names that designer/ gives and reads. */
  designer: z.record(z.string(), z.array(z.number())),
  agent: agentWeights,
});
export type PolicyWeights = z.infer<typeof policyWeights>;

/** The weights before any learning; the same on every machine. */
export function initialWeights(): PolicyWeights {
  return { format: 1, designer: initialDesignerWeights(), agent: initialAgentWeights() };
}

/** The weights as a text; equal weights give an equal text, whatever order their keys were set in. */
export function serialiseWeights(weights: PolicyWeights): string {
  return JSON.stringify(policyWeights.parse(weights), (_key, value: unknown) => sorted(value));
}

/** Reads what `serialiseWeights` wrote, exactly. Throws a SyntaxError or ZodError on anything else. */
export function parseWeights(text: string): PolicyWeights {
  return policyWeights.parse(JSON.parse(text));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
