/** The services of a test: a real store and a real sandbox over a directory of their own, and a model of the test's. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { type Config, configSchema } from "../../config/schema.ts";
import type { LabEvent, RoundEvent } from "../../graph/events.ts";
import type { Model } from "../../graph/models/model.ts";
import type { Services } from "../../graph/services.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { openStore } from "../../store/open.ts";
import type { RoundOptions } from "../../store/records.ts";

export interface TestServices extends Services {
  /** Everything that was emitted of rounds, in order. */
  readonly events: RoundEvent[];
  readonly dataDir: string;
}

export interface TestServicesOptions {
  readonly model: Model;
  /** By default a fresh directory that goes away when the services close. */
  readonly dataDir?: string;
  /** A sandbox that several services share; it stays open when they close. */
  readonly sandbox?: Sandbox;
  readonly config?: Partial<Config>;
  readonly onEvent?: (event: LabEvent) => void;
}

export const silent = pino({ level: "silent" });

export async function testServices(options: TestServicesOptions): Promise<TestServices> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "spadework-")));
  const config = configSchema.parse({ ...options.config, dataDir, model: options.model.name });
  const store = await openStore({ dataDir, log: silent });
  const events: RoundEvent[] = [];
  let own: Promise<Sandbox> | null = null;
  return {
    config,
    log: silent,
    store,
    events,
    dataDir,
    reviewer: null,
    now: Date.now,
    sandbox: () => {
      if (options.sandbox !== undefined) return Promise.resolve(options.sandbox);
      own ??= createSandbox(config.sandbox, silent);
      return own;
    },
    model: () => Promise.resolve(options.model),
    emit: (event) => {
      if (event.type !== "campaign") events.push(event);
      options.onEvent?.(event);
    },
    close: async () => {
      await (await own)?.close();
      await store.close();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A small self-play round; `change` says what is different about it. */
export function roundOptionsOf(change: Partial<RoundOptions> = {}): RoundOptions {
  return {
    mode: "self-play",
    envs: 3,
    plays: 4,
    playsPerSeed: 1,
    kind: "mixed",
    skill: null,
    difficulty: null,
    language: "javascript",
    model: "scripted",
    brief: null,
    documentIds: [],
    pool: [],
    preset: null,
    reward: "blend",
    seed: 7,
    approve: false,
    repairs: 2,
    turnCap: 25,
    contextTokens: 32_768,
    temperature: 0.6,
    maxOutputTokens: 1_024,
    ...change,
  };
}
