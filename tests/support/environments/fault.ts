/** One fault of an environment, and the gate that must find it. */
import type { GateName } from "../../../config/words.ts";

export interface Fault {
  readonly gate: GateName;
  readonly what: string;
  readonly source: string;
  /** A word or two that the gate's sentence must contain, so that a designer learns what was seen. */
  readonly says: RegExp;
}

export const fault = (gate: GateName, what: string, source: string, says: RegExp): Fault => ({
  gate,
  what,
  source,
  says,
});
