/** What chat keeps, and campaigns, in SQLite: each kind of record a table of its own with nothing but its id to search by. */
import type { z } from "zod";
import { pageLimit, readCursor, writeCursor } from "../paging.ts";
import type { KeptStore } from "../store.ts";
import type { Database } from "./database.ts";
import { pageOf, RecordTable } from "./record-table.ts";

export interface KeptDefinition<T> {
  readonly name: "posts" | "subscriptions" | "sessions" | "settings" | "campaigns";
  /** What an error calls one of them. */
  readonly noun: string;
  readonly schema: z.ZodType<T>;
}

export function sqliteKept<T extends { readonly id: string }>(
  database: Database,
  { name, noun, schema }: KeptDefinition<T>,
): KeptStore<T> {
  const table = new RecordTable(database, { name, noun, schema, idOf: (record) => record.id, columns: {} });
  return {
    insert: async (record) => table.insert(record),
    get: async (id) => table.get(id),
    update: async (id, change) => table.update(id, change),

    async list(prefix, page) {
      const limit = pageLimit(page);
      const [after] = readCursor(page, 1) ?? [""];
      const fetched = table.select(
        `SELECT record FROM ${name} WHERE id > ? AND id >= ? AND id < ? || char(1114111) ORDER BY id LIMIT ?`,
        after ?? "",
        prefix,
        prefix,
        limit + 1,
      );
      return pageOf(
        fetched,
        limit,
        (record) => record,
        (record) => writeCursor([record.id]),
      );
    },

    remove: async (id) => database.run(`DELETE FROM ${name} WHERE id = ?`, id) === 1,
  };
}
