/**
 * The files of an export while it is written: rows into shards of a bounded size, and a line of the index for each. A file
 * has a temporary name until it is whole. What was written up to a mark can be taken up again after a kill.
 */
import { existsSync } from "node:fs";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

export const partial = ".partial";
export const indexFile = "index.jsonl";
const lines = ".jsonl";

const finishedFile = z.object({ name: z.string(), rows: z.number().int(), bytes: z.number().int() });
export type FinishedFile = z.infer<typeof finishedFile>;

/** Where writing stands. Everything before it is on the disk. */
export const shardMark = z.object({
  finished: z.array(finishedFile),
  /** Of the shard that is being written. */
  rows: z.number().int(),
  bytes: z.number().int(),
  indexBytes: z.number().int(),
});
export type ShardMark = z.infer<typeof shardMark>;

export const firstMark: ShardMark = { finished: [], rows: 0, bytes: 0, indexBytes: 0 };

/** Bytes that are gathered before they are written. */
const gathered = 1_048_576;
const newline = 0x0a;

/** A file that grows at its end, line by line. One buffer is filled again and again, so that lines leave no garbage. */
class Growing {
  readonly #handle: FileHandle;
  readonly #buffer = Buffer.allocUnsafe(gathered);
  #pending = 0;
  #written: number;

  private constructor(handle: FileHandle, written: number) {
    this.#handle = handle;
    this.#written = written;
  }

  /** Opens a file and forgets what is in it beyond `bytes`. Throws RangeError if it holds less. */
  static async open(path: string, bytes: number): Promise<Growing> {
    if (bytes > 0 && !existsSync(path)) throw new RangeError(`${path} is gone`);
    const handle = await open(path, bytes === 0 ? "w" : "r+");
    try {
      if ((await handle.stat()).size < bytes) throw new RangeError(`${path} is shorter than it was`);
      await handle.truncate(bytes);
      return new Growing(handle, bytes);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  get bytes(): number {
    return this.#written + this.#pending;
  }

  /** `length` is that of the line and its end, in bytes. */
  async add(line: string, length: number): Promise<void> {
    if (this.#pending + length > gathered) await this.flush();
    if (length > gathered) {
      await this.#write(Buffer.from(`${line}\n`, "utf8"));
      return;
    }
    this.#pending += this.#buffer.write(line, this.#pending, "utf8");
    this.#buffer[this.#pending] = newline;
    this.#pending += 1;
  }

  async flush(): Promise<void> {
    await this.#write(this.#buffer.subarray(0, this.#pending));
    this.#pending = 0;
  }

  async #write(whole: Buffer): Promise<void> {
    let done = 0;
    while (done < whole.length) {
      const { bytesWritten } = await this.#handle.write(
        whole,
        done,
        whole.length - done,
        this.#written + done,
      );
      done += bytesWritten;
    }
    this.#written += whole.length;
  }

  async sync(): Promise<void> {
    await this.flush();
    await this.#handle.datasync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

export interface ShardOptions {
  readonly directory: string;
  /** The name of shard `number`, from 1, without its ending. */
  readonly stemOf: (number: number) => string;
  /** Makes a whole shard's lines into the file that is kept, in another form; null where lines are kept. */
  readonly convert: { readonly ending: string; write(from: string, to: string): Promise<void> } | null;
  /** A shard ends before the row that would make it larger; a single row may be. */
  readonly shardBytes: number;
}

/** The temporary name of a file; one that got its final name after the mark was made gives it up again. */
async function unfinished(path: string): Promise<string> {
  const temporary = path + partial;
  if (!existsSync(temporary) && existsSync(path)) await rename(path, temporary);
  return temporary;
}

export class ShardWriter {
  readonly #options: ShardOptions;
  readonly #finished: FinishedFile[];
  readonly #index: Growing;
  /** Lines of shards that have their final form, until a mark beyond them is kept. */
  readonly #spent: string[] = [];
  #shard: Growing;
  #rows: number;

  private constructor(options: ShardOptions, mark: ShardMark, shard: Growing, index: Growing) {
    this.#options = options;
    this.#finished = [...mark.finished];
    this.#rows = mark.rows;
    this.#shard = shard;
    this.#index = index;
  }

  /** Goes on at a mark. Throws RangeError if the files hold less than the mark says. */
  static async open(options: ShardOptions, mark: ShardMark): Promise<ShardWriter> {
    const { directory } = options;
    for (const { name, bytes } of mark.finished) {
      const size = existsSync(join(directory, name)) ? (await stat(join(directory, name))).size : -1;
      if (size !== bytes) throw new RangeError(`${name} is not as it was`);
    }
    const shard = await Growing.open(
      await unfinished(join(directory, options.stemOf(mark.finished.length + 1) + lines)),
      mark.bytes,
    );
    try {
      const index = await Growing.open(await unfinished(join(directory, indexFile)), mark.indexBytes);
      return new ShardWriter(options, mark, shard, index);
    } catch (error) {
      await shard.close();
      throw error;
    }
  }

  /** `indexed` is the row's line in the index, given the file that it is in and its place there, from 1. */
  async add(line: string, indexed: (file: string, place: number) => string): Promise<void> {
    const length = Buffer.byteLength(line, "utf8") + 1;
    if (this.#rows > 0 && this.#shard.bytes + length > this.#options.shardBytes) await this.#next();
    this.#rows += 1;
    await this.#shard.add(line, length);
    const entry = indexed(this.#name, this.#rows);
    await this.#index.add(entry, Buffer.byteLength(entry, "utf8") + 1);
  }

  get #name(): string {
    return this.#stem + (this.#options.convert?.ending ?? lines);
  }

  get #stem(): string {
    return this.#options.stemOf(this.#finished.length + 1);
  }

  async #finish(): Promise<void> {
    const { directory, convert } = this.#options;
    const name = this.#name;
    const path = join(directory, name);
    const written = join(directory, this.#stem + lines + partial);
    await this.#shard.sync();
    await this.#shard.close();
    let { bytes } = this.#shard;
    if (convert !== null) {
      await convert.write(written, path + partial);
      bytes = (await stat(path + partial)).size;
      await rename(path + partial, path);
      this.#spent.push(written);
    } else await rename(written, path);
    this.#finished.push({ name, rows: this.#rows, bytes });
    this.#rows = 0;
  }

  async #next(): Promise<void> {
    await this.#finish();
    this.#shard = await Growing.open(join(this.#options.directory, this.#stem + lines + partial), 0);
  }

  /** Takes away what a mark that was kept no longer needs. */
  async forget(): Promise<void> {
    for (const path of this.#spent.splice(0)) await rm(path, { force: true });
  }

  /** Puts everything on the disk and says where writing stands. */
  async mark(): Promise<ShardMark> {
    await this.#shard.sync();
    await this.#index.sync();
    return {
      finished: [...this.#finished],
      rows: this.#rows,
      bytes: this.#shard.bytes,
      indexBytes: this.#index.bytes,
    };
  }

  /** Gives every file its final name. The export has at least one row by then. */
  async finish(): Promise<readonly FinishedFile[]> {
    await this.#index.sync();
    await this.#index.close();
    await this.#finish();
    const path = join(this.#options.directory, indexFile);
    await rename(path + partial, path);
    return this.#finished;
  }

  async close(): Promise<void> {
    await this.#shard.close();
    await this.#index.close();
  }
}
