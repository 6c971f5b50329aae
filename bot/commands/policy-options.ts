/** What the commands about policies share: how a version is named, and what a list says of it. */
import { z } from "zod";
import { originOf } from "../../graph/policies/look-up.ts";
import { updateStatistics } from "../../graph/trainers/trainer.ts";
import type { PolicyRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import type { ListedPolicy } from "../cards/policy-card.ts";
import type { OptionDefinition } from "./option.ts";

export const versionArgument = {
  kind: "policy",
  summary: "the version, as policy list shows it",
  schema: z.string().trim().min(1).max(200),
  argument: true,
  placeholder: "VERSION",
} as const satisfies OptionDefinition<string>;

export async function listedOf(
  { policies }: Pick<Store, "policies">,
  record: PolicyRecord,
): Promise<ListedPolicy> {
  const known = updateStatistics.safeParse(record.statistics);
  const newest = await policies.latest(record.provider);
  return {
    record,
    origin: originOf(record),
    newest: newest?.version === record.version,
    statistics: known.success ? known.data : null,
  };
}

/** A version as a program reads it. */
export function policyJson({ record, origin, newest, statistics }: ListedPolicy) {
  const { version, provider, parent, restores, batchId, note, createdAt } = record;
  return {
    version,
    model: provider,
    newest,
    origin,
    parent,
    restores: restores ?? null,
    batchId: batchId ?? null,
    statistics,
    note,
    createdAt: new Date(createdAt).toISOString(),
  };
}
