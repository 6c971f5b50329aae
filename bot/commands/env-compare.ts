/** `env compare`: how people and the model did on an environment, seed by seed. */
import { compareCard, compareSeeds } from "../cards/compare-card.ts";
import { defineCommand } from "./command.ts";
import { collect, environmentArgument, environmentOf, seedOption } from "./shared.ts";

export const envCompare = defineCommand({
  name: "env compare",
  summary: "Compare people and the model on an environment, seed by seed",
  details: "Everybody who plays the same seed plays the same instance.",
  examples: ["env compare r1-1", "env compare r1-1 --seed 7"],
  role: "viewer",
  options: {
    id: environmentArgument,
    seed: { ...seedOption, summary: "only this instance", fallback: "every seed that people played" },
  },
  async run({ id, seed }, _caller, context) {
    const { store } = await context.services();
    const record = await environmentOf(store, id);
    const { items } = await collect((page) => store.episodes.ofEnvironment(id, page));
    const seeds = compareSeeds(items, seed);
    return {
      card: compareCard(record, seeds, seed),
      json: {
        environmentId: id,
        seeds,
        model: record.score === null ? null : { plain: record.score.plain, hinted: record.score.hinted },
      },
    };
  },
});
