/** `policy compare`: two versions on the held-out environments, with the same draws. */
import { z } from "zod";
import { policyCompareCard } from "../cards/policy-compare-card.ts";
import { defineCommand } from "./command.ts";
import { versionArgument } from "./policy-options.ts";
import { seedOption } from "./shared.ts";

/** As many as the committed set has. */
const allEnvironments = 300;

export const policyCompare = defineCommand({
  name: "policy compare",
  summary: "Compare two versions of a policy on the held-out environments",
  details:
    "Both play the same instances with the same draws, once each and without a hint, so that their difference is paired. Nothing of it is stored.",
  examples: ["policy compare embedded-1a2b3c4d5e6f embedded-6f5e4d3c2b1a --evaluations 100"],
  role: "researcher",
  options: {
    a: { ...versionArgument, summary: "the first version", placeholder: "A" },
    b: {
      ...versionArgument,
      summary: "the second one, which the first is subtracted from",
      placeholder: "B",
    },
    evaluations: {
      kind: "whole-number",
      summary: "held-out environments that each plays",
      schema: z.number().int().min(2).max(allEnvironments).default(allEnvironments),
      placeholder: "N",
      fallback: String(allEnvironments),
    },
    seed: { ...seedOption, schema: seedOption.schema.unwrap().default(0), fallback: "0" },
  },
  async run({ a, b, evaluations, seed }, _caller, context) {
    const { round } = await context.config();
    const services = await context.services();
    const { comparePolicies } = await import("../../graph/policies/compare.ts");
    const compared = await comparePolicies(services, [a, b], {
      evaluations,
      seed,
      limits: round,
      signal: context.drainable(),
    });
    return { card: policyCompareCard(compared), json: compared };
  },
});
