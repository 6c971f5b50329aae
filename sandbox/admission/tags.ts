/** Tags: the few short words by which a designer files its environment, in a `tags:` comment on the first line. */

const tagCount = 16;
const tagCharacters = 60;

/** The tags of a source in their order, lower case, without repeats; empty if its first line names none. */
export function tagsOf(source: string): string[] {
  const written = /^\s*(?:\/\/|#|\/\*)\s*tags:([^\n]*)/i.exec(source)?.[1];
  if (written === undefined) return [];
  const list = written.replace(/\*\/.*$/, "");
  const parts = list.includes(",") ? list.split(",") : list.split(/\s+/);
  const tags = parts
    .map((part) => part.trim().replace(/\s+/g, " ").toLowerCase())
    .filter((tag) => tag !== "");
  return [...new Set(tags)].filter((tag) => tag.length <= tagCharacters).slice(0, tagCount);
}
