/** `policy list`: the versions of the models that the lab trains. */
import { z } from "zod";
import { policiesCard } from "../cards/policy-card.ts";
import { defineCommand } from "./command.ts";
import { listedOf, policyJson } from "./policy-options.ts";
import { collect, limitOption, shownOf } from "./shared.ts";

export const policyList = defineCommand({
  name: "policy list",
  summary: "List the versions of the models that the lab trains, newest first",
  examples: ["policy list", "policy list --model embedded --limit 10"],
  role: "viewer",
  options: {
    model: {
      kind: "model",
      summary: "only versions of this model",
      schema: z.string().trim().min(1).max(200).optional(),
      fallback: "all of them",
    },
    limit: limitOption,
  },
  async run({ model = "", limit }, _caller, context) {
    const { store } = await context.services();
    const collected = await collect((page) => store.policies.list(model, page), limit);
    const { shown, more } = shownOf(collected, limit);
    const all = await Promise.all(collected.items.map((record) => listedOf(store, record)));
    return {
      card: policiesCard(all.slice(0, shown.length), more),
      json: { policies: all.map(policyJson) },
    };
  },
});
