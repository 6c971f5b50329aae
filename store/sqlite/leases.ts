/** Leases in SQLite: one row a name, kept after its release so that the token never goes back. */
import { randomUUID } from "node:crypto";
import { isDead, ownIdentity, writeHolder } from "../process-identity.ts";
import type { Lease, LeaseStore } from "../store.ts";
import { type Database, numberOf, type Row, textOf } from "./database.ts";

export function sqliteLeases(database: Database): LeaseStore {
  return {
    acquire: async (name, ttlMs) =>
      database.atomically(() => {
        const row = database.get("SELECT * FROM leases WHERE name = ?", name);
        if (row !== undefined && isHeld(row)) return null;
        const lease: Lease = {
          name,
          holder: writeHolder(ownIdentity(), randomUUID()),
          token: row === undefined ? 1 : numberOf(row, "token") + 1,
          expiresAt: Date.now() + ttlMs,
        };
        database.run(
          `INSERT INTO leases (name, holder, token, expires_at) VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET holder = excluded.holder, token = excluded.token, expires_at = excluded.expires_at`,
          name,
          lease.holder,
          lease.token,
          lease.expiresAt,
        );
        return lease;
      }),

    async renew(lease, ttlMs) {
      // One that ran out is still ours as long as nobody took it.
      const changed = database.run(
        "UPDATE leases SET expires_at = ? WHERE name = ? AND token = ? AND holder = ?",
        Date.now() + ttlMs,
        lease.name,
        lease.token,
        lease.holder,
      );
      return changed === 1;
    },

    async release(lease) {
      database.run(
        "UPDATE leases SET holder = NULL, expires_at = 0 WHERE name = ? AND token = ? AND holder = ?",
        lease.name,
        lease.token,
        lease.holder,
      );
    },

    async holder(name) {
      const row = database.get("SELECT * FROM leases WHERE name = ?", name);
      if (row === undefined || !isHeld(row)) return null;
      return {
        name,
        holder: textOf(row, "holder"),
        token: numberOf(row, "token"),
        expiresAt: numberOf(row, "expires_at"),
      };
    },
  };
}

function isHeld(row: Row): boolean {
  if (row.holder === null) return false;
  return numberOf(row, "expires_at") > Date.now() && !isDead(textOf(row, "holder"));
}
