/** `episodes`: what was played in a round. */
import { arm } from "../../config/words.ts";
import { episodesCard } from "../cards/episode-card.ts";
import { defineCommand } from "./command.ts";
import { roundArgument, roundOf } from "./shared.ts";

export const episodes = defineCommand({
  name: "episodes",
  summary: "List the episodes of a round",
  role: "viewer",
  options: {
    id: roundArgument,
    arm: { kind: "choice", summary: "only this arm", schema: arm.optional() },
  },
  async run(values, _caller, context) {
    const { store } = await context.services();
    const filter = values.arm === undefined ? {} : { arm: values.arm };
    const records = await store.episodes.ofRound(values.id, filter);
    // People's plays have rounds of their own that no round record stands for.
    if (records.length === 0) await roundOf(store, values.id);
    return {
      card: episodesCard(values.id, records),
      json: { roundId: values.id, episodes: records },
    };
  },
});
