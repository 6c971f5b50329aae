/**
 * The protocol between the pool and its hosts: NDJSON frames over pipes. A host is believed nothing: every frame that
 * comes from one passes a schema here, and one that doesn't costs the host its life.
 */
import { z } from "zod";
import {
  maxDepth,
  observationOf,
  resetReply,
  solutionReply,
  stepsOf,
  toolOf,
  toolsReply,
} from "./answers.ts";
import type { Failure, FailureVerdict, Run, SandboxCall, Step } from "./sandbox.ts";

/** Parts of several runs, each with whether it ends its run. */
const runsPart = z.array(z.tuple([z.boolean(), z.unknown()]));

/** One part of a run: reset, solution, tools, steps, and the failure that ended it. Each is parsed by itself. */
function isRunPart(value: unknown): value is readonly [unknown, unknown, unknown, unknown, unknown] {
  return Array.isArray(value) && value.length === 5;
}

/** A failure as the driver writes it into a run: the call, then `F`, a letter and the message. */
const runFailure = z
  .tuple([z.enum(["reset", "step", "solution", "tools"]), z.string().regex(/^F[tblm]/)])
  .nullable();

const callId = z.number().int().min(1);
const detail = z.string().max(20_000);

/** A call that runs: for how many milliseconds, and how many of CPU time it used. */
const busyCall = z.tuple([callId, z.number().min(0), z.number().min(0)]);

/** Frames that come from a host by themselves, and answers of all kinds. Payloads are parsed by their call's schema. */
export const hostFrame = z.union([
  z.tuple([callId, z.enum(["done", "part"]), z.unknown()]),
  z.tuple([
    callId,
    z.literal("failed"),
    z.enum(["environment-threw", "bad-shape", "too-large", "load-failed"]),
    detail,
  ]),
  z.tuple([
    callId,
    z.literal("dead"),
    z.enum(["timed-out", "slow", "starved", "out-of-memory", "closed", "sandbox-failed"]),
    detail,
  ]),
  z.tuple([z.literal(0), z.literal("ready")]),
  z.tuple([z.literal(0), z.literal("busy"), z.array(busyCall).max(10_000)]),
  z.tuple([z.literal(0), z.literal("catastrophe"), z.number().int().min(0), detail]),
]);
export type HostFrame = z.infer<typeof hostFrame>;

/** What a host sent; null if it is no frame. */
export function frameOf(value: unknown): HostFrame | null {
  // By far the most frequent frame, which the schema would only copy.
  if (isAnswer(value)) return value;
  const parsed = hostFrame.safeParse(value);
  return parsed.success ? parsed.data : null;
}

function isAnswer(value: unknown): value is [number, "done" | "part", unknown] {
  return (
    Array.isArray(value) &&
    value.length === 3 &&
    Number.isSafeInteger(value[0]) &&
    value[0] >= 1 &&
    (value[1] === "done" || value[1] === "part")
  );
}

export interface AskedRun {
  readonly seed: number;
  readonly actions: readonly string[];
  readonly solution: boolean;
  readonly tools: boolean;
}

/** What a handle asks of its environment. These are also what it remembers, so that it can be replayed elsewhere. */
export type Operation =
  | { readonly name: "reset"; readonly seed: number }
  | { readonly name: "step"; readonly action: string }
  | ({ readonly name: "run" } & AskedRun)
  | { readonly name: "runs"; readonly scripts: readonly AskedRun[] }
  | { readonly name: "solution" }
  | { readonly name: "tools" };

export type Request =
  | Operation
  | {
      readonly name: "open";
      readonly source: string;
      /** Quick calls before the host runs its steps on its own thread. */
      readonly untilBrisk: number;
    };

/** The line that asks `request` of environment `owner` under number `call`. */
export function requestLine(request: Request, owner: number, call: number): string {
  switch (request.name) {
    case "step":
      return `["step",${owner},${call},${JSON.stringify(request.action)}]`;
    case "reset":
      return `["reset",${owner},${call},${JSON.stringify(request.seed)}]`;
    case "open":
      return `["open",${owner},${call},${JSON.stringify(request.source)},${request.untilBrisk}]`;
    case "run":
      return JSON.stringify([
        "run",
        owner,
        call,
        request.seed,
        request.actions,
        request.solution,
        request.tools,
      ]);
    case "runs": {
      const scripts = request.scripts.map(({ seed, actions, solution, tools }) => [
        seed,
        actions,
        solution,
        tools,
      ]);
      return JSON.stringify(["runs", owner, call, scripts]);
    }
    default:
      return `["${request.name}",${owner},${call}]`;
  }
}

export function closeLine(owner: number): string {
  return `["close",${owner}]`;
}

const letters: Readonly<Record<string, FailureVerdict>> = {
  t: "environment-threw",
  b: "bad-shape",
  l: "too-large",
  m: "out-of-memory",
};

/** The failure for an answer that is not what the contract says, however it came to be so. */
export function broken(call: SandboxCall, turn: number): Failure {
  const detail = `What ${call} answered is not what the contract says, or nests deeper than ${maxDepth} levels.`;
  return { verdict: "bad-shape", call, turn, detail };
}

/** Puts the parts of a run together, up to the first thing in them that fits no schema. */
export function runOf(parts: readonly unknown[]): Run {
  const run: { -readonly [key in keyof Run]: Run[key] } & { steps: Step[] } = {
    reset: null,
    steps: [],
    solution: null,
    tools: null,
    failure: null,
  };
  for (const part of parts) {
    const call = addPart(run, part);
    if (call !== null) return { ...run, failure: broken(call, run.steps.length) };
  }
  return run;
}

/** The runs that are whole in the parts of several, and what there is of the one after them. */
export function runsOf(parts: readonly unknown[]): { readonly whole: readonly Run[]; readonly open: Run } {
  const whole: Run[] = [];
  let open: unknown[] = [];
  for (const part of parts) {
    const parsed = runsPart.safeParse(part);
    // Whatever follows can't be told apart any more.
    if (!parsed.success) return { whole, open: { ...runOf(open), failure: broken("step", 0) } };
    for (const [ends, one] of parsed.data) {
      open.push(one);
      if (!ends) continue;
      whole.push(runOf(open));
      open = [];
    }
  }
  return { whole, open: runOf(open) };
}

/** Adds what a part holds; the call whose answer fits no schema, or null. */
function addPart(
  run: { -readonly [key in keyof Run]: Run[key] } & { steps: Step[] },
  part: unknown,
): SandboxCall | null {
  if (!isRunPart(part)) return run.reset === null ? "reset" : "step";
  const [reset, solution, tools, steps, failure] = part;
  if (reset !== null) {
    const parsed = resetReply.safeParse(reset);
    if (!parsed.success) return "reset";
    run.reset = observationOf(parsed.data);
  }
  if (solution !== null) {
    const parsed = solutionReply.safeParse(solution);
    if (!parsed.success) return "solution";
    run.solution = parsed.data;
  }
  if (tools !== null) {
    const parsed = toolsReply.safeParse(tools);
    if (!parsed.success) return "tools";
    run.tools = parsed.data.map(toolOf);
  }
  if (steps !== null && !stepsOf(steps, run.steps)) return "step";
  if (failure === null) return null;
  const failed = runFailure.safeParse(failure);
  if (!failed.success) return "step";
  if (failed.data !== null) {
    const [call, text] = failed.data;
    const verdict = letters[text.charAt(1)] ?? "bad-shape";
    run.failure = { verdict, call, turn: run.steps.length, detail: text.slice(2) };
  }
  return null;
}
