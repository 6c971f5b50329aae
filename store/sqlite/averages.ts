/** Running numbers of skills in SQLite. */
import { skillAverages } from "../records.ts";
import type { AverageStore } from "../store.ts";
import { type Database, textOf } from "./database.ts";
import { parseRecord } from "./record-table.ts";

export function sqliteAverages(database: Database): AverageStore {
  return {
    async get(role, skill) {
      const row = database.get("SELECT record FROM averages WHERE role = ? AND skill = ?", role, skill);
      return row === undefined ? null : parseRecord(skillAverages, textOf(row, "record"), "average");
    },
    async put(record) {
      database.run(
        `INSERT INTO averages (role, skill, record) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET record = excluded.record`,
        record.role,
        record.skill,
        JSON.stringify(skillAverages.parse(record)),
      );
    },
  };
}
