/** review: a reviewer, when one is configured, finds no fatal flaw. No verdict, or an error, is a rejection. */
import { z } from "zod";
import type { Reviewer } from "../admission.ts";
import { fail, type Judgement, pass, unknown } from "./gate.ts";

const review = z.object({ verdict: z.enum(["pass", "fail"]), detail: z.string() });

export const noReviewer = "No reviewer is configured.";

export async function judgeReview(
  reviewer: Reviewer | null,
  source: string,
  firstObservation: string | null,
): Promise<Judgement> {
  if (reviewer === null) return unknown(noReviewer);
  if (firstObservation === null) return unknown("There is no first observation to review.");
  const answer = review.safeParse(await reviewer({ source, firstObservation }));
  if (!answer.success) return unknown("The reviewer gave no verdict.");
  const { verdict, detail } = answer.data;
  return verdict === "pass" ? pass(detail) : fail(detail);
}
