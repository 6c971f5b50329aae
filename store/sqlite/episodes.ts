/** Episodes in SQLite: written once, never changed. */
import { arm } from "../../config/words.ts";
import { pageLimit, readCursor, writeCursor } from "../paging.ts";
import { type EpisodeRecord, episodeRecord } from "../records.ts";
import type { EpisodeStore } from "../store.ts";
import { type Database, numberOf, type Value } from "./database.ts";
import { pageOf, RecordTable } from "./record-table.ts";
import { putText } from "./texts.ts";

export function sqliteEpisodes(database: Database): EpisodeStore {
  const table = new RecordTable(database, {
    name: "episodes",
    noun: "episode",
    schema: episodeRecord,
    idOf: (record) => record.id,
    columns: {
      round_id: (record) => record.roundId,
      environment_id: (record) => record.environmentId,
      arm: (record) => record.arm,
    },
  });
  return {
    insert: async (record) => table.insert(record),
    insertWithTranscripts: async (episodes) =>
      database.atomically(() =>
        episodes.map(({ record, transcript }) =>
          table.insert({ ...record, transcriptId: putText(database, transcript) }),
        ),
      ),
    get: async (id) => table.get(id),

    async ofRound(roundId, filter = {}) {
      const conditions = ["round_id = ?"];
      const parameters: Value[] = [roundId];
      if (filter.environmentId !== undefined) {
        conditions.push("environment_id = ?");
        parameters.push(filter.environmentId);
      }
      if (filter.arm !== undefined) {
        conditions.push("arm = ?");
        parameters.push(filter.arm);
      }
      const found = table.select(
        `SELECT record FROM episodes WHERE ${conditions.join(" AND ")}`,
        ...parameters,
      );
      return found.sort(byEnvironmentArmIndex);
    },

    async countOfRound(roundId) {
      const row = database.get("SELECT count(*) AS count FROM episodes WHERE round_id = ?", roundId);
      return numberOf(row ?? {}, "count");
    },

    async ofEnvironment(environmentId, page) {
      const limit = pageLimit(page);
      const [after] = readCursor(page, 1) ?? [-1];
      const rows = database.all(
        "SELECT seq, record FROM episodes WHERE environment_id = ? AND seq > ? ORDER BY seq LIMIT ?",
        environmentId,
        after ?? -1,
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

/** The order of a round's episodes; arms in the order in which the schema names them. */
function byEnvironmentArmIndex(a: EpisodeRecord, b: EpisodeRecord): number {
  if (a.environmentId !== b.environmentId) return a.environmentId < b.environmentId ? -1 : 1;
  return arm.options.indexOf(a.arm) - arm.options.indexOf(b.arm) || a.index - b.index;
}
