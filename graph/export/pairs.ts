/** Pairs for preference training: the best and the worst play of a group, whose prompts read the same to the letter. */
import type { EpisodeRecord } from "../../store/records.ts";
import { openingOf } from "./messages.ts";
import type { ExportOptions } from "./options.ts";
import type { LeftOut, Play } from "./play.ts";

export interface Pair {
  readonly chosen: Play;
  readonly rejected: Play;
}

/**
 * Plays of one environment in one round that may be compared: those of one instance. Plays whose hint was taken out
 * compare with plain ones; with the hint left in, each arm has a prompt of its own. With `same-prompt` instances are not
 * told apart here, since only their first observations say which of them the agent can't tell apart either.
 */
export function instanceGroups(
  episodes: readonly EpisodeRecord[],
  { hint, pairs }: Pick<ExportOptions, "hint" | "pairs">,
): EpisodeRecord[][] {
  const groups = Map.groupBy(episodes, (episode) =>
    JSON.stringify([
      hint === "keep" ? [episode.arm, episode.hintId] : null,
      pairs === "same-seed" ? episode.seed : null,
    ]),
  );
  return [...groups.values()];
}

/** What the agent read before its first answer. */
export function promptOf(play: Play): string {
  return JSON.stringify(openingOf(play, "prompt"));
}

/** The best and the worst play, the earlier one where returns are equal; a reason if they can't be a pair. */
export function bestAndWorst<T extends { readonly return: number | null }>(
  plays: readonly T[],
): { readonly best: T; readonly worst: T } | LeftOut {
  const [first, ...others] = plays;
  if (first === undefined || others.length === 0) return "single-play";
  let best = first;
  let worst = first;
  for (const play of others) {
    if ((play.return ?? 0) > (best.return ?? 0)) best = play;
    if ((play.return ?? 0) < (worst.return ?? 0)) worst = play;
  }
  return best.return === worst.return ? "same-return" : { best, worst };
}

/** A pair of two plays that were read; a reason if their prompts differ or they say the same throughout. */
export function pairOf(chosen: Play, rejected: Play): Pair | LeftOut {
  if (promptOf(chosen) !== promptOf(rejected)) return "other-observations";
  const turns = Math.max(chosen.turns.length, rejected.turns.length);
  for (let at = 0; at < turns; at += 1) {
    if (chosen.turns[at]?.said !== rejected.turns[at]?.said) return { chosen, rejected };
  }
  return "same-answers";
}

/**
 * The first turn in which two plays answer the same conversation in different ways, from 0: until there they said the same
 * and were shown the same. A reason if there is none.
 */
export function partingTurn({ chosen, rejected }: Pair): number | LeftOut {
  for (const [at, turn] of chosen.turns.entries()) {
    const other = rejected.turns[at];
    if (other === undefined) return "same-answers";
    if (turn.said !== other.said) return at;
    if (turn.observation !== other.observation) return "other-observations";
  }
  return "same-answers";
}
