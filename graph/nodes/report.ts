/** report: counts what the round took and calls it finished, unless somebody cancelled it in the meantime. */
import type { RoundNode } from "../state.ts";
import { designedIn, totalsOf } from "../totals.ts";

export const report: RoundNode = async (state, work) => {
  const { services } = work;
  work.progress("report", 0, 1);
  const designed = await designedIn(services.store, state.roundId);
  const played = await work.episodes();
  await services.store.rounds.update(state.roundId, (round) => ({
    ...round,
    totals: totalsOf(designed, played, state.droppedGroups),
    ...(round.status === "running" ? { status: "finished", endedAt: services.now() } : {}),
  }));
  work.progress("report", 1, 1);
  return {};
};
