/**
 * What the designs of one regeneration window earned, once the window is closed: u from the plays of all its rounds, and
 * the advantage that trains the designer (method.md, "Delay").
 */
import { skill } from "../../config/words.ts";
import type { CampaignRound } from "../../store/campaign-records.ts";
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

/** What is known of the skills before a window's first play: its designs are judged by it, however late. */
export async function averagesNow(store: Store): Promise<NonNullable<CampaignRound["before"]>> {
  const known: NonNullable<CampaignRound["before"]> = {};
  for (const name of skill.options) {
    const slow = (await store.averages.get("agent", name))?.slow ?? null;
    const meanReward = (await store.averages.get("designer", name))?.meanReward ?? null;
    if (slow !== null || meanReward !== null) known[name] = { slow, meanReward };
  }
  return known;
}

/** `window`: the window's rounds, oldest first; the first one designed its environments. Empty without designs. */
export async function windowLessons(
  store: Store,
  window: readonly Pick<CampaignRound, "roundId" | "before">[],
): Promise<readonly WindowLesson[]> {
  const [first] = window;
  const opening = first === undefined ? null : await store.rounds.get(first.roundId);
  if (opening === null || opening.options.mode !== "self-play") return [];
  const designed = await designedIn(store, opening.id);
  if (window.length === 1) return settledLessons(opening, designed);
  const before = first?.before ?? {};
  const roundIds = window.map(({ roundId }) => roundId);
  const episodes: EpisodeRecord[] = [];
  for (const roundId of roundIds) episodes.push(...(await store.episodes.ofRound(roundId)));
  const { reward: variant } = opening.options;
  const designs = designed.map((environment) => {
    const own = episodes.filter(({ environmentId }) => environmentId === environment.id);
    const name = environment.skill ?? "";
    const reward = designerReward({
      variant,
      firstAnswerAdmitted: environment.firstAnswerAdmitted,
      hint: hintOutcome(environment),
      hung: hasHang(own),
      plain: inOrder(own, roundIds, "plain"),
      hinted: inOrder(own, roundIds, "hinted"),
      slowAverage: before[name]?.slow ?? null,
    });
    return { id: environment.id, skill: name, reward };
  });
  const { advantages } = designerAdvantages(designs, {
    runningMeans: Object.fromEntries(Object.entries(before).map(([name, known]) => [name, known.meanReward])),
    agentTrajectories: agentTrajectories(designed, episodes),
    regenerationInterval: roundIds.length,
  });
  return designs.map(({ id, skill: name, reward }, i) => ({
    environmentId: id,
    skill: name,
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
