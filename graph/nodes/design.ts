/** design: asks the designer for one environment a slot; an answer that is stored is never asked for again. */
import type { ProviderError } from "../../config/errors.ts";
import { keyedRandom } from "../../config/random.ts";
import { kindOfSkill } from "../../config/words.ts";
import type { EnvironmentRecord } from "../../store/records.ts";
import { conversationOf, withAnswer, writeConversation } from "../conversation.ts";
import { classNameOf, readDesign, refusedGates } from "../design-answer.ts";
import { askDesigner, withUsage } from "../designer.ts";
import { inParallel } from "../in-parallel.ts";
import { memoryPrompt } from "../memory/prompt.ts";
import type { ModelAnswer } from "../models/model.ts";
import type { PlanSlot } from "../plan.ts";
import { type DesignTask, designMessages } from "../prompts/designer.ts";
import { refusesThisRequest } from "../refusal.ts";
import type { RoundNode, Work } from "../state.ts";
import { designedIn } from "../totals.ts";

export const design: RoundNode = async (state, work) => {
  const { services, signal, draining } = work;
  const { environments, rounds } = services.store;
  const plan = await work.plan();
  const total = plan.slots.length;
  let done = 0;
  const keep = async (record: EnvironmentRecord): Promise<void> => {
    await environments.insert(record);
    const { id: environmentId, name } = record;
    services.emit({ type: "designed", roundId: state.roundId, environmentId, name, attempt: 0 });
  };
  const stored = new Set((await designedIn(services.store, state.roundId)).map(({ id }) => id));
  const refused: { readonly record: EnvironmentRecord; readonly refusal: ProviderError }[] = [];
  work.progress("design", done, total);
  await inParallel(
    [...plan.slots.entries()],
    { limit: services.config.models.concurrency, signal, draining },
    async ([slot, planned]) => {
      if (!stored.has(planned.environmentId)) {
        const designed = await designOne(state.roundId, slot, planned, work);
        if (designed.refusal === null) await keep(designed.record);
        else refused.push({ record: designed.record, refusal: designed.refusal });
      }
      done += 1;
      work.progress("design", done, total);
    },
  );
  // A model that takes none of the requests is set up wrongly; one that takes some has its reasons.
  const [first] = refused;
  if (first !== undefined && refused.length === total) throw first.refusal;
  for (const { record } of refused) await keep(record);
  await rounds.update(state.roundId, (round) => ({
    ...round,
    environmentIds: plan.slots.map((planned) => planned.environmentId),
  }));
  return { open: [...plan.slots.keys()] };
};

interface Designed {
  readonly record: EnvironmentRecord;
  /** Why the model did not answer; null if it did. */
  readonly refusal: ProviderError | null;
}

async function designOne(roundId: string, slot: number, planned: PlanSlot, work: Work): Promise<Designed> {
  const { services, options } = work;
  const { store } = services;
  const task = await taskOf(slot, planned, work);
  const opening = conversationOf(designMessages(task));
  const call = { slot, purpose: "design", attempt: 0 } as const;
  let answer: ModelAnswer | null = null;
  let refusal: ProviderError | null = null;
  try {
    answer = await askDesigner(work, call, opening);
  } catch (error) {
    if (!refusesThisRequest(error)) throw error;
    refusal = error;
  }
  const { source, gates } =
    answer === null
      ? { source: null, gates: refusedGates(`There is no answer: ${refusal?.message ?? ""}`) }
      : readDesign(answer.text, options.language);
  const whole = answer === null ? opening : withAnswer(opening, answer);
  const record: EnvironmentRecord = {
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
      policyVersion: answer?.policyVersion ?? null,
      decisions: answer?.decisions?.slice() ?? null,
      conversationId: await writeConversation(store.texts, whole),
      usage: answer === null ? {} : withUsage({}, call, answer),
    },
    score: null,
    createdAt: services.now(),
  };
  return { record, refusal };
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
    memory:
      options.memory === false
        ? ""
        : await memoryPrompt(await work.memory(), asked, {
            store,
            config: services.config,
            random: keyedRandom(options.seed, slot, "memory"),
          }),
  };
}
