/** The example environments as sources. */
import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("./good/", import.meta.url);

/** Names of the environments that pass every gate. */
export const goodNames = readdirSync(folder)
  .filter((name) => name.endsWith(".js"))
  .map((name) => name.replace(/\.js$/, ""))
  .sort();

/** The source of a good environment. */
export function good(name: string): string {
  return readFileSync(new URL(`${name}.js`, folder), "utf8");
}

/** A good environment with parts of its source replaced; each part must occur in it, and every place is replaced. */
export function edited(name: string, ...edits: readonly (readonly [from: string, to: string])[]): string {
  return edits.reduce((source, [from, to]) => {
    if (!source.includes(from)) throw new Error(`${name} has no ${from}`);
    return source.replaceAll(from, to);
  }, good(name));
}
