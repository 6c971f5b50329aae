/** Texts in SQLite, under the SHA-256 of their UTF-8 bytes; long ones are kept compressed. */
import { hash } from "node:crypto";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { StoreError } from "../../config/errors.ts";
import type { TextId } from "../records.ts";
import type { TextStore } from "../store.ts";
import { bytesOf, type Database, textOf } from "./database.ts";

/** Below this many bytes, four pages of the database, compression takes longer than writing what it saves. */
const compressFrom = 16_384;

const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export function sqliteTexts(database: Database): TextStore {
  return {
    put: async (text) => putText(database, text),

    async get(id) {
      const row = database.get("SELECT encoding, body FROM texts WHERE id = ?", id);
      if (row === undefined) throw new StoreError("store.not-found", `There is no text ${id} in the store.`);
      const bytes = decoded(textOf(row, "encoding"), bytesOf(row, "body"), id);
      if (hashOf(bytes) !== id) throw damaged(id);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
    },
  };
}

/** Keeps a text, also within a transaction of the caller's. */
export function putText(database: Database, text: string): TextId {
  const bytes = Buffer.from(text, "utf8");
  const id = hashOf(bytes);
  // Looking first saves the write lock, and the compression, where the text is known.
  if (database.get("SELECT 1 FROM texts WHERE id = ?", id) !== undefined) return id;
  const compressed = bytes.length >= compressFrom;
  database.run(
    "INSERT INTO texts (id, encoding, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    id,
    compressed ? "zstd" : "plain",
    compressed ? zstdCompressSync(bytes, fast) : bytes,
  );
  return id;
}

function hashOf(bytes: Uint8Array): TextId {
  return hash("sha256", bytes, "hex");
}

function decoded(encoding: string, body: Uint8Array, id: string): Uint8Array {
  if (encoding === "plain") return body;
  if (encoding !== "zstd") throw damaged(id);
  try {
    return zstdDecompressSync(body);
  } catch (cause) {
    throw damaged(id, cause);
  }
}

function damaged(id: string, cause?: unknown): StoreError {
  return new StoreError("store.corrupt", `The stored text ${id} does not match its hash.`, { cause });
}
