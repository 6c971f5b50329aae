/** A file that a caller handed in: a path on the command line, an attachment in chat. Commands see its name and text. */
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { z } from "zod";
import { InputError } from "../../config/errors.ts";

export const givenFile = z.object({ name: z.string().min(1), text: z.string() });
export type GivenFile = z.infer<typeof givenFile>;

/** Environments and action lists are small; a larger file was not meant. */
export const givenFileBytes = 4_194_304;

/** Reads a file from a path. Throws `input.no-such-file`. */
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
    const facts = fstatSync(file);
    if (facts.isDirectory()) throw new InputError("input.no-such-file", `"${path}" is a folder, not a file.`);
    if (facts.size > givenFileBytes) {
      throw new InputError(
        "input.no-such-file",
        `"${path}" has ${facts.size} bytes; a file of at most ${givenFileBytes} is taken.`,
      );
    }
    return { name: basename(path), text: readFileSync(file, "utf8") };
  } finally {
    closeSync(file);
  }
}
