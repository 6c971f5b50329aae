/**
 * approve: asks people about every admitted environment of the round, once, and waits. Decisions are rows in the
 * store (graph/decisions.ts); what wakes the round says nothing, so two who wake it can't decide twice.
 */
import { interrupt } from "@langchain/langgraph";
import { applyDecision } from "../decisions.ts";
import { environmentIdOf } from "../plan.ts";
import type { RoundNode } from "../state.ts";

export const approve: RoundNode = async (state, work) => {
  const { services } = work;
  const { approvals } = services.store;
  const known = new Map(
    (await approvals.ofRound(state.roundId)).map((approval) => [approval.environmentId, approval]),
  );
  for (const slot of state.playable) {
    const environmentId = environmentIdOf(state.roundId, slot);
    if (known.has(environmentId)) continue;
    await approvals.ask(state.roundId, environmentId, services.now());
    services.emit({ type: "approval-asked", roundId: state.roundId, environmentId });
  }
  const asked = await approvals.ofRound(state.roundId);
  const waiting = asked.filter(({ status }) => status === "waiting");
  work.progress("approve", asked.length - waiting.length, asked.length);
  if (waiting.length > 0) interrupt({ waiting: waiting.length });

  // Again, because the process may have died between a decision and what it means for its environment.
  for (const approval of asked) await applyDecision(services.store, approval);
  const approved = new Set(
    asked.filter(({ status }) => status === "approved").map(({ environmentId }) => environmentId),
  );
  return {
    playable: state.playable.filter((slot) => approved.has(environmentIdOf(state.roundId, slot))),
  };
};
