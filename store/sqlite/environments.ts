/** Environments in SQLite. */

import { pageLimit, readCursor, writeCursor } from "../paging.ts";
import { type EnvironmentRecord, environmentRecord } from "../records.ts";
import type { EnvironmentStore } from "../store.ts";
import { type Database, numberOf, type Value } from "./database.ts";
import { pageOf, RecordTable } from "./record-table.ts";

/** A slot for the order of a listing: what came from a file has none and sorts before a round's slots. */
const slotOf = (record: EnvironmentRecord): number => record.slot ?? -1;

export function sqliteEnvironments(database: Database): EnvironmentStore {
  const table = new RecordTable(database, {
    name: "environments",
    noun: "environment",
    schema: environmentRecord,
    idOf: (record) => record.id,
    columns: {
      round_id: (record) => record.roundId,
      slot: slotOf,
      status: (record) => record.status,
      scored: (record) => (record.score === null ? 0 : 1),
      created_at: (record) => record.createdAt,
    },
  });
  return {
    insert: async (record) => table.insert(record),
    get: async (id) => table.get(id),
    update: async (id, change) => table.update(id, change),

    async list(filter, page) {
      const limit = pageLimit(page);
      const after = readCursor(page, 3);
      const conditions: string[] = [];
      const parameters: Value[] = [];
      if (filter.status !== undefined) {
        conditions.push("status = ?");
        parameters.push(filter.status);
      }
      if (filter.roundId !== undefined) {
        conditions.push("round_id = ?");
        parameters.push(filter.roundId);
      }
      if (after !== null) {
        conditions.push("(created_at, slot, id) < (?, ?, ?)");
        parameters.push(...after);
      }
      const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
      const fetched = table.select(
        `SELECT record FROM environments ${where} ORDER BY created_at DESC, slot DESC, id DESC LIMIT ?`,
        ...parameters,
        limit + 1,
      );
      return pageOf(
        fetched,
        limit,
        (record) => record,
        (record) => writeCursor([record.createdAt, slotOf(record), record.id]),
      );
    },

    async count(status) {
      const row = database.get("SELECT count(*) AS count FROM environments WHERE status = ?", status);
      return numberOf(row ?? {}, "count");
    },

    latestScored: async (limit) =>
      table.select(
        `SELECT record FROM environments WHERE scored = 1 AND status IN ('admitted', 'retired')
         ORDER BY created_at DESC, slot DESC, id DESC LIMIT ?`,
        limit,
      ),
  };
}
