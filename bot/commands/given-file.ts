/** A file that a caller handed in: a path on the command line, an attachment in chat. Commands see its name and content. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { z } from "zod";
import { InputError } from "../../config/errors.ts";

export class GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;

  constructor(name: string, bytes: Uint8Array) {
    this.name = name;
    this.bytes = bytes;
  }

  /** The bytes read as UTF-8. */
  get text(): string {
    return new TextDecoder().decode(this.bytes);
  }
}

const name = z.string().min(1);

/** Takes `{name, bytes}`, which any file is, and `{name, text}` for those that are text. */
export const givenFile = z
  .union([z.object({ name, bytes: z.instanceof(Uint8Array) }), z.object({ name, text: z.string() })])
  .transform(
    (file) => new GivenFile(file.name, "bytes" in file ? file.bytes : new TextEncoder().encode(file.text)),
  );

/** Environments and action lists are small; a larger file was not meant. */
export const givenFileBytes = 4_194_304;

/** The bytes of an open file; null if there are more than `most`. Pipes and devices have no size to ask for, so none is believed. */
function readAtMost(file: number, most: number): Buffer | null {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length <= most) {
    const chunk = Buffer.alloc(65_536);
    const read = readSync(file, chunk, 0, chunk.length, null);
    if (read === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, read));
    length += read;
  }
  return null;
}

/** Reads a file from a path. Throws `input.no-such-file` and `input.too-large`. */
export function readGivenFile(path: string): GivenFile {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    throw new InputError("input.no-such-file", `There is no file "${path}" that can be read.`, {
      cause: error,
    });
  }
  try {
    if (fstatSync(file).isDirectory())
      throw new InputError("input.no-such-file", `"${path}" is a folder, not a file.`);
    const bytes = readAtMost(file, givenFileBytes);
    if (bytes === null) {
      throw new InputError(
        "input.too-large",
        `"${path}" is too large; a file of at most ${givenFileBytes} bytes is taken.`,
      );
    }
    return new GivenFile(basename(path), bytes);
  } finally {
    closeSync(file);
  }
}
