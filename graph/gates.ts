/** What a list of gate results says: which gates turned an environment away, and the one sentence for it. */
import type { GateResult } from "../config/words.ts";

/**
 * The gates that turned an environment away: those that failed, or, if none did, those without a verdict. Gates that
 * could not run because of another one's failure say nothing that a designer could mend.
 */
export function failedGates(gates: readonly GateResult[]): GateResult[] {
  const failed = gates.filter(({ verdict }) => verdict === "fail");
  return failed.length > 0 ? failed : gates.filter(({ verdict }) => verdict === "unknown");
}

/** The reason of a rejection in one sentence, from the first gate that failed. */
export function rejectionOf(gates: readonly GateResult[]): string {
  const first = failedGates(gates)[0];
  return first === undefined ? "It was rejected without a reason." : `${first.gate}: ${first.detail}`;
}
