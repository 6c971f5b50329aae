/** One SQLite database file: prepared statements, atomic changes, and failures as the store's errors. */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { StoreError } from "../../config/errors.ts";
import { isBusy, storeFailure } from "./failures.ts";

export type Value = SQLInputValue;
export type Row = Record<string, SQLOutputValue>;

export class Database {
  readonly path: string;
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** Opens or creates the file at `path`. Throws StoreError. */
  constructor(path: string) {
    this.path = path;
    this.#sqlite = this.#guarded(() => new DatabaseSync(path));
  }

  /** From now on a statement waits so long for another process's lock, milliseconds; before, not at all. */
  waitForLocks(timeoutMs: number): void {
    this.script(`PRAGMA busy_timeout = ${timeoutMs}`);
  }

  /** Runs statements that give no rows and take no parameters. */
  script(sql: string): void {
    this.#guarded(() => this.#sqlite.exec(sql));
  }

  /** How many rows the statement changed. */
  run(sql: string, ...parameters: Value[]): number {
    return this.#guarded(() => Number(this.#statement(sql).run(...parameters).changes));
  }

  get(sql: string, ...parameters: Value[]): Row | undefined {
    return this.#guarded(() => this.#statement(sql).get(...parameters));
  }

  all(sql: string, ...parameters: Value[]): Row[] {
    return this.#guarded(() => this.#statement(sql).all(...parameters));
  }

  /**
   * `work` as one transaction that takes the write lock at its start, so that what it reads can't change before it
   * writes. `work` must be synchronous; whatever it throws undoes it.
   */
  atomically<T>(work: () => T): T {
    this.run("BEGIN IMMEDIATE");
    try {
      const value = work();
      this.run("COMMIT");
      return value;
    } catch (thrown) {
      // A full disk makes SQLite roll back by itself.
      if (this.#sqlite.isTransaction) this.run("ROLLBACK");
      throw thrown;
    }
  }

  /** Write-ahead logging, so that readers and one writer don't wait for each other. */
  async useWriteAheadLog(deadline: number): Promise<void> {
    // The switch needs the file for itself and does not wait by the busy timeout.
    for (;;) {
      try {
        const mode = this.#sqlite.prepare("PRAGMA journal_mode = WAL").get()?.journal_mode;
        if (mode !== "wal") {
          throw new StoreError(
            "store.disk",
            `The file system of ${this.path} has no shared memory for SQLite.`,
          );
        }
        return;
      } catch (thrown) {
        if (!isBusy(thrown) || Date.now() >= deadline) throw storeFailure(thrown, this.path);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  }

  close(): void {
    if (!this.#sqlite.isOpen) return;
    this.#statements.clear();
    this.#guarded(() => this.#sqlite.close());
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#sqlite.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (thrown) {
      throw storeFailure(thrown, this.path);
    }
  }
}

/** A column that holds text; anything else is damage. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new StoreError("store.corrupt", `Column ${column} holds no text.`);
  return value;
}

/** A column that holds a number; anything else is damage. */
export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new StoreError("store.corrupt", `Column ${column} holds no number.`);
  return value;
}

/** A column that holds bytes; anything else is damage. */
export function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array))
    throw new StoreError("store.corrupt", `Column ${column} holds no bytes.`);
  return value;
}
