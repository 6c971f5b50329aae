/** Repair: how the sentences of failed gates move the designer's choices, so that a second answer mends the first. */
import type { Repair } from "./request.ts";

/** Logit that keeps a choice that no gate complained about. */
const keep = 4;
/** Logit against a choice that a gate complained about. */
const drop = -4;

/**
 * Logits added to the options of a site. Too easy for random play: larger. Can't be won, or does not end:
 * smaller and more generous. A copy: other rules, and another size. Anything else: another mechanic.
 */
export function repairBias(repair: Repair | null, site: string, options: readonly string[]): number[] {
  if (repair === null) return options.map(() => 0);
  const { choices, failed } = repair;
  const before = site.startsWith("mechanic/") ? choices.mechanic : choices[site];
  if (before === undefined) return options.map(() => 0);
  const easy = failed.includes("non-trivial");
  const copied = failed.includes("novelty");
  const unwinnable = failed.includes("winnable") || failed.includes("termination");
  const other = failed.some((gate) => !["non-trivial", "novelty", "winnable", "termination"].includes(gate));
  const like = (logit: number) => options.map((option) => (option === before ? logit : 0));
  if (site.startsWith("mechanic/")) return like(other ? drop : keep);
  if (site === "size") return options.map((option) => sizeLogit(Number(option) - Number(before)));
  if (site === "budget") {
    if (unwinnable) return options.map((option) => 3 * Number(option));
    return like(keep);
  }
  if (site.startsWith("rule/")) return like(copied ? drop : keep);
  return like(copied ? 0 : keep);

  // An untrained designer is timid: it knows that a larger size is wanted, not how much larger.
  function sizeLogit(growth: number): number {
    const wanted = easy ? 0.2 : unwinnable ? -1 : copied ? 1 : 0;
    return -1.5 * Math.abs(growth - wanted);
  }
}
