/** design: asks the designer for one environment a slot; an answer that is stored is never asked for again. */

import { keyedRandom } from "../../config/random.ts";
import { kindOfSkill } from "../../config/words.ts";
import type { EnvironmentRecord } from "../../store/records.ts";
import { conversationOf, withAnswer, writeConversation } from "../conversation.ts";
import { classNameOf, readDesign } from "../design-answer.ts";
import { askDesigner } from "../designer.ts";
import { inParallel } from "../in-parallel.ts";
import { memoryPrompt } from "../memory/prompt.ts";
import type { PlanSlot } from "../plan.ts";
import { type DesignTask, designMessages } from "../prompts/designer.ts";
import type { RoundNode, Work } from "../state.ts";

export const design: RoundNode = async (state, work) => {
  const { services, signal, draining } = work;
  const { environments, rounds } = services.store;
  const plan = await work.plan();
  const total = plan.slots.length;
  let done = 0;
  work.progress("design", done, total);
  await inParallel(
    [...plan.slots.entries()],
    { limit: services.config.models.concurrency, signal, draining },
    async ([slot, planned]) => {
      if ((await environments.get(planned.environmentId)) === null) {
        const record = await designOne(state.roundId, slot, planned, work);
        await environments.insert(record);
        services.emit({
          type: "designed",
          roundId: state.roundId,
          environmentId: record.id,
          name: record.name,
          attempt: 0,
        });
      }
      done += 1;
      work.progress("design", done, total);
    },
  );
  await rounds.update(state.roundId, (round) => ({
    ...round,
    environmentIds: plan.slots.map((planned) => planned.environmentId),
  }));
  return { open: [...plan.slots.keys()] };
};

async function designOne(
  roundId: string,
  slot: number,
  planned: PlanSlot,
  work: Work,
): Promise<EnvironmentRecord> {
  const { services, options } = work;
  const { store } = services;
  const task = await taskOf(slot, planned, work);
  const opening = conversationOf(designMessages(task));
  const answer = await askDesigner(work, { roundId, slot, purpose: "design", attempt: 0 }, opening);
  const { source, gates } = readDesign(answer.text, options.language);
  return {
    id: planned.environmentId,
    roundId,
    slot,
    name: (source === null ? null : classNameOf(source)) ?? "(no code)",
    kind: kindOfSkill(task.skill),
    language: options.language,
    skill: task.skill,
    difficulty: task.difficulty,
    documentId: task.document?.id ?? null,
    brief: options.brief,
    status: "designed",
    reason: null,
    sourceId: source === null ? null : await store.texts.put(source),
    gates: gates ?? [],
    repairs: 0,
    firstAnswerAdmitted: false,
    hintId: null,
    firstObservation: "",
    maxTurns: null,
    tags: [],
    fingerprint: null,
    designer: {
      model: options.model,
      policyVersion: answer.policyVersion,
      decisions: answer.decisions?.slice() ?? null,
      conversationId: await writeConversation(store.texts, withAnswer(opening, answer)),
    },
    score: null,
    createdAt: services.now(),
  };
}

async function taskOf(slot: number, { task }: PlanSlot, work: Work): Promise<DesignTask> {
  if (task === null) throw new TypeError(`slot ${slot} has nothing to design`);
  const { services, options } = work;
  const { store } = services;
  const { documentId, ...asked } = task;
  const document = documentId === null ? null : await store.documents.get(documentId);
  return {
    ...asked,
    language: options.language,
    turnCap: options.turnCap,
    brief: options.brief,
    document:
      document === null
        ? null
        : { id: document.id, title: document.title, text: await store.texts.get(document.textId) },
    memory: await memoryPrompt(await work.memory(), asked, {
      store,
      config: services.config,
      random: keyedRandom(options.seed, slot, "memory"),
    }),
  };
}
