/** `rounds`: every round there is, newest first. */
import { roundsCard } from "../cards/round-card.ts";
import { defineCommand } from "./command.ts";
import { collect, limitOption, shownOf } from "./shared.ts";

export const rounds = defineCommand({
  name: "rounds",
  summary: "List rounds, newest first",
  role: "viewer",
  options: { limit: limitOption },
  async run({ limit }, _caller, context) {
    const { store } = await context.services();
    const found = await collect((page) => store.rounds.list(page), limit);
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
