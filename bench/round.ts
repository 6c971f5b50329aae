/**
 * Measures a round: how near it comes to the time that its model calls need at least, what graph and store cost, and
 * how long a default round takes with the embedded policy.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pLimit from "p-limit";
import { pino } from "pino";
import { composeServices } from "../config/compose.ts";
import { type Config, configSchema } from "../config/schema.ts";
import { createRound, runRound } from "../graph/control.ts";
import type { LabEvent } from "../graph/events.ts";
import type { Model, ModelCall } from "../graph/models/model.ts";
import type { Services } from "../graph/services.ts";
import type { RoundOptions, RoundRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { answerWith, numberSearch } from "../tests/support/designs.ts";
import { scriptedModel } from "../tests/support/scripted-model.ts";
import type { Row } from "./row.ts";

const callMs = 50;
const inFlight = 64;
const roundSeeds = [1, 2, 3, 4];
/** A process is warm, its code compiled, once it ran some rounds; small ones do. */
const warmUps = 20;
/** Those of the examples whose episodes are about as long as in the paper's run. */
const longest = ["file-cabinet.js", "old-cellar.js", "thirty-locks.js", "vault-dial.js"];
const environments = fileURLToPath(new URL("../tests/support/environments/good/", import.meta.url));

export async function run(): Promise<Row[]> {
  return [await efficiency(), ...(await defaultRounds())];
}

/**
 * A round of 4 × 64 × 2 episodes of up to 25 turns, with a model that takes 50 ms a call and answers 64 at once. The
 * sandbox has more places than that, so that a step or a load never leaves a line of the model idle.
 */
async function efficiency(): Promise<Row> {
  const calls: { readonly stage: "design" | "hint" | "play"; readonly position: number }[] = [];
  const limit = pLimit(inFlight);
  const sources = longest.map((name) => readFileSync(join(environments, name), "utf8"));
  let asked = 0;
  const script = scriptedModel({
    design: () => {
      asked += 1;
      return answerWith(sources[asked - 2] ?? numberSearch("WarmUp", 1_000, 10));
    },
    play: () => "I wait and see.",
  });
  const model: Model = {
    name: "fake",
    call: (call) =>
      limit(async () => {
        calls.push({ stage: stageOf(call), position: Math.floor(call.messages.length / 2) });
        await new Promise((resolve) => setTimeout(resolve, callMs));
        return script.call(call);
      }),
  };
  const wallMs = await inLab({ model, livePerHost: 48 }, async (services) => {
    // What a process does once is no part of a round.
    await finished(services, roundOptions(services.config, { envs: 1, plays: 1, repairs: 0 }));
    calls.length = 0;
    const started = performance.now();
    await finished(services, roundOptions(services.config, { envs: 4, plays: 64, repairs: 0, seed: 2 }));
    return performance.now() - started;
  });
  // A stage needs at least as long as its longest chain of calls, and as all its calls need side by side.
  const idealMs = (["design", "hint", "play"] as const).reduce((sum, stage) => {
    const own = calls.filter((call) => call.stage === stage);
    const longest = Math.max(0, ...own.map(({ position }) => position));
    return sum + callMs * Math.max(own.length / inFlight, longest);
  }, 0);
  const value = idealMs / wallMs;
  return {
    name: `round: ideal critical path ÷ wall (${calls.length} calls of ${callMs} ms, ${inFlight} in flight)`,
    value,
    unit: "ratio",
    goal: ">= 0.9",
    ok: value >= 0.9,
  };
}

/** Default rounds with the embedded policy, each in a lab of its own. */
async function defaultRounds(): Promise<Row[]> {
  const walls: number[] = [];
  const overheads: number[] = [];
  for (const seed of roundSeeds) {
    // The first is that of a new process, and counts for the whole round alone.
    if (seed === roundSeeds[1]) await warmUp();
    await inLab({}, async (services, events) => {
      await services.sandbox();
      await services.model("embedded");
      const store = timed(services.store);
      const started = performance.now();
      await finished({ ...services, store: store.store }, roundOptions(services.config, { seed }));
      walls.push((performance.now() - started) / 1_000);
      overheads.push(overheadMs(gapsBetweenStages(events), store.spans));
    });
  }
  const wall = Math.max(...walls);
  const overhead = median(overheads.slice(1));
  return [
    {
      name: "round: default round, embedded policy, slowest of 4",
      value: wall,
      unit: "s",
      goal: "< 10",
      ok: wall < 10,
    },
    {
      name: "round: graph and store overhead of a default round in a warm process, median of 3",
      value: overhead,
      unit: "ms",
      goal: "< 50",
      ok: overhead < 50,
    },
  ];
}

async function warmUp(): Promise<void> {
  await inLab({}, async (services) => {
    for (let seed = 1; seed <= warmUps; seed += 1) {
      await finished(services, roundOptions(services.config, { envs: 2, plays: 2, repairs: 0, seed }));
    }
  });
}

interface TimedEvent {
  readonly event: LabEvent;
  readonly at: number;
}

/** A stretch of time, milliseconds of `performance.now()`. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** What graph and store took: the time between stages, and the store's own time within them. */
function overheadMs(gaps: readonly Span[], storeSpans: readonly Span[]): number {
  const within = storeSpans.filter(({ from }) => !gaps.some((gap) => gap.from <= from && from < gap.to));
  return [...gaps, ...within].reduce((sum, { from, to }) => sum + to - from, 0);
}

/** From the last event of each stage to the first of the next: steps of the graph and its checkpoints. */
function gapsBetweenStages(events: readonly TimedEvent[]): Span[] {
  const gaps: Span[] = [];
  let before: { readonly stage: string; readonly at: number } | null = null;
  for (const { event, at } of events) {
    if (event.type === "round-started") before = { stage: "start", at };
    if (event.type === "round-ended" && before !== null) gaps.push({ from: before.at, to: at });
    if (event.type !== "stage") continue;
    if (before !== null && before.stage !== event.stage) gaps.push({ from: before.at, to: at });
    before = { stage: event.stage, at };
  }
  return gaps;
}

/** A store that tells when its own calls began and ended; checkpoints are counted between the stages. */
function timed(store: Store): { readonly store: Store; readonly spans: readonly Span[] } {
  const spans: Span[] = [];
  const watched = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, key, receiver) {
        const value: unknown = Reflect.get(target, key, receiver);
        if (typeof value !== "function") return value;
        return (...parameters: unknown[]): unknown => {
          // The adapter works before it gives its promise, so this is its whole time.
          const from = performance.now();
          try {
            return Reflect.apply(value, target, parameters);
          } finally {
            spans.push({ from, to: performance.now() });
          }
        };
      },
    });
  return {
    spans,
    store: {
      ...store,
      texts: watched(store.texts),
      environments: watched(store.environments),
      episodes: watched(store.episodes),
      rounds: watched(store.rounds),
      documents: watched(store.documents),
      hints: watched(store.hints),
      averages: watched(store.averages),
      leases: watched(store.leases),
    },
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function stageOf(call: ModelCall): "design" | "hint" | "play" {
  if (call.role === "agent") return "play";
  return call.messages[1]?.text.includes("Write the hint.") === true ? "hint" : "design";
}

async function finished(services: Services, options: RoundOptions): Promise<RoundRecord> {
  const { id } = await createRound(services, options, "bench");
  const record = await runRound(services, id);
  if (record.status !== "finished") throw new Error(`round ${id} ended ${record.status}`);
  return record;
}

/** Runs `work` over an empty lab, with `model` in place of the configured ones if one is given. */
async function inLab<T>(
  { model, livePerHost }: { readonly model?: Model; readonly livePerHost?: number },
  work: (services: Services, events: readonly TimedEvent[]) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), "spadework-bench-"));
  const events: TimedEvent[] = [];
  const sandbox = livePerHost === undefined ? {} : { livePerHost };
  const services = await composeServices(configSchema.parse({ dataDir, sandbox }), {
    log: pino({ level: "silent" }),
    emit: (event) => events.push({ event, at: performance.now() }),
  });
  try {
    return await work(model === undefined ? services : { ...services, model: async () => model }, events);
  } finally {
    await services.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function roundOptions({ round, model }: Config, change: Partial<RoundOptions>): RoundOptions {
  const { envs, plays, playsPerSeed, kind, reward, repairs, turnCap, contextTokens } = round;
  const { temperature, maxOutputTokens } = round;
  return {
    mode: "self-play",
    envs,
    plays,
    playsPerSeed,
    kind,
    skill: null,
    difficulty: null,
    language: "javascript",
    model,
    brief: null,
    documentIds: [],
    pool: [],
    preset: null,
    reward,
    seed: 1,
    approve: false,
    repairs,
    turnCap,
    contextTokens,
    temperature,
    maxOutputTokens,
    ...change,
  };
}
