/** The one place that builds adapters. Entry points alone import it; each adapter is loaded and opened on first use. */
import type { Logger } from "pino";
import type { Listener } from "../graph/events.ts";
import type { Model } from "../graph/models/model.ts";
import type { Services } from "../graph/services.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Store } from "../store/store.ts";
import type { Config } from "./schema.ts";

/** Models that are kept ready at once. */
const mostModels = 8;

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
    model: async (name, version) => {
      const wanted = version ?? (await newestVersion(store, name));
      const key = JSON.stringify([name, wanted ?? null]);
      const known = models.get(key);
      if (known !== undefined) return known;
      const created = import("../graph/models/create.ts").then(({ createModel }) =>
        createModel(name, { config, store, log }, wanted),
      );
      models.set(key, created);
      // Training makes a new version every round, and old ones are seldom asked for again.
      for (const oldest of [...models.keys()].slice(0, -mostModels)) models.delete(oldest);
      created.catch(() => models.delete(key));
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

/** The newest version of a model that the lab trains; undefined for the others, and before the first. */
async function newestVersion(store: Store, name: string): Promise<string | undefined> {
  return (await store.policies.latest(name))?.version;
}
