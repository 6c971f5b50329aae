/** Rows as a Parquet file: the same rows as the JSON lines that it is made of, in columns, a group of rows at a time. */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import type { SchemaElement } from "hyparquet";
import { fileWriter, ParquetWriter } from "hyparquet-writer";
import { z } from "zod";
import { type ExportFormat, tableFormats } from "./options.ts";

/** Characters of JSON that one group of rows is made of, about: what is held in memory at once. */
const groupCharacters = 8_000_000;

const text = (name: string): SchemaElement[] => [
  { name, type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" },
];
const plain = (name: string, type: "BOOLEAN" | "INT32" | "DOUBLE"): SchemaElement[] => [
  { name, type, repetition_type: "REQUIRED" },
];
const list = (name: string, element: readonly SchemaElement[]): SchemaElement[] => [
  { name, converted_type: "LIST", repetition_type: "REQUIRED", num_children: 1 },
  { name: "list", repetition_type: "REPEATED", num_children: 1 },
  ...element,
];
const messages = (name: string): SchemaElement[] =>
  list(name, [
    { name: "element", repetition_type: "REQUIRED", num_children: 2 },
    ...text("role"),
    ...text("content"),
  ]);

/** The columns of the formats whose rows are alike enough for a table, in order. */
const tables: Readonly<Record<(typeof tableFormats)[number], Readonly<Record<string, SchemaElement[]>>>> = {
  "trl-sft": { messages: messages("messages"), tools: text("tools") },
  "trl-dpo": {
    prompt: messages("prompt"),
    chosen: messages("chosen"),
    rejected: messages("rejected"),
  },
  "trl-kto": {
    prompt: messages("prompt"),
    completion: messages("completion"),
    label: plain("label", "BOOLEAN"),
  },
  tokens: {
    tokens: list("tokens", plain("element", "INT32")),
    response_length: plain("response_length", "INT32"),
    loss_mask: list("loss_mask", plain("element", "INT32")),
    rollout_log_probs: list("rollout_log_probs", plain("element", "DOUBLE")),
    reward: plain("reward", "DOUBLE"),
    advantage: plain("advantage", "DOUBLE"),
    status: text("status"),
    metadata: text("metadata"),
  },
};

function columnsOf(format: ExportFormat): Readonly<Record<string, SchemaElement[]>> {
  const found = tableFormats.find((one) => one === format);
  if (found === undefined) throw new RangeError(`${format} is no table`);
  return tables[found];
}

const row = z.record(z.string(), z.unknown());

/** Writes `to`, whole and on the disk, from the JSON lines in `from`. Throws what the system says. */
export async function writeParquet(format: ExportFormat, from: string, to: string): Promise<void> {
  const columns = columnsOf(format);
  const names = Object.keys(columns);
  const writer = new ParquetWriter({
    writer: fileWriter(to),
    schema: [{ name: "root", num_children: names.length }, ...Object.values(columns).flat()],
    createdBy: "spadework",
  });
  let rows: z.infer<typeof row>[] = [];
  let characters = 0;
  const write = async (): Promise<void> => {
    const columnData = names.map((name) => ({ name, data: rows.map((one) => cell(name, one[name])) }));
    await writer.write({ columnData, rowGroupSize: rows.length });
    rows = [];
    characters = 0;
    await setImmediate();
  };
  for await (const line of linesOf(from)) {
    rows.push(row.parse(JSON.parse(line)));
    characters += line.length;
    if (characters >= groupCharacters) await write();
  }
  if (rows.length > 0) await write();
  await writer.finish();
  const handle = await open(to, "r+");
  await handle.datasync().finally(() => handle.close());
}

/** Provenance differs from row to row, so a table has it as JSON. */
function cell(name: string, value: unknown): unknown {
  return name === "metadata" ? JSON.stringify(value) : value;
}

/** Lines end with a line feed alone: texts may hold other separators. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let open = "";
  for await (const chunk of createReadStream(path, { encoding: "utf8", highWaterMark: 1_048_576 })) {
    const [first = "", ...others] = z.string().parse(chunk).split("\n");
    open += first;
    for (const other of others) {
      yield open;
      open = other;
    }
  }
  if (open !== "") yield open;
}
