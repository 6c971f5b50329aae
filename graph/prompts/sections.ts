/**
 * Sections of a prompt: `<name key="value">…</name>`. Text from outside can't close or open one, so a document stays
 * data wherever it ends up. The embedded policy reads prompts through `readSections`, as blind as any other model.
 */

const names = [
  "task",
  "brief",
  "document",
  "memory",
  "example",
  "digest",
  "source",
  "gates",
  "tools",
  "hint",
] as const;
export type SectionName = (typeof names)[number];

export interface Section {
  readonly name: SectionName;
  readonly attributes: Readonly<Record<string, string>>;
  readonly body: string;
}

const boundary = new RegExp(`<(?=/?(?:${names.join("|")})\\b)`, "gi");

/** Text from outside with every section boundary made harmless (`<` → `‹`). */
export function asData(text: string): string {
  return text.replace(boundary, "‹");
}

/** A section; `body` is taken as it is, so pass outside text through `asData` first. */
export function section(
  name: SectionName,
  attributes: Readonly<Record<string, string>>,
  body: string,
): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${asData(value).replaceAll('"', "'")}"`,
  );
  return `<${name}${written.join("")}>\n${body.trim()}\n</${name}>`;
}

/** The outermost sections of a text, in order. Call it on a section's body for those inside. */
export function readSections(text: string): Section[] {
  const found: Section[] = [];
  const opening = new RegExp(`<(${names.join("|")})((?: [a-z-]+="[^"]*")*)>\\n`, "g");
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const name = match[1] as SectionName;
    const end = text.indexOf(`\n</${name}>`, opening.lastIndex - 1);
    if (end < 0) continue;
    const attributes = Object.fromEntries(
      [...(match[2] ?? "").matchAll(/ ([a-z-]+)="([^"]*)"/g)].map((pair) => [pair[1] ?? "", pair[2] ?? ""]),
    );
    found.push({ name, attributes, body: text.slice(opening.lastIndex, Math.max(opening.lastIndex, end)) });
    opening.lastIndex = end + name.length + 4;
  }
  return found;
}

/** The lines `key: value` of a text as an object. */
export function readFields(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^([a-z ]+): (.*)$/gm)].map((match) => [match[1] ?? "", (match[2] ?? "").trim()]),
  );
}
