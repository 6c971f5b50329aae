/** The files of a message: safe names, sizes that Discord takes, and the whole of a card whose text had to be cut. */
import type { Block, Card, CardFile } from "../cards/card.ts";
import { limits } from "./limits-of-text.ts";

export interface MessageFile {
  /** Letters, digits, `.`, `_` and `-`: Discord changes other characters, and then nothing shows the file. */
  readonly name: string;
  readonly attachment: Buffer;
}

/** Endings that files may keep; a text with another one is a text. */
const endings = /\.(txt|md|csv|json|jsonl|ya?ml|log|js|mjs|ts|py|diff|patch)$/i;
const nameCharacters = 80;

/** A chart's picture is called so, and no file of a card. */
export const chartName = "chart.png";

/** A name that Discord keeps as it is. */
export function safeName(given: string): string {
  const last = (given.split(/[/\\]/).at(-1) ?? "").trim();
  const ending = endings.exec(last)?.[0];
  const stem = (ending === undefined ? last : last.slice(0, -ending.length))
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/\.{2,}/g, ".")
    .replace(/^[.-]+/, "");
  const shown = ending ?? ".txt";
  const short = stem.slice(0, nameCharacters - shown.length).replace(/[.-]+$/, "");
  return `${short === "" ? "file" : short}${shown}`;
}

/** The name that no file before it has. Whether letters are large makes no difference on many machines. */
function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique.toLowerCase()); number += 1) {
    unique = name.replace(/(\.\w+)$/, `-${number}$1`);
  }
  taken.add(unique.toLowerCase());
  return unique;
}

/** A text as bytes, cut with a mark where there are more than `most`. */
export function bytesWithin(text: string, most: number): Buffer {
  const bytes = Buffer.from(text === "" ? "(empty)\n" : text, "utf8");
  if (bytes.length <= most) return bytes;
  const mark = Buffer.from(`\n… cut here: the first of ${bytes.length} bytes\n`);
  let end = Math.max(0, most - mark.length);
  // A byte that continues a character must not begin what is left out.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Buffer.concat([bytes.subarray(0, end), mark]);
}

/** `files` with everything after the first ones gathered into one, so that there are at most `most`, 1 or more. */
export function gathered(files: readonly CardFile[], most: number): readonly CardFile[] {
  if (files.length <= most) return files;
  const kept = files.slice(0, most - 1);
  const text = files
    .slice(kept.length)
    .map((file) => `===== ${file.name} =====\n${file.text}\n`)
    .join("\n");
  return [...kept, { name: "more-files.txt", text }];
}

/** The names under which files go, in their order: safe, and none twice. */
export function namesOf(files: readonly CardFile[]): string[] {
  const taken = new Set<string>([chartName]);
  return files.map(({ name }) => uniqueName(safeName(name), taken));
}

/** Files, none over `fileBytes` bytes, which together with `reserved` bytes fit in a message. */
export function messageFiles(
  files: readonly CardFile[],
  { fileBytes, reserved = 0 }: { readonly fileBytes: number; readonly reserved?: number },
): MessageFile[] {
  const names = namesOf(files);
  let left = limits.messageBytes - reserved;
  return files.map(({ text }, at) => {
    // What small files leave of their share is for those after them.
    const share = Math.floor(left / (files.length - at));
    const attachment = bytesWithin(text, Math.min(fileBytes, share));
    left -= attachment.length;
    return { name: names[at] ?? "file.txt", attachment };
  });
}

/** What the file with the whole of a card is called. */
export function wholeName(cardTitle: string, files: readonly CardFile[]): string {
  const title = cardTitle
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, "-")
    .slice(0, 50)
    .replaceAll(/^[-.]+|[-.]+$/g, "");
  return uniqueName(
    `${title === "" ? "message" : title.replaceAll(".", "-")}.txt`,
    new Set(namesOf(files).map((name) => name.toLowerCase())),
  );
}

/** Columns wider than this stay ragged: lining them up would blow the file up. */
const linedUp = 60;

function tableText(block: Extract<Block, { type: "table" }>): string {
  const lines = [
    block.columns.map(({ title }) => title),
    ...block.rows.map(({ cells, rest }) => [...cells, ...(rest === undefined ? [] : [rest])]),
  ].map((line) => line.map((cell) => cell.replaceAll(/\s+/g, " ")));
  const widths = block.columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(Math.min(widths[at] ?? 0, linedUp)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function blockText(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "fields":
      return block.fields.map(({ name, value }) => `${name}: ${value}`).join("\n");
    case "table":
      return tableText(block);
    case "verbatim":
      return block.title === "" ? block.text : `--- ${block.title} ---\n${block.text}`;
  }
}

/** All that a card says, letter by letter. */
export function wholeText({ title, blocks, chart }: Pick<Card, "title" | "blocks" | "chart">): string {
  const parts = [title, ...blocks.map(blockText), chart?.alt ?? ""];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
