/** Where a store is opened: the one place that chooses its adapter. */
import type { Logger } from "pino";
import { openSqliteStore } from "./sqlite/open.ts";
import type { Store } from "./store.ts";

export interface StoreOptions {
  /** The directory that holds the lab's data; created if it does not exist. */
  readonly dataDir: string;
  readonly log: Logger;
}

/** The lab's store. Close it when done. Throws StoreError. */
export function openStore(options: StoreOptions): Promise<Store> {
  return openSqliteStore(options);
}
