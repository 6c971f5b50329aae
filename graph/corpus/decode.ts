/** Bytes to text: UTF-8, what a byte order mark or a declared encoding says, or Latin-1 with a note; never a guess. */

export interface Decoded {
  readonly text: string;
  /** A remark for the person, e.g. that the bytes were read as Latin-1; null if there is nothing to say. */
  readonly note: string | null;
}

/** The bytes are not text that can be read. `message` ends the sentence "… can't be read: ". */
export class UndecodableError extends Error {}

const sniffedBytes = 8_192;

/**
 * The text in `bytes`. `charset` is what a header or a document declares, null if nothing does. Throws
 * UndecodableError for binary data, for an encoding that isn't known, and for bytes that fit neither UTF-8 nor Latin-1.
 */
export function decodeText(bytes: Uint8Array, charset: string | null = null): Decoded {
  const marked = markedEncoding(bytes);
  if (marked === "utf-32") throw new UndecodableError("it is UTF-32; save it as UTF-8");
  if (marked !== null) return { text: decodeAs(marked, bytes) ?? notA(marked), note: null };
  if (looksBinary(bytes)) throw new UndecodableError("it is binary, not text");
  if (charset !== null && !/^utf-?8$/i.test(charset)) {
    return { text: decodeAs(charset, bytes) ?? notA(charset), note: null };
  }
  const text = decodeAs("utf-8", bytes);
  if (text !== null) return { text, note: null };
  if (!looksLatin(bytes)) {
    throw new UndecodableError("its encoding is neither UTF-8 nor Latin-1; save it as UTF-8");
  }
  return {
    text: new TextDecoder("windows-1252").decode(bytes),
    note: "not UTF-8; read as Latin-1 (Windows-1252)",
  };
}

/** Whether the first bytes hold what no text does: NUL, or more than a few control characters. */
export function looksBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, sniffedBytes);
  let control = 0;
  for (const byte of head) {
    if (byte === 0) return true;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b) {
      control += 1;
    }
  }
  return control > head.length / 50;
}

/** What a byte order mark says; null if there is none. */
export function markedEncoding(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | "utf-32" | null {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? "utf-32" : "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return "utf-32";
  return null;
}

function decodeAs(encoding: string, bytes: Uint8Array): string | null {
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new UndecodableError(`its encoding ${encoding.slice(0, 40)} isn't known; save it as UTF-8`);
  }
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function notA(encoding: string): never {
  throw new UndecodableError(`it says that it is ${encoding} but isn't; save it as UTF-8`);
}

/**
 * Latin text has few bytes above 0x7f and none that Windows-1252 leaves undefined. Other one-byte or two-byte
 * encodings would turn into nonsense, so they are refused.
 */
function looksLatin(bytes: Uint8Array): boolean {
  let high = 0;
  for (const byte of bytes) {
    if (byte < 0x80) continue;
    high += 1;
    if (byte === 0x81 || byte === 0x8d || byte === 0x8f || byte === 0x90 || byte === 0x9d) return false;
  }
  return high < bytes.length * 0.2;
}
