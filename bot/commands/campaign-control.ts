/** `campaign pause`, `campaign resume`, `campaign stop`: what people do with a campaign that exists. */
import type { Services } from "../../graph/services.ts";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import type { Caller } from "../caller.ts";
import { campaignButtons, roundsDone } from "../cards/campaign-card.ts";
import { card, text } from "../cards/card.ts";
import { type Answer, defineCommand } from "./command.ts";
import { campaignAnswer, runCampaignAndAnswer, stateOf } from "./run-campaign.ts";
import { campaignArgument, campaignOf } from "./shared.ts";

async function changed(
  services: Services,
  id: string,
  what: "pause" | "resume" | "stop",
  caller: Caller,
): Promise<CampaignRecord> {
  const { changeCampaign } = await import("../../graph/campaigns/control.ts");
  return changeCampaign(services, id, what, caller.name);
}

function changedAnswer(record: CampaignRecord, sentence: string): Answer {
  const { id, status, options } = record;
  const done = roundsDone(record);
  return {
    card: card(`Campaign ${id}: ${status}`, {
      tone: "warning",
      blocks: [text(`${sentence} ${done} of ${options.rounds} rounds are done and kept.`)],
      buttons: campaignButtons(record, status),
    }),
    json: { campaignId: id, status, rounds: done },
  };
}

export const campaignPause = defineCommand({
  name: "campaign pause",
  summary: "Let a campaign finish the episodes in flight and wait; resume goes on",
  role: "researcher",
  options: { id: campaignArgument },
  async run({ id }, caller, context) {
    const record = await changed(await context.services(), id, "pause", caller);
    return changedAnswer(record, "Whoever works on it finishes the episodes in flight and lets go.");
  },
});

export const campaignStop = defineCommand({
  name: "campaign stop",
  summary: "End a campaign for good; what was played and trained is kept",
  role: "researcher",
  options: { id: campaignArgument },
  async run({ id }, caller, context) {
    const record = await changed(await context.services(), id, "stop", caller);
    return changedAnswer(record, "It is over for good.");
  },
});

export const campaignResume = defineCommand({
  name: "campaign resume",
  summary: "Go on with a campaign that was interrupted, paused or failed; show one that is over",
  details: "Finished episodes, updates and evaluations are kept and never made again.",
  role: "researcher",
  options: { id: campaignArgument },
  async run({ id }, caller, context) {
    const services = await context.services();
    const before = await campaignOf(services.store, id);
    if (before.status === "finished" || before.status === "stopped") return campaignAnswer(services, before);
    // One that is worked on at the moment is none to take up: whoever works on it is named.
    if ((await stateOf(services, before)) !== "running") await changed(services, id, "resume", caller);
    return runCampaignAndAnswer(context, services, id, caller);
  },
});
