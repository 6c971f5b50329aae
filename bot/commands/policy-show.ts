/** `policy show`: one version, what made it, and where it was used. */
import { embeddedProvider, loadEmbeddedPolicy } from "../../graph/models/embedded/policy-store.ts";
import { lineageOf, policyOf, useOf } from "../../graph/policies/look-up.ts";
import type { PolicyRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { policyCard } from "../cards/policy-card.ts";
import { defineCommand } from "./command.ts";
import { listedOf, policyJson, versionArgument } from "./policy-options.ts";

async function skillOf(store: Store, { provider, version }: PolicyRecord) {
  if (provider !== embeddedProvider) return null;
  const { agent } = (await loadEmbeddedPolicy(store, version)).weights;
  return agent.strategies.map((strategy, i) => ({ strategy, skill: agent.skill[i] ?? 0 }));
}

export const policyShow = defineCommand({
  name: "policy show",
  summary: "Show a version of a policy: what made it, what it learnt, where it played",
  role: "viewer",
  options: { version: versionArgument },
  async run({ version }, _caller, context) {
    const { store } = await context.services();
    const record = await policyOf(store, version);
    const details = {
      ...(await listedOf(store, record)),
      lineage: await lineageOf(store, record),
      use: await useOf(store, version),
      skill: await skillOf(store, record),
    };
    return {
      card: policyCard(details),
      json: { ...policyJson(details), ...details.lineage, ...details.use, skill: details.skill },
    };
  },
});
