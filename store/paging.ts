/** Where a page of a listing begins: the sort key of the last item before it, as a text that callers hand back. */
import { z } from "zod";
import { InputError } from "../config/errors.ts";
import type { PageRequest } from "./store.ts";

export type CursorKey = readonly (string | number)[];

const cursorKey = z.array(z.union([z.string(), z.number()]));

export function writeCursor(key: CursorKey): string {
  return Buffer.from(JSON.stringify(key)).toString("base64url");
}

/** The sort key that a page starts after, null for the first page. Throws `input.bad-option`. */
export function readCursor(page: PageRequest, length: number): CursorKey | null {
  if (page.after === undefined) return null;
  try {
    const key = cursorKey.parse(JSON.parse(Buffer.from(page.after, "base64url").toString("utf8")));
    if (key.length === length) return key;
  } catch {
    // Told below, like a key of the wrong length.
  }
  throw new InputError("input.bad-option", "The listing's continuation is not one that a page gave.");
}

/** The number of items of a page, held within 1 to 1,000. */
export function pageLimit(page: PageRequest): number {
  return Math.max(1, Math.min(1_000, Math.floor(page.limit)));
}
