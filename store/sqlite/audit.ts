/** The audit log in SQLite: lines are added and never change. */
import { pageLimit, readCursor, writeCursor } from "../paging.ts";
import { auditRecord } from "../records.ts";
import type { AuditStore } from "../store.ts";
import { type Database, numberOf, textOf } from "./database.ts";
import { pageOf, parseRecord } from "./record-table.ts";

export function sqliteAudit(database: Database): AuditStore {
  return {
    async append(record) {
      database.run("INSERT INTO audit (record) VALUES (?)", JSON.stringify(auditRecord.parse(record)));
    },
    async list(page) {
      const limit = pageLimit(page);
      const [before] = readCursor(page, 1) ?? [Number.MAX_SAFE_INTEGER];
      const rows = database.all(
        "SELECT seq, record FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?",
        before ?? Number.MAX_SAFE_INTEGER,
        limit + 1,
      );
      return pageOf(
        rows,
        limit,
        (row) => parseRecord(auditRecord, textOf(row, "record"), "line of the audit log"),
        (row) => writeCursor([numberOf(row, "seq")]),
      );
    },
  };
}
