/** novelty: not a near-copy of an environment that is known to whoever asks for the admission. */
import type { NoveltyCheck } from "../admission.ts";
import type { Fingerprint } from "../fingerprint.ts";
import { fail, type Judgement, pass, unknown } from "./gate.ts";

export async function judgeNovelty(fingerprint: Fingerprint | null, check: NoveltyCheck): Promise<Judgement> {
  if (fingerprint === null) return unknown("There is no fingerprint of this source to compare.");
  const neighbour = await check(fingerprint);
  if (neighbour === null) return pass("Nothing known is like it.");
  return fail(
    `It is a near-copy of environment ${neighbour.id} (similarity ${neighbour.similarity.toFixed(2)}). Change the rules, not only names, wording and single numbers.`,
  );
}
