/**
 * What the designs of one regeneration window earned, once the window is closed: u from the plays of all its rounds, and
 * the advantage that trains the designer (method.md, "Delay").
 */
import type { EnvironmentRecord, EpisodeRecord, RoundRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { designerAdvantages } from "../rewards/designer-advantage.ts";
import { designerReward, hasHang, hintOutcome } from "../rewards/designer-reward.ts";
import { designedIn } from "../totals.ts";

export interface WindowLesson {
  readonly environmentId: string;
  readonly skill: string;
  /** u; null if it can't be said. */
  readonly reward: number | null;
  readonly advantage: number | null;
}

/** `roundIds`: the window's rounds, oldest first; the first one designed its environments. Empty without designs. */
export async function windowLessons(
  store: Store,
  roundIds: readonly string[],
): Promise<readonly WindowLesson[]> {
  const [first] = roundIds;
  const opening = first === undefined ? null : await store.rounds.get(first);
  if (opening === null || opening.options.mode !== "self-play") return [];
  const designed = await designedIn(store, opening.id);
  if (roundIds.length === 1) return settledLessons(opening, designed);
  const episodes: EpisodeRecord[] = [];
  for (const roundId of roundIds) episodes.push(...(await store.episodes.ofRound(roundId)));
  const { reward: variant } = opening.options;
  const designs: { readonly id: string; readonly skill: string; readonly reward: number | null }[] = [];
  const runningMeans: Record<string, number | null> = {};
  for (const environment of designed) {
    const skill = environment.skill ?? "";
    const own = episodes.filter(({ environmentId }) => environmentId === environment.id);
    runningMeans[skill] = (await store.averages.get("designer", skill))?.meanReward ?? null;
    designs.push({
      id: environment.id,
      skill,
      reward: designerReward({
        variant,
        firstAnswerAdmitted: environment.firstAnswerAdmitted,
        hint: hintOutcome(environment),
        hung: hasHang(own),
        plain: inOrder(own, roundIds, "plain"),
        hinted: inOrder(own, roundIds, "hinted"),
        slowAverage: (await store.averages.get("agent", skill))?.slow ?? null,
      }),
    });
  }
  const { advantages } = designerAdvantages(designs, {
    runningMeans,
    agentTrajectories: agentTrajectories(designed, episodes),
    regenerationInterval: roundIds.length,
  });
  return designs.map(({ id, skill, reward }, i) => ({
    environmentId: id,
    skill,
    reward,
    advantage: advantages[i]?.advantage ?? null,
  }));
}

/** A window of one round is what the round itself has settled (graph/nodes/score.ts). */
function settledLessons(
  { scores }: RoundRecord,
  designed: readonly EnvironmentRecord[],
): readonly WindowLesson[] {
  return designed.map(({ id, skill }) => ({
    environmentId: id,
    skill: skill ?? "",
    reward: scores[id]?.designerReward ?? null,
    advantage: scores[id]?.designerAdvantage ?? null,
  }));
}

function inOrder(
  episodes: readonly EpisodeRecord[],
  roundIds: readonly string[],
  arm: "plain" | "hinted",
): EpisodeRecord[] {
  return roundIds.flatMap((roundId) =>
    episodes
      .filter((episode) => episode.roundId === roundId && episode.arm === arm)
      .sort((a, b) => a.index - b.index),
  );
}

/** Of one update: the plain plays of the window over its rounds. */
function agentTrajectories(
  designed: readonly EnvironmentRecord[],
  episodes: readonly EpisodeRecord[],
): number {
  const ids = new Set(designed.map(({ id }) => id));
  const rounds = new Set(episodes.map(({ roundId }) => roundId)).size;
  const scored = episodes.filter(
    ({ arm, environmentId, return: value }) => arm === "plain" && value !== null && ids.has(environmentId),
  );
  return rounds === 0 ? 0 : scored.length / rounds;
}
