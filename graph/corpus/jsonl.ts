/** JSONL read as a stream: one document a line, corrupt lines reported by their number, memory bounded by one line. */
import { z } from "zod";
import { looksBinary, markedEncoding, UndecodableError } from "./decode.ts";

/** One line of the file: a document, or what is wrong with it. Empty lines are no lines of this kind. */
export type JsonlLine =
  | { readonly line: number; readonly text: string; readonly title: string | null }
  | { readonly line: number; readonly problem: string };

/** A line longer than this is a problem of its own and is never held in memory. */
export const longestLineBytes = 16_777_216;

const row = z.object({
  text: z.string().nullish(),
  orig_doc: z.string().nullish(),
  title: z.string().nullish(),
});

/**
 * The documents of a JSONL stream, in order; the text is in `text` or `orig_doc`. Throws UndecodableError if the
 * stream is binary or no UTF-8 text at all.
 */
export async function* readJsonl(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<JsonlLine> {
  for await (const { line, content } of byteLines(bytes)) {
    if (content === null) {
      yield { line, problem: `longer than ${longestLineBytes} bytes` };
      continue;
    }
    const entry = parseLine(content);
    if (entry !== null) yield { line, ...entry };
  }
}

function parseLine(content: Uint8Array): { text: string; title: string | null } | { problem: string } | null {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(content).trim();
  } catch {
    return { problem: "not UTF-8" };
  }
  if (text === "") return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "not JSON" };
  }
  const parsed = row.safeParse(value);
  if (!parsed.success) return { problem: "not an object whose `text` or `orig_doc` is a string" };
  const { text: first, orig_doc: second, title } = parsed.data;
  const found = [first, second].find((candidate) => typeof candidate === "string" && candidate.trim() !== "");
  if (typeof found !== "string") return { problem: "no text under `text` or `orig_doc`" };
  return { text: found, title: title ?? null };
}

interface ByteLine {
  readonly line: number;
  /** Null if it is too long. */
  readonly content: Uint8Array | null;
}

async function* byteLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<ByteLine> {
  let held: Uint8Array[] = [];
  let length = 0;
  let line = 1;
  let started = false;
  const take = (part: Uint8Array): void => {
    length += part.length;
    if (length <= longestLineBytes) held.push(part);
    else held = [];
  };
  const finish = (): ByteLine => {
    const content = length > longestLineBytes ? null : Buffer.concat(held);
    const done = { line, content };
    held = [];
    length = 0;
    line += 1;
    return done;
  };
  for await (const chunk of stream) {
    if (!started && chunk.length > 0) {
      started = true;
      refuseForeign(chunk);
    }
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      take(chunk.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    take(chunk.subarray(start));
  }
  if (length > 0) yield finish();
}

function refuseForeign(head: Uint8Array): void {
  const marked = markedEncoding(head);
  if (marked !== null && marked !== "utf-8") {
    throw new UndecodableError(`it is ${marked.toUpperCase()}; save it as UTF-8`);
  }
  if (looksBinary(head)) throw new UndecodableError("it is binary, not text");
}
