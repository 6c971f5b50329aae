/** A person changes the designer's hint of an environment that waits for approval, before anybody plays with it. */
import { InputError } from "../../config/errors.ts";
import type { EnvironmentRecord } from "../../store/records.ts";
import { audit } from "../decisions.ts";
import { sourceOf } from "../environment-of.ts";
import type { Services } from "../services.ts";
import { cleanHint } from "./clean.ts";
import { hintProblem } from "./problem.ts";
import { hintSubject } from "./subject.ts";

/**
 * The environment with its new hint. The hint is checked as the designer's is: one that gives a solution away would
 * make the regret meaningless. Throws `input.not-found`, `input.conflict` if the environment waits for nobody, and
 * `input.bad-option` with what to change.
 */
export async function editHint(
  services: Services,
  environmentId: string,
  text: string,
  by: string,
): Promise<EnvironmentRecord> {
  const { store } = services;
  const record = await store.environments.get(environmentId);
  if (record === null) throw new InputError("input.not-found", `There is no environment ${environmentId}.`);
  const waiting = async () =>
    (await store.approvals.waiting()).find((approval) => approval.environmentId === environmentId);
  const asked = await waiting();
  if (asked === undefined) {
    throw new InputError(
      "input.conflict",
      `${environmentId} doesn't wait for approval, so its hint stays; \`hint add\` gives it another beside it.`,
    );
  }
  const round = await store.rounds.get(asked.roundId);
  const source = await sourceOf(store, record);
  const slot = Math.max(0, round?.environmentIds.indexOf(environmentId) ?? 0);
  const subject = await hintSubject(services, { record, source, seed: round?.options.seed ?? 0, slot });
  const hint = cleanHint(text);
  const problem = hintProblem(hint, subject);
  if (problem !== null) throw new InputError("input.bad-option", `The hint can't be used: ${problem}`);
  const hintId = await store.texts.put(hint);
  if ((await waiting()) === undefined) {
    throw new InputError("input.conflict", `${environmentId} was decided about in the meantime.`);
  }
  const edited = await store.environments.update(environmentId, (current) => ({
    ...current,
    hintId,
    hintEditedBy: by,
  }));
  await audit(services, by, "hint.edit", environmentId, hintId.slice(0, 8));
  return edited;
}
