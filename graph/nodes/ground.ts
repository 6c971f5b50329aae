/** ground: draws the round's plan, so that everything after it follows from the seed and from what there was. */
import { RoundError } from "../../config/errors.ts";
import { keyedRandom } from "../../config/random.ts";
import { sampleDocument } from "../corpus/sample.ts";
import { loadMemory } from "../memory/memory.ts";
import { drawTasks, environmentIdOf, type Plan, type PlanSlot } from "../plan.ts";
import type { RoundNode, Work } from "../state.ts";

export const ground: RoundNode = async (state, work) => {
  const { services, options } = work;
  const selfPlay = options.mode === "self-play" || options.mode === "design";
  const total = selfPlay ? options.envs : options.pool.length;
  work.progress("ground", 0, total);
  const plan: Plan = selfPlay
    ? { slots: await tasksOf(state.roundId, work), memory: await memoryIds(state.roundId, work) }
    : { slots: await poolOf(work), memory: [] };
  const planId = await services.store.texts.put(JSON.stringify(plan));
  work.progress("ground", total, total);
  if (selfPlay) return { planId };
  const playable = await playableOf(plan, work);
  await services.store.rounds.update(state.roundId, (round) => ({ ...round, environmentIds: options.pool }));
  return { planId, playable };
};

async function tasksOf(roundId: string, { services, options }: Work): Promise<PlanSlot[]> {
  const slots: PlanSlot[] = [];
  for (const [slot, task] of drawTasks(options).entries()) {
    const document =
      options.grounding === false
        ? null
        : await sampleDocument(
            services.store,
            keyedRandom(options.seed, slot, "document"),
            options.documentIds,
          );
    slots.push({
      environmentId: environmentIdOf(roundId, slot),
      task: { ...task, documentId: document?.id ?? null },
      humanHintId: null,
    });
  }
  return slots;
}

async function memoryIds(roundId: string, { services }: Work): Promise<string[]> {
  const memory = await loadMemory(services.store, services.config.memory.size, roundId);
  return memory.entries.map((entry) => entry.id);
}

async function poolOf({ services, options }: Work): Promise<PlanSlot[]> {
  return Promise.all(
    options.pool.map(async (environmentId) => {
      const hints = await services.store.hints.ofEnvironment(environmentId);
      return { environmentId, task: null, humanHintId: hints.at(-1)?.textId ?? null };
    }),
  );
}

/** What was retired or removed since the round was asked for is left out. */
async function playableOf(plan: Plan, { services }: Work): Promise<number[]> {
  const records = await Promise.all(
    plan.slots.map(({ environmentId }) => services.store.environments.get(environmentId)),
  );
  const playable = records.flatMap((record, slot) => (record?.status === "admitted" ? [slot] : []));
  if (playable.length === 0) {
    throw new RoundError("round.no-environment", "None of the pool's environments can be played any more.");
  }
  return playable;
}
