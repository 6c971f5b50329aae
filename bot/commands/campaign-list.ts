/** `campaign status` and `campaign list`: how campaigns stand. */
import { InputError } from "../../config/errors.ts";
import { listCampaigns } from "../../graph/campaigns/control.ts";
import type { Services } from "../../graph/services.ts";
import { campaignsCard, roundsDone } from "../cards/campaign-card.ts";
import { defineCommand } from "./command.ts";
import { campaignAnswer, stateOf } from "./run-campaign.ts";
import { campaignArgument, campaignOf, limitOption } from "./shared.ts";

async function newestOf(services: Services): Promise<string> {
  const all = await listCampaigns(services);
  const id = (all.find(({ status }) => status === "running") ?? all[0])?.id;
  if (id !== undefined) return id;
  throw new InputError("input.not-found", "There is no campaign yet: `campaign start` begins one.");
}

export const campaignStatus = defineCommand({
  name: "campaign status",
  summary: "Show how far a campaign is, its numbers and its warnings",
  role: "viewer",
  options: {
    id: {
      ...campaignArgument,
      schema: campaignArgument.schema.optional(),
      fallback: "the one that runs, else the newest",
    },
  },
  async run({ id }, _caller, context) {
    const services = await context.services();
    const record = await campaignOf(services.store, id ?? (await newestOf(services)));
    return campaignAnswer(services, record);
  },
});

export const campaignList = defineCommand({
  name: "campaign list",
  summary: "List campaigns, newest first",
  role: "viewer",
  options: { limit: limitOption },
  async run({ limit }, _caller, context) {
    const services = await context.services();
    const all = (await listCampaigns(services)).slice(0, limit);
    const stated = await Promise.all(
      all.map(async (record) => ({ record, state: await stateOf(services, record) })),
    );
    return {
      card: campaignsCard(stated),
      json: {
        campaigns: stated.map(({ record, state }) => ({
          campaignId: record.id,
          status: record.status,
          interrupted: state === "interrupted",
          rounds: roundsDone(record),
          of: record.options.rounds,
          heldOut: record.evaluations.at(-1)?.success ?? null,
          model: record.options.round.model,
          startedAt: new Date(record.startedAt).toISOString(),
        })),
      },
    };
  },
});
