/** `rounds`: every round there is, newest first. */
import { roundsCard } from "../cards/round-card.ts";
import { defineCommand } from "./command.ts";
import { collect, limitOption } from "./shared.ts";

export const rounds = defineCommand({
  name: "rounds",
  summary: "List rounds, newest first",
  role: "viewer",
  options: { limit: limitOption },
  async run({ limit }, _caller, context) {
    const { store } = await context.services();
    const { items, more } = await collect((page) => store.rounds.list(page), limit);
    return {
      card: roundsCard(items, more),
      json: {
        rounds: items.map(({ id, status, startedAt }) => ({
          roundId: id,
          status,
          startedAt: new Date(startedAt).toISOString(),
        })),
      },
    };
  },
});
