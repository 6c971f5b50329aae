/** How the attack tests talk to the sandbox: short limits, sources from method bodies, and one call at a time. */
import { pino } from "pino";
import { expect } from "vitest";
import { configSchema, type SandboxConfig } from "../../config/schema.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type {
  EnvironmentHandle,
  Failure,
  FailureVerdict,
  Outcome,
  Run,
  Sandbox,
  SandboxCall,
} from "../../sandbox/sandbox.ts";

/** Shorter than the defaults, so that a hundred attacks end within a minute. */
export const shortLimits = {
  hosts: 2,
  stepTimeoutMs: 300,
  loadTimeoutMs: 600,
  hardDeadlineMs: 1_500,
} as const satisfies Partial<SandboxConfig>;

export function sandboxConfig(given: Partial<SandboxConfig> = {}): SandboxConfig {
  return { ...configSchema.parse({}).sandbox, ...given };
}

export function startSandbox(given: Partial<SandboxConfig> = {}, program?: string): Promise<Sandbox> {
  const options = program === undefined ? {} : { program };
  return createSandbox(sandboxConfig(given), pino({ level: "silent" }), options);
}

/** Bodies of an environment's methods; what is left out behaves well. */
export interface Bodies {
  /** Before the class. */
  readonly top?: string;
  readonly construct?: string;
  readonly reset?: string;
  readonly step?: string;
  readonly solution?: string;
  /** A body makes it a tool-use environment. */
  readonly tools?: string;
  /** Further members of the class. */
  readonly members?: string;
}

export function sourceOf(bodies: Bodies): string {
  const { top = "", members = "" } = bodies;
  const solution = bodies.solution === undefined ? "" : `solution() { ${bodies.solution} }`;
  const tools = bodies.tools === undefined ? "" : `tools() { ${bodies.tools} }`;
  return `${top}
class AttackEnv ${bodies.tools === undefined ? "" : "extends ToolUseBaseEnv"} {
  constructor() { ${bodies.tools === undefined ? "" : "super();"} ${bodies.construct ?? ""} }
  reset(seed) { ${bodies.reset ?? 'return { observation: "start", info: {} };'} }
  step(action) { ${bodies.step ?? "return { observation: action, reward: 0, terminated: false, truncated: false, info: {} };"} }
  ${solution} ${tools} ${members}
}`;
}

/** A step's answer, as source text; `observation` is an expression. */
export function answering(observation: string): string {
  return `return { observation: ${observation}, reward: 0, terminated: false, truncated: false, info: {} };`;
}

export async function openOrThrow(sandbox: Sandbox, source: string): Promise<EnvironmentHandle> {
  const outcome = await sandbox.open(source, { language: "javascript" });
  if (!outcome.ok) throw new Error(`${outcome.failure.verdict}: ${outcome.failure.detail}`);
  return outcome.value;
}

export function unwrap<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.failure.verdict}: ${outcome.failure.detail}`);
  return outcome.value;
}

/** Opens, resets, steps, and asks for the solution and the tools; the first failure, or null if all went well. */
export async function firstFailure(sandbox: Sandbox, source: string): Promise<Failure | null> {
  const opened = await sandbox.open(source, { language: "javascript" });
  if (!opened.ok) return opened.failure;
  const handle = opened.value;
  try {
    for (const call of [
      () => handle.reset(1),
      () => handle.step("first"),
      () => handle.solution(),
      () => handle.tools(),
    ]) {
      const outcome: Outcome<unknown> = await call();
      if (!outcome.ok) return outcome.failure;
    }
    return null;
  } finally {
    await handle.close();
  }
}

/** The same in one message. */
export async function failureOfRun(sandbox: Sandbox, source: string): Promise<Failure | null> {
  const opened = await sandbox.open(source, { language: "javascript" });
  if (!opened.ok) return opened.failure;
  const run: Run = await opened.value.run(1, ["first"], { solution: true, tools: true });
  await opened.value.close();
  return run.failure;
}

export function expectFailure(
  failure: Failure | null,
  call: SandboxCall,
  verdicts: readonly FailureVerdict[],
): void {
  expect(failure).not.toBeNull();
  expect(verdicts).toContain(failure?.verdict);
  expect(failure?.call).toBe(call);
  expect(failure?.detail.length).toBeLessThanOrEqual(500);
  expect(failure?.detail).not.toMatch(/\n|\/work|node:|\.js:/);
}
