/** score: returns, regret and the designer's reward of every environment, from the stored episodes alone. */
import type { EnvironmentRecord, EnvironmentScore, EpisodeRecord } from "../../store/records.ts";
import { environmentOf } from "../environment-of.ts";
import { designerAdvantages } from "../rewards/designer-advantage.ts";
import { designerReward, hasHang, hintOutcome } from "../rewards/designer-reward.ts";
import { scoreOf } from "../rewards/statistics.ts";
import type { RoundNode, Work } from "../state.ts";

interface Measured {
  readonly environment: EnvironmentRecord;
  readonly episodes: readonly EpisodeRecord[];
  readonly score: EnvironmentScore;
}

export const score: RoundNode = async (state, work) => {
  const { services } = work;
  const { store } = services;
  const plan = await work.plan();
  const episodes = await work.episodes();
  const total = plan.slots.length;
  work.progress("score", 0, total);
  const played = Map.groupBy(episodes, (episode) => episode.environmentId);
  const measured: Measured[] = [];
  for (const { environmentId } of plan.slots) {
    const environment = await environmentOf(store, environmentId);
    const own = played.get(environmentId) ?? [];
    measured.push({ environment, episodes: own, score: measure(own) });
  }
  const scored = work.options.mode === "self-play" ? await rewarded(measured, work) : measured;
  const scores = Object.fromEntries(scored.map((entry) => [entry.environment.id, entry.score]));
  await store.rounds.update(state.roundId, (round) => ({ ...round, scores }));
  for (const { environment, score } of scored) {
    const { regret, designerReward } = score;
    services.emit({
      type: "scored",
      roundId: state.roundId,
      environmentId: environment.id,
      regret,
      designerReward,
    });
  }
  work.progress("score", total, total);
  return {};
};

function measure(episodes: readonly EpisodeRecord[]): EnvironmentScore {
  const human = episodes.filter(({ arm }) => arm === "hinted-human");
  return scoreOf({
    plain: episodes.filter(({ arm }) => arm === "plain"),
    hinted: episodes.filter(({ arm }) => arm === "hinted"),
    hintedHuman: human.length === 0 ? null : human,
  });
}

/** Adds what the designer earned. An environment that people kept from being played earned nothing either way. */
async function rewarded(measured: readonly Measured[], { services, options }: Work): Promise<Measured[]> {
  const { averages } = services.store;
  const designs: { readonly id: string; readonly skill: string; readonly reward: number | null }[] = [];
  const runningMeans: Record<string, number | null> = {};
  for (const { environment, episodes } of measured) {
    const skill = environment.skill ?? "";
    runningMeans[skill] = (await averages.get("designer", skill))?.meanReward ?? null;
    designs.push({
      id: environment.id,
      skill,
      reward: designerReward({
        variant: options.reward,
        firstAnswerAdmitted: environment.firstAnswerAdmitted,
        hint: hintOutcome(environment),
        hung: hasHang(episodes),
        plain: episodes.filter(({ arm }) => arm === "plain"),
        hinted: episodes.filter(({ arm }) => arm === "hinted"),
        slowAverage: (await averages.get("agent", skill))?.slow ?? null,
      }),
    });
  }
  // Plain plays train the agent; those of a group without a spread are no fewer for teaching it nothing.
  const agentTrajectories = measured.reduce((sum, { score }) => sum + score.plain.plays, 0);
  const { advantages } = designerAdvantages(designs, {
    runningMeans,
    agentTrajectories,
    regenerationInterval: 1,
  });
  return measured.map((entry, i) => ({
    ...entry,
    score: {
      ...entry.score,
      designerReward: designs[i]?.reward ?? null,
      designerAdvantage: advantages[i]?.advantage ?? null,
    },
  }));
}
