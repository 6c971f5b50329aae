/** Versions of policies in SQLite. */
import { pageLimit, readCursor, writeCursor } from "../paging.ts";
import { type PolicyRecord, policyRecord } from "../records.ts";
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
  const latest = (provider: string): PolicyRecord | null => {
    const [newest] = table.select(
      "SELECT record FROM policies WHERE provider = ? ORDER BY seq DESC LIMIT 1",
      provider,
    );
    return newest ?? null;
  };
  return {
    insert: async (record) =>
      database.atomically(() => {
        const newest = latest(record.provider)?.version ?? null;
        return newest === record.parent && table.insert(record);
      }),
    get: async (version) => table.get(version),
    latest: async (provider) => latest(provider),

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
