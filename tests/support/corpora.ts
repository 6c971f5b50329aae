/** A corpus of a test's own: a folder for its files, a real store, small limits. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { configSchema } from "../../config/schema.ts";
import { type AddedDocuments, addDocuments } from "../../graph/corpus/documents.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";

export interface TestCorpus {
  readonly folder: string;
  readonly store: Store;
  /** Writes a file into the folder and gives its path. */
  file(name: string, content: string | Buffer): Promise<string>;
  /** Adds a source as `ada`, at time 5,000, with 200,000 bytes and pieces of 400 characters at most. */
  add(source: string): Promise<AddedDocuments>;
  textOf(id: string | undefined): Promise<string>;
  close(): Promise<void>;
}

export async function testCorpus(): Promise<TestCorpus> {
  const folder = await mkdtemp(join(tmpdir(), "spadework-corpus-"));
  const store = await openStore({ dataDir: join(folder, "data"), log: pino({ level: "silent" }) });
  const config = configSchema.parse({ documents: { maxBytes: 200_000, pieceCharacters: 400 } });
  return {
    folder,
    store,
    file: async (name, content) => {
      const path = join(folder, name);
      await writeFile(path, content);
      return path;
    },
    add: (source) => addDocuments({ store, config, now: () => 5_000 }, source, "ada"),
    textOf: async (id = "") => {
      const record = await store.documents.get(id);
      if (record === null) throw new Error(`no document ${id}`);
      return store.texts.get(record.textId);
    },
    close: async () => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
