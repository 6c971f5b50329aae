/** hint: asks the designer for a hint to each admitted environment; one that leaks is rewritten once, then dropped. */
import type { EnvironmentRecord } from "../../store/records.ts";
import type { Conversation } from "../conversation.ts";
import {
  conversationOf,
  readConversation,
  withAnswer,
  withMessage,
  writeConversation,
} from "../conversation.ts";
import { askDesigner, withUsage } from "../designer.ts";
import { environmentOf, sourceOf } from "../environment-of.ts";
import { cleanHint } from "../hints/clean.ts";
import type { HintSubject } from "../hints/leak.ts";
import { hintProblem } from "../hints/problem.ts";
import { hintSubject } from "../hints/subject.ts";
import { inParallel } from "../in-parallel.ts";
import type { ModelAnswer } from "../models/model.ts";
import { environmentIdOf } from "../plan.ts";
import { hintMessages, rewriteHintMessage } from "../prompts/hint.ts";
import { refusesThisRequest } from "../refusal.ts";
import type { RoundNode, State, Work } from "../state.ts";

/** A hint and one rewrite. */
const mostAnswers = 2;

export const hint: RoundNode = async (state, work) => {
  const { services, signal, draining } = work;
  if (work.options.hints === false) return {};
  const total = state.playable.length;
  let done = 0;
  work.progress("hint", done, total);
  await inParallel(
    state.playable,
    { limit: services.config.models.concurrency, signal, draining },
    async (slot) => {
      const record = await environmentOf(services.store, environmentIdOf(state.roundId, slot));
      const kept = await hintOne(state, slot, record, work);
      services.emit({ type: "hinted", roundId: state.roundId, environmentId: record.id, kept });
      done += 1;
      work.progress("hint", done, total);
    },
  );
  return {};
};

/** True if the environment has a hint in the end. Each answer is stored with its conversation as it comes. */
async function hintOne(
  { roundId, playable }: State,
  slot: number,
  record: EnvironmentRecord,
  work: Work,
): Promise<boolean> {
  if (record.hintId !== null) return true;
  const { services } = work;
  const { texts } = services.store;
  const source = await sourceOf(services.store, record);
  const { hintConversationId } = record.designer;
  const whole: Conversation =
    hintConversationId === undefined
      ? conversationOf(hintMessages({ source, firstObservation: record.firstObservation }))
      : await readConversation(texts, hintConversationId);
  const answers = whole.filter(({ by }) => by === "designer").length;
  if (answers >= mostAnswers) return false;

  // While the model writes, the sandbox has nothing else to do.
  const ready = prepare(source, record, slot, playable.length, work);
  const settled = ready.catch(() => undefined);
  try {
    return await untilKept({ roundId, slot, record, whole, answers }, ready, work);
  } finally {
    // A run that stops here must leave nothing behind that still loads.
    await settled;
  }
}

interface Asked {
  readonly roundId: string;
  readonly slot: number;
  readonly record: EnvironmentRecord;
  readonly whole: Conversation;
  /** Answers that it holds. */
  readonly answers: number;
}

async function untilKept(asked: Asked, subject: Promise<HintSubject>, work: Work): Promise<boolean> {
  const { roundId, slot, record } = asked;
  const { services } = work;
  const { texts, environments } = services.store;
  let { whole, answers } = asked;
  while (answers < mostAnswers) {
    const last = whole.at(-1);
    if (last?.by === "designer") {
      const problem = hintProblem(cleanHint(last.text), await subject) ?? "it can't be used.";
      whole = withMessage(whole, rewriteHintMessage(problem));
    }
    const call = { slot, purpose: "hint", attempt: answers } as const;
    let answer: ModelAnswer;
    try {
      answer = await askDesigner(work, call, whole);
    } catch (error) {
      if (!refusesThisRequest(error)) throw error;
      services.log.warn({ roundId, environmentId: record.id, err: error }, "the model wrote no hint");
      return false;
    }
    whole = withAnswer(whole, answer);
    answers += 1;
    const text = cleanHint(answer.text);
    const problem = hintProblem(text, await subject);
    const hintId = problem === null ? await texts.put(text) : null;
    const conversationId = await writeConversation(texts, whole);
    await environments.update(record.id, (current) => ({
      ...current,
      hintId,
      designer: {
        ...current.designer,
        hintConversationId: conversationId,
        usage: withUsage(current.designer.usage, call, answer),
      },
    }));
    if (hintId !== null) return true;
    services.log.info({ roundId, environmentId: record.id, problem }, "a hint was refused");
  }
  return false;
}

/** What a hint is held against; then begins to load this environment's part of the plays that begin the next stage. */
async function prepare(
  source: string,
  record: EnvironmentRecord,
  slot: number,
  environments: number,
  work: Work,
): Promise<HintSubject> {
  const { services, options, signal } = work;
  const { language } = record;
  const subject = await hintSubject(services, { record, source, seed: options.seed, slot, signal });
  // Where people are asked first, it may be days until somebody plays.
  if (!options.approve) {
    const loading = await work.loading();
    const count = Math.min(options.plays, Math.ceil(loading.places / environments));
    loading.ahead(source, count, { language, signal });
  }
  return subject;
}
