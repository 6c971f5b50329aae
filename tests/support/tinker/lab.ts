/** A lab whose model lives on the protocol server: real services over a directory of their own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeServices } from "../../../config/compose.ts";
import { type Config, configSchema, type TinkerConfig } from "../../../config/schema.ts";
import { closeTinkerModels } from "../../../graph/models/tinker/create.ts";
import type { Services } from "../../../graph/services.ts";
import { anEnvironment } from "../../contract/store-records.ts";
import { silent } from "../services.ts";
import { lampSource } from "./lamp.ts";
import { startTinkerServer, type TinkerServer, type TinkerServerOptions } from "./server.ts";
import { writeTokenizer } from "./tokenizer.ts";

export const toy = "tinker:toy";

// Whoever runs the tests may have a server and a key of their own.
process.env.TINKER_BASE_URL = "";
process.env.TINKER_API_KEY = "";

export interface TinkerLab {
  readonly server: TinkerServer;
  readonly services: Services;
  readonly config: Config;
  readonly dataDir: string;
  close(): Promise<void>;
}

export interface TinkerLabOptions extends TinkerServerOptions {
  readonly tinker?: Partial<TinkerConfig>;
  readonly retries?: number;
}

/** Fast learning, and little patience. */
export const quickTinker: Partial<TinkerConfig> = { learningRate: 0.2, eps: 1e-8, waitMs: 20_000 };

export async function tinkerLab(options: TinkerLabOptions = {}): Promise<TinkerLab> {
  const { tinker = {}, retries = 2, ...ofServer } = options;
  const server = await startTinkerServer(ofServer);
  const dataDir = mkdtempSync(join(tmpdir(), "spadework-tinker-"));
  const tokenizer = join(dataDir, "tokenizer");
  writeTokenizer(tokenizer);
  const config = configSchema.parse({
    dataDir,
    model: toy,
    models: { retries, retryBaseMs: 1, timeoutMs: 20_000 },
    tinker: { ...quickTinker, baseUrl: server.baseUrl, tokenizer, ...tinker },
  });
  const services = await composeServices(config, { log: silent, emit: () => undefined });
  return {
    server,
    services,
    config,
    dataDir,
    close: async () => {
      closeTinkerModels(config);
      await services.close();
      await server.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Puts the lamp game into a lab, as an admitted environment. */
export async function addLamp({ services: { store } }: TinkerLab): Promise<void> {
  await store.environments.insert(
    anEnvironment({
      id: "lamp",
      name: "LampEnv",
      sourceId: await store.texts.put(lampSource),
      maxTurns: 1,
      firstObservation: "The lamp is red.",
    }),
  );
}
