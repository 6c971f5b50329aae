/** What the nodes of a round work with. It reaches them through the graph's `context`, never through state or globals. */
import type { Logger } from "pino";
import type { Config } from "../config/schema.ts";
import type { Reviewer } from "../sandbox/admission/admission.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Store } from "../store/store.ts";
import type { Listener } from "./events.ts";
import type { Model } from "./models/model.ts";

export interface Services {
  readonly config: Config;
  readonly log: Logger;
  readonly store: Store;
  /** Opened on first use, so that a command that plays nothing starts no host. */
  readonly sandbox: () => Promise<Sandbox>;
  /**
   * A model by the name the user gave it, with the weights of `version`, or with the newest ones. Throws ProviderError,
   * and `store.not-found` for a version that the lab does not have.
   */
  readonly model: (name: string, version?: string) => Promise<Model>;
  /** Null while no reviewer is configured. */
  readonly reviewer: Reviewer | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly emit: Listener;
  /** Waits until nothing is open any more: sandbox, store. */
  readonly close: () => Promise<void>;
}
