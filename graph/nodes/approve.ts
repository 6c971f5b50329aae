/**
 * approve: asks people about the environments of the round, once, and waits. Decisions are rows in the store
 * (graph/decisions.ts); what wakes the round says nothing, so two who wake it can't decide twice.
 */
import { interrupt } from "@langchain/langgraph";
import { applyDecision } from "../decisions.ts";
import type { RoundNode, Work } from "../state.ts";

export const approve: RoundNode = async (state, work) => {
  const { services } = work;
  const { approvals } = services.store;
  const { slots } = await work.plan();
  const idOf = (slot: number): string => slots[slot]?.environmentId ?? "";
  const known = new Set((await approvals.ofRound(state.roundId)).map(({ environmentId }) => environmentId));
  for (const slot of state.playable) {
    const environmentId = idOf(slot);
    if (known.has(environmentId) || !(await isAskedAbout(environmentId, work))) continue;
    await approvals.ask(state.roundId, environmentId, services.now());
    services.emit({ type: "approval-asked", roundId: state.roundId, environmentId });
  }
  const asked = await approvals.ofRound(state.roundId);
  const waiting = asked.filter(({ status }) => status === "waiting");
  work.progress("approve", asked.length - waiting.length, asked.length);
  if (waiting.length > 0) interrupt({ waiting: waiting.length });

  // Again, because the process may have died between a decision and what it means for its environment.
  for (const approval of asked) await applyDecision(services.store, approval);
  const refused = new Set(
    asked.filter(({ status }) => status !== "approved").map(({ environmentId }) => environmentId),
  );
  return { playable: state.playable.filter((slot) => !refused.has(idOf(slot))) };
};

/** An environment that was played or approved before is no first use. */
async function isAskedAbout(environmentId: string, { services, options }: Work): Promise<boolean> {
  if (options.asks !== "first-use") return true;
  const { environments, approvals } = services.store;
  const record = await environments.get(environmentId);
  if (record === null || record.score !== null) return false;
  if (record.roundId === null) return true;
  return (await approvals.get(record.roundId, environmentId))?.status !== "approved";
}
