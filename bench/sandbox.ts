/**
 * What the sandbox costs: steps against the same environment unsandboxed in one CPython process, the price of the
 * worst environments, and the memory of many isolates.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { pino } from "pino";
import { z } from "zod";
import { keyedRandom } from "../config/random.ts";
import { configSchema, type SandboxConfig } from "../config/schema.ts";
import { innermost } from "../sandbox/jail.ts";
import { createSandbox } from "../sandbox/pool.ts";
import type { EnvironmentHandle, Sandbox } from "../sandbox/sandbox.ts";
import { vitalsOf } from "../sandbox/vitals.ts";
import type { Row } from "./row.ts";

const log = pino({ level: "silent" });
const peers = fileURLToPath(new URL("./peers/", import.meta.url));
const source = readFileSync(`${peers}harbour.js`, "utf8");
const seconds = 2;

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  await withSandbox({}, async (sandbox) => {
    rows.push(...(await batched(sandbox)));
  });
  await withSandbox({}, async (sandbox) => {
    rows.push(await singleSteps(sandbox));
    rows.push(await opens(sandbox));
  });
  await withSandbox({}, async (sandbox) => {
    rows.push(await endlessLoop(sandbox));
  });
  await withSandbox({}, async (sandbox) => {
    rows.push(...(await worstAttack(sandbox)));
  });
  await withSandbox({ livePerHost: 100, hosts: 2 }, async (sandbox) => {
    rows.push(await manyIsolates(sandbox));
  });
  return rows;
}

async function withSandbox(
  given: Partial<SandboxConfig>,
  work: (sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const sandbox = await createSandbox({ ...configSchema.parse({}).sandbox, ...given }, log);
  try {
    await work(sandbox);
  } finally {
    await sandbox.close();
  }
}

async function opened(sandbox: Sandbox, code = source): Promise<EnvironmentHandle> {
  const outcome = await sandbox.open(code, { language: "javascript" });
  if (!outcome.ok) throw new Error(outcome.failure.detail);
  return outcome.value;
}

const commands = ["go north", "go south", "go west", "go east", "take", "look", "drop lamp", "sing"];

/** Action lists of 40 random commands, the same for both languages. */
function scripts(count: number): string[][] {
  return Array.from({ length: count }, (_, episode) => {
    const random = keyedRandom("bench", episode);
    return Array.from({ length: 40 }, () => `\\boxed{${random.pick(commands)}}`);
  });
}

const peerResult = z.object({ stepsPerSecond: z.number(), digest: z.string() });

async function python(episodes: string[][]): Promise<z.infer<typeof peerResult>> {
  const { stdout } = await promisify(execFile)(
    "python3",
    ["step.py", String(seconds), JSON.stringify(episodes)],
    {
      cwd: peers,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
    },
  );
  return peerResult.parse(JSON.parse(stdout));
}

/** Turns of the two, so that both meet the same moods of the machine. */
const turns = 3;

/** Twenty episodes of 40 steps in a message, two environments a host so that every host has work, beside CPython. */
async function batched(sandbox: Sandbox): Promise<Row[]> {
  const episodes = scripts(20);
  const all = episodes.map((actions, seed) => ({ seed, actions }));
  const handles = await Promise.all(Array.from({ length: sandbox.stats().hosts * 2 }, () => opened(sandbox)));
  const rates: number[] = [];
  const peers: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const { stepsPerSecond, digest } = await python(episodes);
    peers.push(stepsPerSecond);
    if (turn === 0) await sameTranscripts(handles[0] as EnvironmentHandle, episodes, digest);
    rates.push(
      await stepsPerSecondOf(seconds * 1_000, handles, async (handle, count) => {
        for (const played of await handle.runAll(all)) {
          if (played.failure !== null) throw new Error(played.failure.detail);
          count(played.steps.length);
        }
      }),
    );
  }
  const ratio = median(rates.map((rate, turn) => rate / (peers[turn] as number)));
  return [
    {
      name: "batched steps, sandboxed, all hosts",
      value: median(rates),
      unit: "steps/s",
      goal: "(see ratio)",
      ok: true,
    },
    {
      name: "same environment, CPython, unsandboxed",
      value: median(peers),
      unit: "steps/s",
      goal: "(peer)",
      ok: true,
    },
    { name: "batched steps against CPython", value: ratio, unit: "times", goal: ">= 1", ok: ratio >= 1 },
  ];
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

/** Lets every handle work over and over for a while; `count` is told of steps as they are taken. */
async function stepsPerSecondOf(
  forMs: number,
  handles: readonly EnvironmentHandle[],
  work: (handle: EnvironmentHandle, count: (steps: number) => void) => Promise<void>,
): Promise<number> {
  const started = performance.now();
  let steps = 0;
  const workOn = async (handle: EnvironmentHandle) => {
    while (performance.now() - started < forMs) {
      await work(handle, (taken) => {
        steps += taken;
      });
    }
  };
  await Promise.all(handles.map(workOn));
  return (steps / (performance.now() - started)) * 1_000;
}

/** Both programs must have done the same work. */
async function sameTranscripts(handle: EnvironmentHandle, episodes: string[][], digest: string) {
  const own = createHash("sha256");
  for (const [seed, actions] of episodes.entries()) {
    const played = await handle.run(seed, actions);
    own.update(played.reset?.observation ?? "");
    for (const step of played.steps) own.update(`${step.observation}|${step.reward}`);
  }
  if (own.digest("hex") !== digest) throw new Error("The two programs gave different transcripts.");
}

/** 64 live environments, each asked for its next step as soon as the last one is answered. */
async function singleSteps(sandbox: Sandbox): Promise<Row> {
  const [actions] = scripts(1) as [string[]];
  const handles = await Promise.all(Array.from({ length: 64 }, () => opened(sandbox)));
  const episode = async (handle: EnvironmentHandle, count: (steps: number) => void) => {
    await handle.reset(1);
    for (const action of actions) {
      const outcome = await handle.step(action);
      if (!outcome.ok) throw new Error(outcome.failure.detail);
      count(1);
      if (outcome.value.terminated) return;
    }
  };
  await stepsPerSecondOf(500, handles, episode);
  const rates: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    rates.push(await stepsPerSecondOf(seconds * 1_000, handles, episode));
  }
  await Promise.all(handles.map((handle) => handle.close()));
  const rate = median(rates);
  return {
    name: "one message a step, 64 live",
    value: rate,
    unit: "steps/s",
    goal: ">= 20000",
    ok: rate >= 20_000,
  };
}

async function opens(sandbox: Sandbox): Promise<Row> {
  const times: number[] = [];
  for (let i = 0; i < 100; i += 1) {
    const started = performance.now();
    const handle = await opened(sandbox);
    await handle.reset(i);
    times.push(performance.now() - started);
    await handle.close();
  }
  times.sort((a, b) => a - b);
  return {
    name: "open and reset, median",
    value: times[50] as number,
    unit: "ms",
    goal: "(cost of a fresh isolate)",
    ok: true,
  };
}

/** What `while (true)` costs, measured over several. */
async function endlessLoop(sandbox: Sandbox): Promise<Row> {
  const limit = configSchema.parse({}).sandbox.stepTimeoutMs;
  const code = "class LoopEnv { reset() { return { observation: '', info: {} }; } step() { while (true); } }";
  let worst = 0;
  for (let i = 0; i < 3; i += 1) {
    const handle = await opened(sandbox, code);
    await handle.reset(i);
    const started = performance.now();
    const outcome = await handle.step("x");
    worst = Math.max(worst, performance.now() - started);
    if (outcome.ok || outcome.failure.verdict !== "timed-out") throw new Error("The loop was not stopped.");
  }
  return {
    name: "while (true), beyond its limit",
    value: worst - limit,
    unit: "ms",
    goal: "<= 500",
    ok: worst - limit <= 500,
  };
}

const attacks: Readonly<Record<string, string>> = {
  "Array(1e9).fill(0)": "return Array(1e9).fill(0).length;",
  "Array(5e7).fill({})": "return Array(5e7).fill({}).length;",
  "sparse sort": "const a = []; a[4e9] = 1; a.length = 4294967295; return a.sort().length;",
  "BigInt growth": "let n = 3n; while (true) n = n * n;",
  "BigInt to text": "return (7n ** (1n << 24n)).toString().length;",
  "string repeat":
    "const parts = []; for (let i = 0; i < 40; i += 1) parts.push('ab'.repeat(2 ** 27 + i)); return parts.join('').length;",
};

/** The longest that one attack kept a host busy, which is from the call to the death of the host or the answer. */
async function worstAttack(sandbox: Sandbox): Promise<Row[]> {
  const { hardDeadlineMs } = configSchema.parse({}).sandbox;
  let worst = 0;
  let worstName = "";
  for (const [name, body] of Object.entries(attacks)) {
    const handle = await opened(
      sandbox,
      `class AttackEnv { reset() { return { observation: '', info: {} }; } step() { ${body} } }`,
    );
    await handle.reset(0);
    const restarts = sandbox.stats().hostRestarts;
    const started = performance.now();
    let busyMs: number | null = null;
    const watch = setInterval(() => {
      if (sandbox.stats().hostRestarts > restarts) busyMs ??= performance.now() - started;
    }, 5);
    await handle.step("x");
    busyMs ??= performance.now() - started;
    clearInterval(watch);
    await handle.close();
    if (busyMs > worst) {
      worst = busyMs;
      worstName = name;
    }
  }
  return [
    {
      name: `worst attack (${worstName}), one host`,
      value: worst,
      unit: "ms",
      goal: `<= ${hardDeadlineMs + 1_000}`,
      ok: worst <= hardDeadlineMs + 1_000,
    },
  ];
}

/** Resident memory of every host together, with 200 environments that have been reset and stepped. */
async function manyIsolates(sandbox: Sandbox): Promise<Row> {
  const handles = await Promise.all(Array.from({ length: 200 }, () => opened(sandbox)));
  const [actions] = scripts(1) as [string[]];
  await Promise.all(handles.map((handle, seed) => handle.run(seed, actions)));
  const rssMb = childrenRssMb();
  return { name: "200 live isolates", value: rssMb, unit: "MB RSS", goal: "< 1024", ok: rssMb < 1_024 };
}

/** Resident memory of this process's children, what wraps them left out, MB. */
function childrenRssMb(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "latin1");
  const hosts = children.trim().split(" ").map(Number).map(innermost);
  return hosts.reduce((sum, pid) => sum + vitalsOf(pid).rssMb, 0);
}
