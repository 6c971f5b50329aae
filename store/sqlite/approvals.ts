/** Approvals in SQLite: one row an environment in a round, decided by compare-and-set. */
import { StoreError } from "../../config/errors.ts";
import { type ApprovalRecord, approvalRecord } from "../records.ts";
import type { ApprovalStore } from "../store.ts";
import type { Database, Row } from "./database.ts";

const columns = `round_id AS roundId, environment_id AS environmentId, status, decided_by AS decidedBy, reason,
  asked_at AS askedAt, decided_at AS decidedAt`;

export function sqliteApprovals(database: Database): ApprovalStore {
  return {
    async ask(roundId, environmentId, at) {
      database.run(
        `INSERT INTO approvals (round_id, environment_id, status, asked_at) VALUES (?, ?, 'waiting', ?)
         ON CONFLICT DO NOTHING`,
        roundId,
        environmentId,
        at,
      );
    },

    async get(roundId, environmentId) {
      const row = database.get(
        `SELECT ${columns} FROM approvals WHERE round_id = ? AND environment_id = ?`,
        roundId,
        environmentId,
      );
      return row === undefined ? null : read(row);
    },

    async decide(roundId, environmentId, decision) {
      const changed = database.run(
        `UPDATE approvals SET status = ?, decided_by = ?, reason = ?, decided_at = ?
         WHERE round_id = ? AND environment_id = ? AND status = 'waiting'`,
        decision.status,
        decision.by,
        decision.reason,
        decision.at,
        roundId,
        environmentId,
      );
      return changed === 1;
    },

    ofRound: async (roundId) =>
      database.all(`SELECT ${columns} FROM approvals WHERE round_id = ? ORDER BY seq`, roundId).map(read),

    waiting: async () =>
      database.all(`SELECT ${columns} FROM approvals WHERE status = 'waiting' ORDER BY seq`).map(read),
  };
}

function read(row: Row): ApprovalRecord {
  const parsed = approvalRecord.safeParse(row);
  if (parsed.success) return parsed.data;
  throw new StoreError("store.corrupt", "A stored approval does not fit its schema.", {
    cause: parsed.error,
  });
}
