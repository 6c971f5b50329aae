/** What a round took, counted from what it stored, so that a resumed round can't count anything twice. */
import type { EpisodeRecord, RoundRecord, RoundTotals, Usage } from "../store/records.ts";

/** Totals over the episodes of a round and the designer's calls in it. */
export function totalsOf(
  round: Pick<RoundRecord, "designerUsage">,
  episodes: readonly EpisodeRecord[],
  droppedGroups: number,
): RoundTotals {
  const usages: Usage[] = [
    ...Object.values(round.designerUsage),
    ...episodes.map((episode) => episode.usage),
  ];
  const sum = (read: (usage: Usage) => number): number =>
    usages.reduce((total, usage) => total + read(usage), 0);
  return {
    episodes: episodes.length,
    steps: episodes.reduce((total, episode) => total + episode.turns, 0),
    modelCalls: sum((usage) => usage.calls),
    inputTokens: sum((usage) => usage.inputTokens),
    outputTokens: sum((usage) => usage.outputTokens),
    costUsd: sum((usage) => usage.costUsd),
    droppedGroups,
  };
}
