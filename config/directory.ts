/** Makes a directory and those above it, where Node's own way would not come back. */
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes `path` unless it is there. Throws what the system says, e.g. ENOENT below `/proc` or ENOTDIR below a file.
 * Node 26's recursive `mkdirSync` loops for ever where a directory that exists answers ENOENT.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent);
  try {
    mkdirSync(path);
  } catch (thrown) {
    // Another process may have made it in the meantime.
    if (!existsSync(path)) throw thrown;
  }
}
