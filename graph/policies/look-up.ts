/** What the lab knows of a version of a policy: its record, and what became of it in campaigns. */
import { InputError } from "../../config/errors.ts";
import type { CampaignEvaluation } from "../../store/campaign-records.ts";
import type { PolicyRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";

/** Throws `input.not-found`. */
export async function policyOf(
  { policies }: Pick<Store, "policies">,
  version: string,
): Promise<PolicyRecord> {
  const record = await policies.get(version);
  if (record !== null) return record;
  throw new InputError(
    "input.not-found",
    `There is no version "${version}" of any policy: \`policy list\` shows what there is.`,
  );
}

/** How a version came to be. */
export type Origin = "untrained" | "update" | "rollback";

export function originOf({ restores, batchId }: PolicyRecord): Origin {
  if (restores !== undefined) return "rollback";
  return batchId === undefined ? "untrained" : "update";
}

/** A version's place in the line of its model. */
export interface Lineage {
  /** Versions before it. */
  readonly ancestors: number;
  /** Updates that are in its weights: a rollback brings those of the version that it restores. */
  readonly updates: number;
}

/** Follows a version back to the first. */
export async function lineageOf(
  { policies }: Pick<Store, "policies">,
  record: PolicyRecord,
): Promise<Lineage> {
  let ancestors = 0;
  let updates = 0;
  // While the weights are another version's, what lies between is in the line and not in them.
  let awaited: string | null = null;
  for (let at: PolicyRecord | null = record; at !== null; ) {
    if (awaited === at.version) awaited = null;
    if (awaited === null) {
      const origin = originOf(at);
      if (origin === "update") updates += 1;
      if (origin === "rollback") awaited = at.restores ?? null;
    }
    at = at.parent === null ? null : await policies.get(at.parent);
    if (at !== null) ancestors += 1;
  }
  return { ancestors, updates };
}

/** What campaigns did with a version. */
export interface PolicyUse {
  /** Rounds of campaigns that it played. */
  readonly rounds: readonly string[];
  readonly evaluations: readonly (Pick<
    CampaignEvaluation,
    "after" | "success" | "meanReturn" | "episodes" | "setId"
  > & { readonly campaignId: string })[];
}

const pageSize = 100;

export async function useOf({ campaigns }: Pick<Store, "campaigns">, version: string): Promise<PolicyUse> {
  const rounds: string[] = [];
  const evaluations: PolicyUse["evaluations"][number][] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof campaigns.list>> = await campaigns.list("", {
      limit: pageSize,
      after: after ?? undefined,
    });
    for (const campaign of page.items) {
      for (const { roundId, policyVersion } of campaign.rounds) {
        if (policyVersion === version) rounds.push(roundId);
      }
      for (const evaluation of campaign.evaluations) {
        if (evaluation.policyVersion !== version) continue;
        const { after: trainedOn, success, meanReturn, episodes, setId } = evaluation;
        evaluations.push({ campaignId: campaign.id, after: trainedOn, success, meanReturn, episodes, setId });
      }
    }
    after = page.next;
  } while (after !== null);
  return { rounds, evaluations };
}
