/** What SQLite and the file system report when they fail, turned into the store's errors. */
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { SpadeworkError, StoreError } from "../../config/errors.ts";

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html); an extended code holds one in its low byte. */
const result = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
} as const;

const sqliteFailure = z.object({
  code: z.literal("ERR_SQLITE_ERROR"),
  errcode: z.number(),
  message: z.string(),
});
const systemFailure = z.object({ code: z.string(), errno: z.number(), message: z.string() });

/** Whether SQLite says that somebody else holds a lock. */
export function isBusy(thrown: unknown): boolean {
  const parsed = sqliteFailure.safeParse(thrown);
  return parsed.success && [result.busy, result.locked].some((code) => code === (parsed.data.errcode & 0xff));
}

/**
 * The store's error for whatever was thrown while the database at `path` was used. Errors that are ours already, and
 * those that are neither SQLite's nor the file system's, come back as they are.
 */
export function storeFailure(thrown: unknown, path: string): unknown {
  if (thrown instanceof SpadeworkError) return thrown;
  const sqlite = sqliteFailure.safeParse(thrown);
  if (sqlite.success) return fromSqlite(sqlite.data.errcode, sqlite.data.message, thrown, path);
  const system = systemFailure.safeParse(thrown);
  return system.success ? fromSystem(system.data.code, thrown, path) : thrown;
}

function fromSqlite(errcode: number, said: string, cause: unknown, path: string): unknown {
  const options = { cause, data: { path, errcode } };
  switch (errcode & 0xff) {
    case result.busy:
    case result.locked:
      return new StoreError("store.locked", `Another process holds the lock of ${path}.`, options);
    case result.readOnly:
      return new StoreError("store.read-only", `${path} can't be written.`, options);
    case result.cantOpen:
      return hasSpace(path)
        ? new StoreError("store.read-only", `${path} or a file beside it can't be opened.`, options)
        : new StoreError("store.full", `The disk that holds ${path} is full.`, options);
    case result.full:
      return new StoreError("store.full", `The disk that holds ${path} is full.`, options);
    case result.inputOutput:
      // A full disk shows up as an input/output error where SQLite grows its shared memory file.
      return hasSpace(path)
        ? new StoreError("store.disk", `Reading or writing ${path} failed: ${said}.`, options)
        : new StoreError("store.full", `The disk that holds ${path} is full.`, options);
    case result.corrupt:
    case result.notADatabase:
      return new StoreError("store.corrupt", `${path} is damaged: ${said}.`, options);
    default:
      return cause;
  }
}

function fromSystem(code: string, cause: unknown, path: string): unknown {
  const options = { cause, data: { path, code } };
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return new StoreError("store.full", `The disk that holds ${path} is full.`, options);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new StoreError("store.read-only", `${path} can't be written.`, options);
    case "ENOTDIR":
    case "EEXIST":
      return new StoreError("store.read-only", `${dirname(path)} is not a directory.`, options);
    default:
      return new StoreError("store.disk", `${path} can't be used: ${code}.`, options);
  }
}

function hasSpace(path: string): boolean {
  try {
    const disk = statfsSync(dirname(path));
    return disk.bavail * disk.bsize > 256 * 1024;
  } catch {
    return true;
  }
}
