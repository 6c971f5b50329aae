/**
 * Admission: the thirteen gates an environment passes before anyone plays it, as one call. This file states what goes
 * in and what comes out; each gate has a file of its own beside it.
 */
import type { GateResult, Language } from "../../config/words.ts";
import type { EnvironmentShape, Sandbox } from "../sandbox.ts";
import type { Fingerprint } from "./fingerprint.ts";

/** What the novelty gate is told about the nearest known environment. */
export interface Neighbour {
  readonly id: string;
  /** 1 = the same structure and literals. */
  readonly similarity: number;
}

/**
 * Answers the novelty gate: the nearest environment that counts as a copy, or null. It may wait, e.g. for the verdict
 * on an earlier slot of the batch. The caller decides what is known; the gate decides nothing but the verdict.
 */
export type NoveltyCheck = (fingerprint: Fingerprint) => Promise<Neighbour | null>;

/** A reviewer's view. A thrown error or no verdict is a rejection. */
export type Reviewer = (subject: {
  readonly source: string;
  readonly firstObservation: string;
}) => Promise<{ readonly verdict: "pass" | "fail"; readonly detail: string }>;

export interface AdmissionOptions {
  readonly language: Language;
  readonly sandbox: Sandbox;
  readonly novelty: NoveltyCheck;
  /** Null: no reviewer is configured; `review` then reports `unknown`, which does not reject. */
  readonly reviewer: Reviewer | null;
  readonly signal?: AbortSignal;
  /** Gates whose `unknown` does not reject (an import may allow some). Default: none but `review` without a reviewer. */
  readonly allowUnknown?: readonly GateResult["gate"][];
}

export interface AdmissionReport {
  readonly admitted: boolean;
  /** All thirteen, in the order of `gateName`. */
  readonly gates: readonly GateResult[];
  /** Null if it did not load. */
  readonly shape: EnvironmentShape | null;
  /** Null if it did not parse. */
  readonly fingerprint: Fingerprint | null;
  /** The first observation of a fixed seed; null if there was none. */
  readonly firstObservation: string | null;
  /**
   * `solution()` on several seeds, for the hint's leak check; empty if there was none.
   */
  readonly solutions: readonly { readonly seed: number; readonly actions: readonly string[] }[];
}
