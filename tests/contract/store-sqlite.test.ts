/** The SQLite store keeps every promise of a store. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { storeContract } from "./store.ts";
import { open } from "./store-sqlite.ts";

storeContract({
  name: "SQLite",
  opener: fileURLToPath(new URL("./store-sqlite.ts", import.meta.url)),
  open,
  async place() {
    const location = await mkdtemp(join(tmpdir(), "spadework-store-"));
    return { location, remove: () => rm(location, { recursive: true }) };
  },
});
