/** A round whose process is killed at random moments and resumed each time loses nothing and plays nothing twice. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { keyedRandom, keyedSeed } from "../../config/random.ts";
import { configSchema } from "../../config/schema.ts";
import { createRound, runRound } from "../../graph/control.ts";
import { conversation } from "../../graph/conversation.ts";
import { roundResult } from "../../graph/result.ts";
import { transcript } from "../../graph/transcript.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { EpisodeRecord, RoundOptions } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { roundOptionsOf, silent, type TestServices, testServices } from "../support/services.ts";

const child = join(import.meta.dirname, "../support/kill-child.ts");
const model = scriptedModel();
/** Two chains of rounds side by side, so that both cores are busy. */
const chains = ["left", "right"] as const;
const killsPerChain = 10;
/** Every other kill comes so long after the process began, at most: in the midst of starting, designing, judging. */
const longestLifeMs = 900;
/** The others come after so many model calls, at most: in the midst of playing. A round makes about 250. */
const mostCalls = 90;
/** Thirty processes that load everything; a busy machine takes its time for that. */
const timeoutMs = 600_000;

const call = z.object({ run: z.number(), role: z.enum(["designer", "agent"]), seed: z.number() });
type Call = z.infer<typeof call>;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, silent);
});
afterAll(() => sandbox.close());

test.concurrent.each(chains)("killed at random moments (%s chain)", { timeout: timeoutMs }, async (chain) => {
  const random = keyedRandom("kill", chain);
  const directory = await mkdtemp(join(tmpdir(), "spadework-kill-"));
  const services = await testServices({ model, sandbox, dataDir: join(directory, "killed") });
  const unbroken = await testServices({ model, sandbox, dataDir: join(directory, "unbroken") });
  const log = join(directory, "calls.ndjson");
  const kept: { readonly run: number; readonly played: number; readonly seeds: ReadonlySet<number> }[] = [];
  let kills = 0;
  let run = 0;
  for (let round = 0; kills < killsPerChain; round += 1) {
    const options = roundOptionsOf({ seed: keyedSeed(chain, round), envs: 4, plays: 6 });
    const { id } = await createRound(services, options, "tester");
    for (let over = false; !over; run += 1) {
      const end: End | null =
        kills === killsPerChain
          ? null
          : kills % 2 === 0
            ? { calls: 1 + random.below(mostCalls), ms: random.below(10) }
            : { calls: 0, ms: random.below(longestLifeMs) };
      over = await work([services.dataDir, id, log, String(run)], end);
      if (over) continue;
      kills += 1;
      const played = (await services.store.episodes.ofRound(id)).length;
      kept.push({ run, played, seeds: await storedSeeds(services.store, id, options) });
    }
    await createRound(unbroken, options, "tester");
    expect((await runRound(unbroken, id)).status).toBe("finished");
    expect(await everythingOf(services, id)).toEqual(await everythingOf(unbroken, id));
  }
  const calls = (await readFile(log, "utf8"))
    .trim()
    .split("\n")
    .map((line): Call => call.parse(JSON.parse(line)));
  expect(kept.some(({ played }) => played > 0)).toBe(true);
  for (const { run: killed, seeds } of kept) {
    const repeated = calls.filter((made) => made.run > killed && seeds.has(made.seed));
    expect(repeated, `calls repeated after run ${killed}`).toEqual([]);
  }
  await services.close();
  await unbroken.close();
  await rm(directory, { recursive: true });
});

/** When a process is killed: so many milliseconds after it made so many calls. */
interface End {
  readonly calls: number;
  readonly ms: number;
}

/** Lets a process work on the round; true if it got done, false if it was killed. */
async function work(parameters: readonly string[], end: End | null): Promise<boolean> {
  const worker = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", child, ...parameters], {
    stdio: ["ignore", "pipe", "inherit"],
    // Most of such a process's life is loading its modules.
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "spadework-compile-cache") },
  });
  let said = "";
  let timer: NodeJS.Timeout | undefined;
  worker.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (end !== null && said.split(".").length > end.calls) {
      timer ??= setTimeout(() => worker.kill("SIGKILL"), end.ms);
    }
  });
  const [code, signal] = await once(worker, "exit");
  clearTimeout(timer);
  if (signal === "SIGKILL") return false;
  expect({ code, said: said.replaceAll(".", "") }).toEqual({ code: 0, said: "ready\n\nfinished\n" });
  return true;
}

/** The seeds of all calls whose outcome is stored: they may never be made again. */
async function storedSeeds(store: Store, roundId: string, options: RoundOptions): Promise<Set<number>> {
  const seeds = new Set<number>();
  for (const episode of await store.episodes.ofRound(roundId)) {
    const slot = Number(episode.environmentId.split("-")[1]) - 1;
    for (let turn = 0; turn < episode.turns; turn += 1) {
      seeds.add(keyedSeed(options.seed, slot, episode.arm, episode.index, turn));
    }
  }
  const { items } = await store.environments.list({ roundId }, { limit: 100 });
  for (const { slot, designer } of items) {
    for (const [purpose, id] of [
      ["design", designer.conversationId],
      ["hint", designer.hintConversationId],
    ] as const) {
      if (id === null || id === undefined) continue;
      const said = conversation.parse(JSON.parse(await store.texts.get(id)));
      const answers = said.filter(({ by }) => by === "designer").length;
      for (let attempt = 0; attempt < answers; attempt += 1) {
        seeds.add(keyedSeed(options.seed, slot ?? -1, purpose, attempt));
      }
    }
  }
  return seeds;
}

/** What a round left behind, but for times. */
async function everythingOf({ store }: TestServices, roundId: string) {
  const result = await roundResult(store, roundId);
  const episodes = await store.episodes.ofRound(roundId);
  const skills = new Set(result.environments.map(({ skill }) => skill ?? ""));
  return {
    result: {
      ...result,
      wallMs: 0,
      environments: result.environments.map((environment) => ({
        ...environment,
        gates: environment.gates.map((gate) => ({ ...gate, ms: 0 })),
      })),
    },
    episodes: await Promise.all(episodes.map((episode) => withTranscript(store, episode))),
    averages: await Promise.all(
      [...skills].flatMap((skill) =>
        (["agent", "designer"] as const).map((role) => store.averages.get(role, skill)),
      ),
    ),
  };
}

async function withTranscript(store: Store, episode: EpisodeRecord) {
  const { turns, ...rest } = transcript.parse(JSON.parse(await store.texts.get(episode.transcriptId)));
  return {
    ...episode,
    startedAt: 0,
    endedAt: 0,
    transcriptId: "",
    transcript: { ...rest, turns: turns.map((turn) => ({ ...turn, ms: 0 })) },
  };
}
