/** Versions of policies in SQLite. */
import { policyRecord } from "../records.ts";
import type { PolicyStore } from "../store.ts";
import type { Database } from "./database.ts";
import { RecordTable } from "./record-table.ts";

export function sqlitePolicies(database: Database): PolicyStore {
  const table = new RecordTable(database, {
    name: "policies",
    noun: "policy",
    schema: policyRecord,
    idOf: (record) => record.version,
    columns: { provider: (record) => record.provider },
  });
  return {
    insert: async (record) => table.insert(record),
    get: async (version) => table.get(version),
    async latest(provider) {
      const [newest] = table.select(
        "SELECT record FROM policies WHERE provider = ? ORDER BY seq DESC LIMIT 1",
        provider,
      );
      return newest ?? null;
    },
  };
}
