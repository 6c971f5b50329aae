/** OpenAI-compatible servers and models that talk to them: what the tests of the models share. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { ProviderError } from "../../config/errors.ts";
import { configSchema, type ModelsConfig } from "../../config/schema.ts";
import { createModel } from "../../graph/models/create.ts";
import type { Model, ModelCall } from "../../graph/models/model.ts";
import { agentSystem, openingMessages } from "../../graph/prompts/agent.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import {
  type Fault,
  type OpenAiServer,
  type OpenAiServerOptions,
  type ServedCall,
  startOpenAiServer,
} from "./openai-server.ts";

export const key = "sk-spadework-test-0123456789";

/** Settings with which a failing call is soon over. */
export const quick = { retries: 2, retryBaseMs: 1, timeoutMs: 5_000 };

export interface ConnectedModel {
  readonly server: OpenAiServer;
  readonly model: Model;
}

export interface ModelClient {
  /** Where the models keep what lasts; open while the tests run. */
  readonly store: Store;
  /** What the models of the running test logged, line by line. */
  readonly logged: readonly string[];
  /** A server and a model that talks to it; the last server of a test is closed when it ends. */
  connect(
    options?: OpenAiServerOptions,
    models?: Partial<ModelsConfig>,
    name?: string,
  ): Promise<ConnectedModel>;
  create(name: string, models?: Partial<ModelsConfig>): Promise<Model>;
}

/** Opens a store for the tests of a file, and gives each test the key and an empty log. */
export function modelClient(): ModelClient {
  let directory: string;
  let store: Store;
  let server: OpenAiServer | null = null;
  const logged: string[] = [];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "spadework-models-"));
    store = await openStore({ dataDir: directory, log: pino({ level: "silent" }) });
  });

  afterAll(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  beforeEach(() => {
    logged.length = 0;
    vi.stubEnv("OPENAI_API_KEY", key);
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await server?.close();
    server = null;
  });

  async function connect(
    options: OpenAiServerOptions = {},
    models: Partial<ModelsConfig> = {},
    name = "openai:scripted",
  ): Promise<ConnectedModel> {
    server = await startOpenAiServer(options);
    vi.stubEnv("OPENAI_BASE_URL", server.baseUrl);
    return { server, model: await create(name, models) };
  }

  function create(name: string, models: Partial<ModelsConfig> = {}): Promise<Model> {
    const into = new Writable({
      write(chunk, _encoding, done) {
        logged.push(String(chunk));
        done();
      },
    });
    const config = configSchema.parse({ models: { ...quick, ...models } });
    return createModel(name, { config, store, log: pino({ level: "debug" }, into) });
  }

  return {
    get store() {
      return store;
    },
    logged,
    connect,
    create,
  };
}

/** An agent's first call, changed where a test says so. */
export function play(over: Partial<ModelCall> = {}): ModelCall {
  return {
    role: "agent",
    messages: openingMessages(agentSystem(null), "Warehouse. A crate stands on one of 120 shelves."),
    seed: 7,
    temperature: 0.6,
    maxOutputTokens: 500,
    signal: new AbortController().signal,
    ...over,
  };
}

/** The first calls go wrong in these ways, one each; the rest go well. */
export const first =
  (...faults: readonly Fault[]) =>
  ({ index }: ServedCall): Fault | null =>
    faults[index] ?? null;

export async function failureOf(calling: Promise<unknown>): Promise<ProviderError> {
  try {
    await calling;
  } catch (thrown) {
    if (thrown instanceof ProviderError) return thrown;
    throw thrown;
  }
  throw new Error("the call did not fail");
}
