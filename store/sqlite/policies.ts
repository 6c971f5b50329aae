/** Versions of policies in SQLite. */
import { pageLimit, readCursor, writeCursor } from "../paging.ts";
import { policyRecord } from "../records.ts";
import type { PolicyStore } from "../store.ts";
import { type Database, numberOf } from "./database.ts";
import { pageOf, RecordTable } from "./record-table.ts";

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

    async list(provider, page) {
      const limit = pageLimit(page);
      const [after] = readCursor(page, 1) ?? [Number.MAX_SAFE_INTEGER];
      const rows = database.all(
        `SELECT seq, record FROM policies WHERE seq < ? AND (provider = ? OR ? = '') ORDER BY seq DESC LIMIT ?`,
        after ?? 0,
        provider,
        provider,
        limit + 1,
      );
      return pageOf(
        rows,
        limit,
        (row) => table.read(row),
        (row) => writeCursor([numberOf(row, "seq")]),
      );
    },
  };
}
