/** The one place that builds adapters. Entry points alone import it; each adapter is loaded and opened on first use. */
import type { Logger } from "pino";
import type { Listener } from "../graph/events.ts";
import type { Model } from "../graph/models/model.ts";
import type { Services } from "../graph/services.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Config } from "./schema.ts";

export interface ComposeOptions {
  readonly log: Logger;
  readonly emit: Listener;
}

/** The services of a process over one data directory. Throws StoreError if that can't be opened. */
export async function composeServices(config: Config, { log, emit }: ComposeOptions): Promise<Services> {
  const { openStore } = await import("../store/open.ts");
  const store = await openStore({ dataDir: config.dataDir, log });

  let sandbox: Promise<Sandbox> | null = null;
  const models = new Map<string, Promise<Model>>();

  return {
    config,
    log,
    store,
    emit,
    reviewer: null,
    now: Date.now,
    sandbox: () => {
      sandbox ??= import("../sandbox/pool.ts")
        .then(({ createSandbox }) => createSandbox(config.sandbox, log))
        .catch((error: unknown) => {
          // What failed to start may start the next time.
          sandbox = null;
          throw error;
        });
      return sandbox;
    },
    model: (name) => {
      const known = models.get(name);
      if (known !== undefined) return known;
      const created = import("../graph/models/create.ts")
        .then(({ createModel }) => createModel(name, { config, store, log }))
        .catch((error: unknown) => {
          models.delete(name);
          throw error;
        });
      models.set(name, created);
      return created;
    },
    close: async () => {
      // A sandbox that failed to start has nothing to close, and its error was told to whoever asked for it.
      const opened = sandbox === null ? null : await sandbox.catch(() => null);
      await opened?.close();
      await store.close();
    },
  };
}
