/** `policy rollback`: the weights of an older version become the newest version. */
import { rollback } from "../../graph/policies/rollback.ts";
import { rollbackCard } from "../cards/policy-card.ts";
import { defineCommand } from "./command.ts";
import { listedOf, policyJson, versionArgument } from "./policy-options.ts";

export const policyRollback = defineCommand({
  name: "policy rollback",
  summary: "Go back to the weights of an older version, as a new version",
  details:
    "No version is removed. Rounds that run go on with the version that they began with; what they played is not trained on any more.",
  role: "admin",
  options: { version: versionArgument },
  async run({ version }, caller, context) {
    const services = await context.services();
    const record = await rollback(services, version, caller.name);
    return { card: rollbackCard(record), json: policyJson(await listedOf(services.store, record)) };
  },
});
