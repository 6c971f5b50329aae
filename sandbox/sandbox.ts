/**
 * The seam to untrusted code: a source goes in, a handle comes out, and whatever the code does comes back as data
 * with a typed verdict. Callers know nothing of processes, isolates or languages.
 */
import type { EnvironmentKind, Json, Language } from "../config/words.ts";

/** What `reset` gives. */
export interface Observation {
  readonly observation: string;
  readonly info: { readonly [key: string]: Json };
}

/** What `step` gives; `reward` is finite. */
export interface Step extends Observation {
  readonly reward: number;
  readonly terminated: boolean;
  readonly truncated: boolean;
}

/** One tool of a tool-use environment; `parameters` is a JSON Schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly [key: string]: Json };
}

/** What a loaded environment says of itself. */
export interface EnvironmentShape {
  readonly className: string;
  readonly kind: EnvironmentKind;
  /** Turns it declares (`maxTurns`), at least 1. */
  readonly maxTurns: number;
  /** True if it declares that every seed is the same instance. */
  readonly singleInstance: boolean;
  readonly hasSolution: boolean;
}

/**
 * Why a call failed.
 * - `load-failed`: the source does not parse, has no class of the contract, or its constructor threw.
 * - `environment-threw`: a method threw. `timed-out`, `out-of-memory`: over the limits of one call.
 * - `host-died`: it took its host process down, also when tried alone.
 * - `bad-shape`: an answer is not what the contract says (types, non-finite reward). `too-large`: an answer over the size limits.
 * - `closed`: the handle or the sandbox was closed. `sandbox-failed`: our own fault; never blame the environment for it.
 */
export type FailureVerdict =
  | "load-failed"
  | "environment-threw"
  | "timed-out"
  | "out-of-memory"
  | "host-died"
  | "bad-shape"
  | "too-large"
  | "closed"
  | "sandbox-failed";

export type SandboxCall = "open" | "reset" | "step" | "solution" | "tools";

export interface Failure {
  readonly verdict: FailureVerdict;
  readonly call: SandboxCall;
  /** Steps already taken in the episode when it failed. */
  readonly turn: number;
  /** One sentence, at most 500 characters, safe to show; may quote the environment's own error message. */
  readonly detail: string;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

/** A whole scripted episode. What happened before a failure is kept. */
export interface Run {
  readonly reset: Observation | null;
  /** One entry per action taken; ends early when the episode terminates or truncates. */
  readonly steps: readonly Step[];
  /** `solution()` right after the reset, if asked for and the environment has one. Raw entries: see actions.ts. */
  readonly solution: readonly string[] | null;
  /** `tools()` right after the reset, if asked for and it is a tool-use environment. */
  readonly tools: readonly ToolDefinition[] | null;
  readonly failure: Failure | null;
}

export interface RunOptions {
  readonly solution?: boolean;
  readonly tools?: boolean;
}

/** One scripted episode of several. */
export interface Script extends RunOptions {
  readonly seed: number;
  readonly actions: readonly string[];
}

/**
 * One loaded environment with a state of its own. Calls on one handle run in the order they were made. After a
 * `timed-out`, `out-of-memory` or `host-died` failure the handle is dead and every later call repeats that failure.
 */
export interface EnvironmentHandle {
  readonly shape: EnvironmentShape;
  reset(seed: number): Promise<Outcome<Observation>>;
  /** `action` is what the environment's `step` receives, already in the format of its kind (see actions.ts). */
  step(action: string): Promise<Outcome<Step>>;
  /** Resets and plays a list of actions in one message: 10 to 20 times cheaper than single steps. */
  run(seed: number, actions: readonly string[], options?: RunOptions): Promise<Run>;
  /** Several runs in one message, as if `run` were called for each in turn; one entry per script. */
  runAll(scripts: readonly Script[]): Promise<readonly Run[]>;
  /** `solution()` in the present state; null if the environment has none. */
  solution(): Promise<Outcome<readonly string[] | null>>;
  /** `tools()` of a tool-use environment; an empty list for a game. */
  tools(): Promise<Outcome<readonly ToolDefinition[]>>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly language: Language;
  readonly signal?: AbortSignal;
}

/** What the sandbox holds at the moment, for `status` and the benches. */
export interface SandboxStats {
  readonly hosts: number;
  readonly live: number;
  readonly waiting: number;
  readonly hostRestarts: number;
}

export interface Sandbox {
  /** Loads a source in a fresh isolate; waits while every place is taken. Rejects only if `signal` aborts. */
  open(source: string, options: OpenOptions): Promise<Outcome<EnvironmentHandle>>;
  stats(): SandboxStats;
  /** Kills every host. Pending calls end with verdict `closed`. */
  close(): Promise<void>;
}
