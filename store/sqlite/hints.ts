/** People's hints in SQLite. */
import { hintRecord } from "../records.ts";
import type { HintStore } from "../store.ts";
import type { Database } from "./database.ts";
import { RecordTable } from "./record-table.ts";

export function sqliteHints(database: Database): HintStore {
  const table = new RecordTable(database, {
    name: "hints",
    noun: "hint",
    schema: hintRecord,
    idOf: (record) => record.id,
    columns: { environment_id: (record) => record.environmentId },
  });
  return {
    insert: async (record) => table.insert(record),
    ofEnvironment: async (environmentId) =>
      table.select("SELECT record FROM hints WHERE environment_id = ? ORDER BY seq", environmentId),
  };
}
