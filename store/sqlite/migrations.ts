/** The tables of the SQLite store, as migrations that only go forward; the database counts which ones it has had. */
import { StoreError } from "../../config/errors.ts";
import { type Database, numberOf } from "./database.ts";

/** "SPDW": marks a database as ours, so that another program's file is never changed. */
const applicationId = 0x53_50_44_57;

/** Migration i brings a database from version i to i + 1. Published ones never change. */
const migrations: readonly string[] = [
  `
  CREATE TABLE texts (id TEXT PRIMARY KEY, encoding TEXT NOT NULL, body BLOB NOT NULL) STRICT;

  CREATE TABLE environments (
    id TEXT PRIMARY KEY, round_id TEXT, slot INTEGER NOT NULL, status TEXT NOT NULL, scored INTEGER NOT NULL,
    created_at INTEGER NOT NULL, record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX environments_by_age ON environments (created_at, slot, id);
  CREATE INDEX environments_by_status ON environments (status, created_at, slot, id);
  CREATE INDEX environments_by_round ON environments (round_id, created_at, slot, id);
  CREATE INDEX environments_scored ON environments (created_at, slot, id)
    WHERE scored = 1 AND status IN ('admitted', 'retired');

  CREATE TABLE episodes (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, round_id TEXT NOT NULL, environment_id TEXT NOT NULL,
    arm TEXT NOT NULL, record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX episodes_by_round ON episodes (round_id, environment_id, arm);
  CREATE INDEX episodes_by_environment ON episodes (environment_id, seq);

  CREATE TABLE rounds (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, started_at INTEGER NOT NULL, record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX rounds_by_age ON rounds (started_at, seq);

  CREATE TABLE documents (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;

  CREATE TABLE hints (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, environment_id TEXT NOT NULL, record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX hints_by_environment ON hints (environment_id, seq);

  CREATE TABLE approvals (
    seq INTEGER PRIMARY KEY, round_id TEXT NOT NULL, environment_id TEXT NOT NULL, status TEXT NOT NULL,
    decided_by TEXT, reason TEXT, asked_at INTEGER NOT NULL, decided_at INTEGER,
    UNIQUE (round_id, environment_id)
  ) STRICT;
  CREATE INDEX approvals_waiting ON approvals (seq) WHERE status = 'waiting';

  CREATE TABLE policies (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, provider TEXT NOT NULL, record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX policies_by_provider ON policies (provider, seq);

  CREATE TABLE averages (
    role TEXT NOT NULL, skill TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (role, skill)
  ) STRICT;

  CREATE TABLE leases (
    name TEXT PRIMARY KEY, holder TEXT, token INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE audit (seq INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT;

  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;

  CREATE TABLE checkpoints (
    thread_id TEXT NOT NULL, namespace TEXT NOT NULL, id TEXT NOT NULL, parent_id TEXT,
    checkpoint_type TEXT NOT NULL, checkpoint BLOB NOT NULL, metadata_type TEXT NOT NULL, metadata BLOB NOT NULL,
    PRIMARY KEY (thread_id, namespace, id)
  ) STRICT;
  CREATE TABLE channel_versions (
    thread_id TEXT NOT NULL, namespace TEXT NOT NULL, channel TEXT NOT NULL, version TEXT NOT NULL,
    type TEXT NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (thread_id, namespace, channel, version)
  ) STRICT;
  CREATE TABLE checkpoint_writes (
    thread_id TEXT NOT NULL, namespace TEXT NOT NULL, checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL,
    idx INTEGER NOT NULL, task_path TEXT NOT NULL, channel TEXT NOT NULL, type TEXT NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (thread_id, namespace, checkpoint_id, task_id, idx)
  ) STRICT;
  `,
  `
  CREATE TABLE posts (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
  CREATE TABLE subscriptions (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
  CREATE TABLE sessions (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
  CREATE TABLE settings (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
  `,
  `
  CREATE TABLE campaigns (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
  `,
];

/** The version that this program writes. */
export const currentVersion = migrations.length;

/**
 * Brings the database to the current version, in one transaction, whoever else opens it at the same time.
 * Throws `store.newer` if a newer program wrote it, `store.corrupt` if it is not ours.
 */
export function migrate(database: Database): void {
  if (versionOf(database) === currentVersion) return;
  database.atomically(() => {
    // Another process may have been first while this one waited for the lock.
    const version = versionOf(database);
    if (version === 0) {
      database.script("CREATE TABLE versions (version INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT");
      database.script(`PRAGMA application_id = ${applicationId}`);
    }
    for (const [index, sql] of migrations.entries()) {
      if (index < version) continue;
      database.script(sql);
      database.run("INSERT INTO versions (version, at) VALUES (?, ?)", index + 1, Date.now());
    }
  });
}

function versionOf(database: Database): number {
  const mark = numberOf(database.get("PRAGMA application_id") ?? {}, "application_id");
  const tables = numberOf(database.get("SELECT count(*) AS n FROM sqlite_schema") ?? {}, "n");
  if (mark !== applicationId) {
    if (tables > 0) {
      throw new StoreError("store.corrupt", `${database.path} is the database of another program.`);
    }
    return 0;
  }
  const version = numberOf(database.get("SELECT max(version) AS n FROM versions") ?? {}, "n");
  if (version > currentVersion) {
    throw new StoreError(
      "store.newer",
      `${database.path} has version ${version}; this program knows versions up to ${currentVersion}.`,
      { data: { version, known: currentVersion } },
    );
  }
  return version;
}
