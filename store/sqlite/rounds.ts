/** Rounds in SQLite. */
import { pageLimit, readCursor, writeCursor } from "../paging.ts";
import { roundRecord } from "../records.ts";
import type { RoundStore } from "../store.ts";
import { type Database, numberOf } from "./database.ts";
import { pageOf, RecordTable } from "./record-table.ts";

export function sqliteRounds(database: Database): RoundStore {
  const table = new RecordTable(database, {
    name: "rounds",
    noun: "round",
    schema: roundRecord,
    idOf: (record) => record.id,
    columns: { started_at: (record) => record.startedAt },
  });
  return {
    insert: async (record) => table.insert(record),
    get: async (id) => table.get(id),
    update: async (id, change) => table.update(id, change),

    async count(prefix) {
      const row = database.get(
        "SELECT count(*) AS n FROM rounds WHERE substr(id, 1, length(?)) = ?",
        prefix,
        prefix,
      );
      return numberOf(row ?? {}, "n");
    },

    async list(page, prefix = "") {
      const limit = pageLimit(page);
      const after = readCursor(page, 2) ?? [Number.MAX_SAFE_INTEGER, 0];
      const rows = database.all(
        `SELECT seq, started_at, record FROM rounds
         WHERE (started_at, seq) < (?, ?) AND substr(id, 1, length(?)) = ?
         ORDER BY started_at DESC, seq DESC LIMIT ?`,
        ...after,
        prefix,
        prefix,
        limit + 1,
      );
      return pageOf(
        rows,
        limit,
        (row) => table.read(row),
        (row) => writeCursor([numberOf(row, "started_at"), numberOf(row, "seq")]),
      );
    },
  };
}
