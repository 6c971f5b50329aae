/** How the contract suite opens the SQLite store, in its own process and in others. */
import { pino } from "pino";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";

/** `location` is the data directory. */
export function open(location: string): Promise<Store> {
  return openStore({ dataDir: location, log: pino({ level: "silent" }) });
}
