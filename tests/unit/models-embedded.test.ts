/** The embedded policy as a model: its weights come from the store, and its answers tell how it chose. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { configSchema, type ModelsConfig } from "../../config/schema.ts";
import { createModel } from "../../graph/models/create.ts";
import type { Model, ModelCall } from "../../graph/models/model.ts";
import { agentSystem, openingMessages } from "../../graph/prompts/agent.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";

const log = pino({ level: "silent" });

let directory: string;
let store: Store;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "spadework-models-"));
  store = await openStore({ dataDir: directory, log });
});

afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

function create(models: Partial<ModelsConfig> = {}): Promise<Model> {
  return createModel("embedded", { config: configSchema.parse({ models }), store, log });
}

function play(over: Partial<ModelCall> = {}): ModelCall {
  return {
    role: "agent",
    messages: openingMessages(agentSystem(null), "A number between 1 and 100 is hidden. Say guess N."),
    seed: 7,
    temperature: 0.6,
    maxOutputTokens: 500,
    signal: new AbortController().signal,
    ...over,
  };
}

test("its first version is stored on first use and used from then on", async () => {
  expect(await store.policies.latest("embedded")).toBeNull();
  const answer = await (await create()).call(play());
  const stored = await store.policies.latest("embedded");
  expect(answer.policyVersion).toBe(stored?.version);
  expect((await (await create()).call(play())).policyVersion).toBe(stored?.version);
});

test("its answers tell every choice with its log-probability, and cost nothing", async () => {
  const answer = await (await create({ inputUsdPerMillion: 10 })).call(play());
  expect(answer.text).toMatch(/\\boxed\{.+\}/);
  expect(answer.decisions?.length).toBeGreaterThan(0);
  for (const { options, choice, logprob } of answer.decisions ?? []) {
    expect(options).toContain(choice);
    expect(logprob).toBeLessThanOrEqual(0);
  }
  expect(answer.usage).toMatchObject({ calls: 1, costUsd: 0 });
  expect(answer.usage.inputTokens).toBeGreaterThan(0);
});

test("the same call and seed give the same answer, whether or not answers are streamed", async () => {
  const [model, streaming] = [await create(), await create({ stream: true })];
  const texts = new Set<string>();
  for (let seed = 0; seed < 20; seed += 1) {
    const { ms: _, ...answer } = await model.call(play({ seed }));
    const { ms: __, ...again } = await streaming.call(play({ seed }));
    expect(again).toEqual(answer);
    texts.add(answer.text);
  }
  expect(texts.size).toBeGreaterThan(1);
});

test("an aborted call is not made", async () => {
  const reason = new Error("stop");
  await expect((await create()).call(play({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
});
