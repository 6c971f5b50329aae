/** The episodes that a round plays: which arms of which environments, how often, with which seeds, and in which order. */
import type { Arm } from "../config/words.ts";
import type { EpisodeRecord, RoundOptions, TextId } from "../store/records.ts";
import { environmentOf, sourceOf } from "./environment-of.ts";
import { playSeed } from "./instance-seed.ts";
import type { PlanSlot } from "./plan.ts";
import type { Episode } from "./play.ts";
import type { State, Work } from "./state.ts";

export interface PlannedEpisode extends Episode {
  readonly id: Pick<EpisodeRecord, "roundId" | "environmentId" | "arm" | "index">;
  readonly hintId: TextId | null;
  /** Turns it may take. */
  readonly mostTurns: number;
}

/** Plays of one environment by arm. */
export interface Plays {
  readonly plain: number;
  readonly hinted: number;
}

/**
 * Plays of the `index`-th of `playable` environments in a round of `slots`. With `fill`, what the others would have
 * played is dealt to those that can be played, the first ones getting what does not divide.
 */
export function playsOf(
  { plays, hintedPlays = plays, fill }: Pick<RoundOptions, "plays" | "hintedPlays" | "fill">,
  slots: number,
  playable: number,
  index: number,
): Plays {
  const dealt = (each: number): number => {
    const missing = fill === true ? (slots - playable) * each : 0;
    return each + Math.floor(missing / playable) + (index < missing % playable ? 1 : 0);
  };
  return { plain: dealt(plays), hinted: dealt(hintedPlays) };
}

/**
 * In the order in which they start. Each environment's plays are spread over the whole stage, so that they don't all
 * end, and load anew, at once; a long one's end sooner, so that no long episode is left to run on alone at the end.
 */
export async function episodesOf(state: State, work: Work): Promise<PlannedEpisode[]> {
  const plan = await work.plan();
  const { plays } = work.options;
  const episodes: PlannedEpisode[] = [];
  for (const [i, slot] of state.playable.entries()) {
    const planned = plan.slots[slot];
    if (planned === undefined) continue;
    const counts = playsOf(work.options, plan.slots.length, state.playable.length, i);
    episodes.push(...(await episodesOfSlot(state.roundId, slot, planned, counts, work)));
  }
  const stageTurns = turnsOf(episodes) / work.services.config.models.concurrency;
  const startOf = ({ id, mostTurns }: PlannedEpisode): number =>
    (Math.max(0, stageTurns - mostTurns) * id.index) / plays;
  return episodes.sort((a, b) => startOf(a) - startOf(b));
}

/** Turns that they may take, all in all. */
export function turnsOf(episodes: readonly PlannedEpisode[]): number {
  return episodes.reduce((sum, { mostTurns }) => sum + mostTurns, 0);
}

async function episodesOfSlot(
  roundId: string,
  slot: number,
  { environmentId, humanHintId }: PlanSlot,
  counts: Plays,
  { services, options }: Work,
): Promise<PlannedEpisode[]> {
  const { texts } = services.store;
  const record = await environmentOf(services.store, environmentId);
  const source = await sourceOf(services.store, record);
  const arms: { readonly arm: Arm; readonly hintId: TextId | null }[] = [{ arm: "plain", hintId: null }];
  if (record.hintId !== null && options.hints !== false) arms.push({ arm: "hinted", hintId: record.hintId });
  if (humanHintId !== null) arms.push({ arm: "hinted-human", hintId: humanHintId });
  const hints = await Promise.all(arms.map(({ hintId }) => (hintId === null ? null : texts.get(hintId))));
  const isHinted = arms.some(({ arm }) => arm === "hinted");
  const playsOfArm = (arm: Arm): number => {
    if (arm === "hinted") return counts.hinted;
    // Without a hint there are no hinted plays either; where rounds are to be equally long, plain ones take their place.
    return counts.plain + (options.fill === true && !isHinted && options.hints !== false ? counts.hinted : 0);
  };
  return Array.from({ length: playsOfArm("plain") }, (_, index) =>
    arms.flatMap(({ arm, hintId }, i) =>
      index >= playsOfArm(arm)
        ? []
        : [
            {
              id: { roundId, environmentId, arm, index },
              source,
              language: record.language,
              kind: record.kind,
              seed: playSeed(options.seed, slot, index, options.playsPerSeed),
              hint: hints[i] ?? null,
              hintId,
              mostTurns: Math.min(record.maxTurns ?? options.turnCap, options.turnCap),
              key: [options.seed, slot, arm, index],
            },
          ],
    ),
  ).flat();
}
