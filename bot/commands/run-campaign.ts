/** Runs a campaign that is in the store, and answers with how it stands or with how to go on. */
import { RoundError } from "../../config/errors.ts";
import { campaignLease } from "../../graph/campaigns/held.ts";
import type { Services } from "../../graph/services.ts";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import type { Caller } from "../caller.ts";
import { type CampaignState, campaignCard, roundsDone } from "../cards/campaign-card.ts";
import type { Answer, CommandContext } from "./command.ts";

/** Its status; `interrupted` for one that should run and that nobody works on. */
export async function stateOf(
  { store }: Pick<Services, "store">,
  record: CampaignRecord,
): Promise<CampaignState> {
  if (record.status !== "running") return record.status;
  return (await store.leases.holder(campaignLease(record.id))) === null ? "interrupted" : "running";
}

/** A campaign as it stands now. */
export async function campaignAnswer(services: Services, record: CampaignRecord): Promise<Answer> {
  const { campaignChart } = await import("../charts/campaign-chart.ts");
  const chart = await campaignChart(record, services.store);
  return {
    card: campaignCard(record, { state: await stateOf(services, record), chart, detailed: true }),
    json: record,
  };
}

/**
 * Works on a campaign until it ends, or is asked to stop: then it throws `round.interrupted`. In a chat it goes on in
 * the background, and the answer says where. Throws what runCampaign throws.
 */
export async function runCampaignAndAnswer(
  context: CommandContext,
  services: Services,
  id: string,
  caller: Caller,
): Promise<Answer> {
  if (context.team !== null && context.place !== null) {
    return { card: await context.team.startCampaign(id, caller, context.place), json: { campaignId: id } };
  }
  const { runCampaign } = await import("../../graph/campaigns/run.ts");
  const record = await runCampaign(services, id, { drain: context.drainable() });
  if (record.status === "running") {
    const done = roundsDone(record);
    throw new RoundError(
      "round.interrupted",
      `Campaign ${id} was interrupted; ${done} of ${record.options.rounds} rounds are done and kept.`,
      { data: { campaignId: id, rounds: done } },
    );
  }
  const answer = await campaignAnswer(services, record);
  return { ...answer, exit: record.status === "failed" || record.status === "stopped" ? 3 : 0 };
}
