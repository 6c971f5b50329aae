/**
 * learn: writes down what a trainer learns from: the advantage of every trajectory of the agent and of every first
 * answer of the designer. Updating weights is the trainer's; this node changes none.
 */
import { type Lessons, lessonsOf } from "../lessons.ts";
import type { RoundNode } from "../state.ts";

export const learn: RoundNode = async (state, work) => {
  const { store } = work.services;
  work.progress("learn", 0, 1);
  const { advantages, kept, dropped } = lessonsOf(work.options, await work.episodes());
  const round = await store.rounds.get(state.roundId);
  const written: Lessons = {
    agent: advantages.map((entry) => ({ ...entry })),
    designer: Object.entries(round?.scores ?? {}).flatMap(
      ([environmentId, { designerReward: reward, designerAdvantage: advantage }]) =>
        reward === null || advantage === null ? [] : [{ environmentId, reward, advantage }],
    ),
    keptGroups: kept,
    droppedGroups: dropped,
  };
  const lessonsId = await store.texts.put(JSON.stringify(written));
  await store.rounds.update(state.roundId, (current) => ({ ...current, lessonsId }));
  work.progress("learn", 1, 1);
  return { droppedGroups: dropped };
};
