/** What a round took, counted from what it stored, so that a resumed round can't count anything twice. */
import type { EnvironmentRecord, EpisodeRecord, RoundTotals, Usage } from "../store/records.ts";
import type { Store } from "../store/store.ts";

/** Totals over the environments that a round designed and the episodes that it played. */
export function totalsOf(
  designed: readonly Pick<EnvironmentRecord, "designer">[],
  episodes: readonly EpisodeRecord[],
  droppedGroups: number,
): RoundTotals {
  const usages: Usage[] = [
    ...designed.flatMap(({ designer }) => Object.values(designer.usage ?? {})),
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

/** The environments that a round designed so far, in slot order; none for a round over a pool. */
export async function designedIn(
  store: Pick<Store, "environments">,
  roundId: string,
): Promise<EnvironmentRecord[]> {
  const designed: EnvironmentRecord[] = [];
  let after: string | undefined;
  do {
    const page = await store.environments.list({ roundId }, { limit: 200, after });
    designed.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return designed.sort((a, b) => (a.slot ?? 0) - (b.slot ?? 0));
}
