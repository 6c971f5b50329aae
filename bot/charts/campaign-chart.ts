/** A campaign as a chart: its record, read as curves. */
import { z } from "zod";
import { fractionInterval } from "../../graph/rewards/intervals.ts";
import { updateStatistics } from "../../graph/trainers/trainer.ts";
import type { CampaignRecord, CampaignRound } from "../../store/campaign-records.ts";
import type { PolicyRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import type { CampaignChart } from "../cards/chart.ts";
import { counted, score } from "../cards/numbers.ts";

const skippedUpdate = z.object({ skipped: z.string() });

/** Null where there is nothing to draw yet: no round is over, and nothing was evaluated. */
export async function campaignChart(
  record: CampaignRecord,
  { policies }: Pick<Store, "policies">,
): Promise<CampaignChart | null> {
  const over = record.rounds.filter(({ summary }) => summary !== null);
  if (over.length === 0 && record.evaluations.length === 0) return null;
  const strangers = new Map<string, PolicyRecord>();
  for (const version of strangersOf(over)) {
    const policy = await policies.get(version);
    if (policy !== null) strangers.set(version, policy);
  }
  return {
    type: "campaign",
    title: `Campaign ${record.id}: ${over.length} of ${counted(record.options.rounds, "round")}`,
    alt: inWords(record, over),
    evaluations: record.evaluations.map(({ after, success, episodes }) => ({
      after,
      success,
      ...fractionInterval(success, episodes),
    })),
    rounds: over.map(({ summary }, at) => ({
      round: at + 1,
      plain: summary?.plainReturn ?? null,
      hinted: summary?.hintedReturn ?? null,
    })),
    rewards: over.flatMap(({ summary }, at) =>
      Object.entries(summary?.rewardBySkill ?? {}).map(([skill, reward]) => ({
        round: at + 1,
        skill,
        reward,
      })),
    ),
    updates: over.flatMap(({ update }, at) => {
      const known = updateStatistics.safeParse(update?.statistics);
      if (!known.success) return [];
      const { agentEntropy, designerEntropy, clipFraction } = known.data;
      return [{ round: at + 1, agentEntropy, designerEntropy, clipFraction }];
    }),
    versions: timeline(over, strangers),
  };
}

const wasSkipped = ({ update }: CampaignRound): boolean =>
  skippedUpdate.safeParse(update?.statistics).success;

/** Versions that the campaign's own updates did not make, the first one aside. */
function strangersOf(rounds: readonly CampaignRound[]): ReadonlySet<string> {
  const made = rounds.filter((round) => !wasSkipped(round)).map(({ update }) => update?.version);
  const met = rounds.flatMap(({ policyVersion, update }) => [policyVersion, update?.version]);
  const known = new Set([rounds[0]?.policyVersion, ...made]);
  return new Set(
    met.flatMap((version) =>
      version === null || version === undefined || known.has(version) ? [] : [version],
    ),
  );
}

/** How many of the campaign's updates are in the weights, as rounds, updates and other people's changes followed. */
function timeline(
  rounds: readonly CampaignRound[],
  strangers: ReadonlyMap<string, PolicyRecord>,
): CampaignChart["versions"] {
  const entries: CampaignChart["versions"][number][] = [];
  const updatesIn = new Map<string, number>();
  const note = (after: number, version: string, own: boolean): void => {
    const last = entries.at(-1);
    if (last === undefined) {
      updatesIn.set(version, 0);
      entries.push({ after, version, updates: 0, by: "nothing" });
      return;
    }
    if (version === last.version) {
      if (after > last.after) entries.push({ ...last, after, by: "nothing" });
      return;
    }
    const restores = strangers.get(version)?.restores;
    const restored = restores === undefined ? undefined : updatesIn.get(restores);
    const updates = own ? last.updates + 1 : (restored ?? (restores === undefined ? last.updates : 0));
    updatesIn.set(version, updates);
    entries.push({
      after,
      version,
      updates,
      by: own ? "update" : restores === undefined ? "somebody" : "rollback",
    });
  };
  for (const [at, round] of rounds.entries()) {
    if (round.policyVersion !== null) note(at, round.policyVersion, false);
    if (round.update !== null) note(at + 1, round.update.version, !wasSkipped(round));
  }
  return entries;
}

/** The ends of a curve: where it began and where it is. */
function fromTo(values: readonly (number | null)[], said: (value: number) => string): string | null {
  const known = values.filter((value) => value !== null);
  const [first] = known;
  const last = known.at(-1);
  if (first === undefined || last === undefined) return null;
  return known.length === 1 ? said(first) : `${said(first)} → ${said(last)}`;
}

const percent = (fraction: number): string => `${(100 * fraction).toFixed(1)} %`;

function inWords({ id, evaluations, options }: CampaignRecord, rounds: readonly CampaignRound[]): string {
  const success = fromTo(
    evaluations.map((evaluation) => evaluation.success),
    percent,
  );
  const plain = fromTo(
    rounds.map(({ summary }) => summary?.plainReturn ?? null),
    score,
  );
  const hinted = fromTo(
    rounds.map(({ summary }) => summary?.hintedReturn ?? null),
    score,
  );
  const parts = [
    success === null ? null : `held-out success ${success}`,
    plain === null ? null : `plain return ${plain}`,
    hinted === null ? null : `hinted return ${hinted}`,
  ].filter((part) => part !== null);
  const after = `Campaign ${id} after ${rounds.length} of ${counted(options.rounds, "round")}`;
  return parts.length === 0 ? after : `${after}: ${parts.join(", ")}`;
}
