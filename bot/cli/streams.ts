/** The streams of a command line: a terminal's, a pipe's or a file's. */
import type { Readable, Writable } from "node:stream";

export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };
export type InputStream = Readable & { readonly isTTY?: boolean };
