/** repair: hands every rejected design back to its designer, in its own conversation, with the gates' sentences. */
import type { EnvironmentRecord } from "../../store/records.ts";
import { readConversation, withAnswer, withMessage, writeConversation } from "../conversation.ts";
import { classNameOf, readDesign } from "../design-answer.ts";
import { askDesigner, withUsage } from "../designer.ts";
import { environmentOf } from "../environment-of.ts";
import { failedGates } from "../gates.ts";
import { inParallel } from "../in-parallel.ts";
import type { ModelAnswer } from "../models/model.ts";
import { environmentIdOf } from "../plan.ts";
import { repairMessage } from "../prompts/designer.ts";
import { refusesThisRequest } from "../refusal.ts";
import type { RoundNode, Work } from "../state.ts";

export const repair: RoundNode = async (state, work) => {
  const { services, signal, draining } = work;
  const wave = state.wave + 1;
  let done = 0;
  work.progress("design", done, state.open.length);
  await inParallel(
    state.open,
    { limit: services.config.models.concurrency, signal, draining },
    async (slot) => {
      const record = await environmentOf(services.store, environmentIdOf(state.roundId, slot));
      // The answer of this wave is there already if the process died after it came.
      const repaired = record.repairs < wave ? await repairOne(state.roundId, slot, record, work) : null;
      if (repaired !== null) {
        const { name } = repaired;
        services.emit({
          type: "designed",
          roundId: state.roundId,
          environmentId: record.id,
          name,
          attempt: wave,
        });
      }
      done += 1;
      work.progress("design", done, state.open.length);
    },
  );
  return { wave };
};

/** Null if the model refuses to go on with this conversation, e.g. because it grew too long: the verdict stands. */
async function repairOne(
  roundId: string,
  slot: number,
  record: EnvironmentRecord,
  work: Work,
): Promise<EnvironmentRecord | null> {
  const { services, options } = work;
  const { texts, environments } = services.store;
  const { conversationId } = record.designer;
  if (conversationId === null) throw new TypeError(`environment ${record.id} has no conversation`);
  const attempt = record.repairs + 1;
  const asked = withMessage(
    await readConversation(texts, conversationId),
    repairMessage(failedGates(record.gates)),
  );
  const call = { slot, purpose: "design", attempt } as const;
  let answer: ModelAnswer;
  try {
    answer = await askDesigner(work, call, asked);
  } catch (error) {
    if (!refusesThisRequest(error)) throw error;
    services.log.warn({ roundId, environmentId: record.id, err: error }, "a repair was refused");
    return null;
  }
  const { source, gates } = readDesign(answer.text, options.language);
  const sourceId = source === null ? null : await texts.put(source);
  const whole = await writeConversation(texts, withAnswer(asked, answer));
  return environments.update(record.id, (current) => ({
    ...current,
    name: (source === null ? null : classNameOf(source)) ?? current.name,
    sourceId,
    gates: gates ?? [],
    repairs: attempt,
    // Decisions stay those of the first answer: it alone trains the designer.
    designer: {
      ...current.designer,
      conversationId: whole,
      usage: withUsage(current.designer.usage, call, answer),
    },
  }));
}
