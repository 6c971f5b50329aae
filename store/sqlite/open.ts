/** The store on one SQLite file, which any number of processes may open at once. */
import { join } from "node:path";
import type { Logger } from "pino";
import { makeDirectory } from "../../config/directory.ts";
import { StoreError } from "../../config/errors.ts";
import { campaignRecord } from "../campaign-records.ts";
import { postRecord, sessionRecord, settingRecord, subscriptionRecord } from "../chat-records.ts";
import type { Store } from "../store.ts";
import { sqliteApprovals } from "./approvals.ts";
import { sqliteAudit } from "./audit.ts";
import { sqliteAverages } from "./averages.ts";
import { Database, numberOf } from "./database.ts";
import { sqliteDocuments } from "./documents.ts";
import { sqliteEnvironments } from "./environments.ts";
import { sqliteEpisodes } from "./episodes.ts";
import { storeFailure } from "./failures.ts";
import { sqliteHints } from "./hints.ts";
import { sqliteKept } from "./kept.ts";
import { sqliteLeases } from "./leases.ts";
import { migrate } from "./migrations.ts";
import { sqlitePolicies } from "./policies.ts";
import { sqliteRounds } from "./rounds.ts";
import type { SqliteSaver } from "./saver.ts";
import { sqliteTexts } from "./texts.ts";

/** The name of the database's file in the data directory. */
export const databaseFile = "spadework.db";

export interface SqliteOptions {
  /** Created if it does not exist. */
  readonly dataDir: string;
  readonly log: Logger;
  /** How long a call waits for another process's lock, milliseconds. */
  readonly busyTimeoutMs?: number;
}

/** Opens the store. Throws StoreError: read-only, full, locked, corrupt, newer. */
export async function openSqliteStore({
  dataDir,
  log,
  busyTimeoutMs = 10_000,
}: SqliteOptions): Promise<Store> {
  const path = join(dataDir, databaseFile);
  makeDataDirectory(dataDir, path);
  const database = new Database(path);
  try {
    await database.useWriteAheadLog(Date.now() + busyTimeoutMs);
    database.waitForLocks(busyTimeoutMs);
    // A commit then survives the death of the process, though not of the machine; a full sync costs a disk's latency.
    database.script("PRAGMA synchronous = NORMAL");
    // Moving the log into the file waits for the disk; done rarely, it writes a page that changed often only once.
    database.script("PRAGMA wal_autocheckpoint = 4000");
    // What a long round grew is given back at the next checkpoint.
    database.script("PRAGMA journal_size_limit = 67108864");
    migrate(database);
    requireWritable(database);
    database.waitForLocks(busyTimeoutMs);
  } catch (thrown) {
    database.close();
    throw thrown;
  }
  log.debug({ path }, "store opened");
  return assembled(database);
}

function assembled(database: Database): Store {
  let saver: Promise<SqliteSaver> | undefined;
  return {
    texts: sqliteTexts(database),
    environments: sqliteEnvironments(database),
    episodes: sqliteEpisodes(database),
    rounds: sqliteRounds(database),
    documents: sqliteDocuments(database),
    hints: sqliteHints(database),
    approvals: sqliteApprovals(database),
    policies: sqlitePolicies(database),
    averages: sqliteAverages(database),
    leases: sqliteLeases(database),
    audit: sqliteAudit(database),
    campaigns: sqliteKept(database, { name: "campaigns", noun: "campaign", schema: campaignRecord }),
    posts: sqliteKept(database, { name: "posts", noun: "post", schema: postRecord }),
    subscriptions: sqliteKept(database, {
      name: "subscriptions",
      noun: "subscription",
      schema: subscriptionRecord,
    }),
    sessions: sqliteKept(database, { name: "sessions", noun: "session", schema: sessionRecord }),
    settings: sqliteKept(database, { name: "settings", noun: "setting", schema: settingRecord }),

    async nextNumber(counter) {
      const row = database.get(
        `INSERT INTO counters (name, value) VALUES (?, 1)
         ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value`,
        counter,
      );
      return numberOf(row ?? {}, "value");
    },

    checkpoints() {
      saver ??= import("./saver.ts").then(({ SqliteSaver }) => new SqliteSaver(database));
      return saver;
    },

    close: async () => database.close(),
  };
}

/** SQLite opens a file that can't be written without a word; this throws `store.read-only` for one. */
function requireWritable(database: Database): void {
  database.waitForLocks(0);
  try {
    database.run("DELETE FROM versions WHERE version < 0");
  } catch (thrown) {
    // A busy database can be read, and says so when it is written.
    if (!(thrown instanceof StoreError) || thrown.code !== "store.locked") throw thrown;
  }
}

function makeDataDirectory(dataDir: string, path: string): void {
  try {
    makeDirectory(dataDir);
  } catch (thrown) {
    throw storeFailure(thrown, path);
  }
}
