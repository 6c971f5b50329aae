/** `rounds`: rounds, newest first: those of their own, or a campaign's. */
import { ownRounds, roundsOf } from "../../graph/campaigns/ids.ts";
import { roundsCard } from "../cards/round-card.ts";
import { defineCommand } from "./command.ts";
import { campaignArgument, campaignOf, collect, limitOption, shownOf } from "./shared.ts";

export const rounds = defineCommand({
  name: "rounds",
  summary: "List rounds, newest first",
  role: "viewer",
  details: "Rounds of campaigns are listed with --campaign alone; `campaign list` shows the campaigns.",
  options: {
    limit: limitOption,
    campaign: {
      kind: "campaign",
      summary: "list the rounds of this campaign",
      schema: campaignArgument.schema.optional(),
      placeholder: "CAMPAIGN",
    },
  },
  async run({ limit, campaign }, _caller, context) {
    const { store } = await context.services();
    if (campaign !== undefined) await campaignOf(store, campaign);
    const prefix = campaign === undefined ? ownRounds : roundsOf(campaign);
    const found = await collect((page) => store.rounds.list(page, prefix), limit);
    const { shown, more } = shownOf(found, limit);
    return {
      card: roundsCard(shown, more),
      json: {
        rounds: found.items.map(({ id, status, startedAt }) => ({
          roundId: id,
          status,
          startedAt: new Date(startedAt).toISOString(),
        })),
      },
    };
  },
});
