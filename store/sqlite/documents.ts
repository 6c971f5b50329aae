/** Documents in SQLite. */
import { pageLimit, readCursor, writeCursor } from "../paging.ts";
import { documentRecord } from "../records.ts";
import type { DocumentStore } from "../store.ts";
import { type Database, numberOf, textOf } from "./database.ts";
import { pageOf, RecordTable } from "./record-table.ts";

export function sqliteDocuments(database: Database): DocumentStore {
  const table = new RecordTable(database, {
    name: "documents",
    noun: "document",
    schema: documentRecord,
    idOf: (record) => record.id,
    columns: {},
  });
  return {
    insert: async (record) => table.insert(record),
    get: async (id) => table.get(id),

    async list(page) {
      const limit = pageLimit(page);
      const [after] = readCursor(page, 1) ?? [""];
      const fetched = table.select(
        "SELECT record FROM documents WHERE id > ? ORDER BY id LIMIT ?",
        after ?? "",
        limit + 1,
      );
      return pageOf(
        fetched,
        limit,
        (record) => record,
        (record) => writeCursor([record.id]),
      );
    },

    count: async () => numberOf(database.get("SELECT count(*) AS n FROM documents") ?? {}, "n"),
    ids: async () => database.all("SELECT id FROM documents ORDER BY id").map((row) => textOf(row, "id")),
    remove: async (id) => database.run("DELETE FROM documents WHERE id = ?", id) === 1,
  };
}
