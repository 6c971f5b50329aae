/** What gates share: the environment under judgement and what earlier gates found out about it. */
import type { Random } from "../../../config/random.ts";
import type { GateName, GateVerdict } from "../../../config/words.ts";
import type { EnvironmentShape, Run, Step, ToolDefinition } from "../../sandbox.ts";
import type { RandomPlayer } from "../mining/player.ts";
import type { Probe } from "../probe.ts";
import type { JunkAnswers } from "../reactions.ts";

export interface Judgement {
  readonly verdict: GateVerdict;
  /** A sentence that a designer can repair from. */
  readonly detail: string;
}

export const pass = (detail: string): Judgement => ({ verdict: "pass", detail });
export const fail = (detail: string): Judgement => ({ verdict: "fail", detail });
/** Evidence is missing: the gate can't say, which rejects as a failure does. */
export const unknown = (detail: string): Judgement => ({ verdict: "unknown", detail });

/** One seed's instance as `reset` and `solution()` show it. */
export interface SeedInstance {
  /** Its place among the seeds of this admission. */
  readonly index: number;
  readonly seed: number;
  readonly firstObservation: string;
  /** As `solution()` gives it; null if there is none or it failed. */
  readonly solution: readonly string[] | null;
  /** The solution in the format that `step` receives; empty if there is none. */
  readonly actions: readonly string[];
  /** Why there is no solution, null if there is one. */
  readonly problem: string | null;
}

/** One scripted episode. */
export interface Play {
  readonly instance: SeedInstance;
  readonly actions: readonly string[];
  readonly steps: readonly Step[];
}

/** What gates found out; null or empty until the gate that looks for it has run. */
export interface Evidence {
  instances: readonly SeedInstance[];
  tools: readonly ToolDefinition[];
  player: RandomPlayer | null;
  junkAnswers: JunkAnswers;
  /** Random legal play. */
  plays: readonly Play[];
}

export interface Subject {
  readonly shape: EnvironmentShape;
  readonly probe: Probe;
  /** The seeds of this admission; the first is the fixed one that `firstObservation` of the report comes from. */
  readonly seeds: readonly number[];
  readonly evidence: Evidence;
  /** The draw that the parts name, keyed by the source: verdicts repeat. */
  readonly random: (...parts: readonly (string | number)[]) => Random;
  /** A probe on a fresh instance in a fresh isolate; the probes before must be closed, as an admission holds one place. */
  readonly freshProbe: () => Promise<Probe>;
}

/** A gate that plays the environment. */
export interface PlayingGate {
  readonly gate: GateName;
  readonly judge: (subject: Subject) => Promise<Judgement>;
}

/** Success: terminated with return 1 (a reward of 1 or more; returns are clamped). */
export function isSuccess(steps: readonly Step[]): boolean {
  const last = steps.at(-1);
  return last?.terminated === true && last.reward >= 1;
}

export function isOver(steps: readonly Step[]): boolean {
  const last = steps.at(-1);
  return last?.terminated === true || last?.truncated === true;
}

/** The observation before a step: the first one, or that of the step before. */
export function observationBefore(firstObservation: string, steps: readonly Step[], turn: number): string {
  return turn === 0 ? firstObservation : (steps[turn - 1]?.observation ?? "");
}

/** What a run is compared by. */
export function transcriptOf({ reset, steps, solution }: Run): string {
  return JSON.stringify([reset, steps, solution]);
}
