/** Exports of a test: written into a directory of their own, and read back line by line. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type ExportOutcome, type ExportServices, exportData } from "../../graph/export/export.ts";
import { type AskedExport, settleOptions } from "../../graph/export/options.ts";
import { planExport } from "../../graph/export/plan.ts";

/** Strict: a field that the index does not name is a fault. */
export const indexLine = z.strictObject({
  file: z.string(),
  line: z.number().int().min(1),
  episodes: z.array(
    z.strictObject({
      episodeId: z.string(),
      as: z.enum(["row", "chosen", "rejected"]),
      roundId: z.string(),
      environmentId: z.string(),
      arm: z.enum(["plain", "hinted", "hinted-human", "human"]),
      index: z.number().int(),
      seed: z.number().int(),
      model: z.string(),
      policyVersion: z.string().nullable(),
      return: z.number().nullable(),
      hint: z.enum(["none", "kept", "dropped"]),
      promptHoldsHint: z.boolean(),
    }),
  ),
});
export type IndexLine = z.infer<typeof indexLine>;

/** Writes an export into `directory`, or goes on with the one that is there. */
export async function exportInto(
  services: ExportServices,
  directory: string,
  asked: AskedExport,
  { signal = new AbortController().signal, markBytes = 1_000_000 } = {},
): Promise<ExportOutcome> {
  const plan = await planExport(services.store, settleOptions(asked));
  return exportData(services, plan, directory, { signal, markBytes });
}

export function linesOf(path: string): unknown[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

/** Every file of a directory with its content, by name. */
export function filesOf(directory: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(directory)
      .sort()
      .map((name) => [
        name,
        readFileSync(join(directory, name), name.endsWith(".parquet") ? "latin1" : "utf8"),
      ]),
  );
}

export interface Exported<T> {
  readonly outcome: ExportOutcome;
  readonly rows: readonly T[];
  readonly index: readonly IndexLine[];
  readonly files: Readonly<Record<string, string>>;
}

/** An export into a fresh directory, its rows parsed by `schema`. */
export async function exported<T>(
  services: ExportServices,
  schema: z.ZodType<T>,
  asked: AskedExport,
): Promise<Exported<T>> {
  const directory = mkdtempSync(join(tmpdir(), "spadework-export-"));
  try {
    const outcome = await exportInto(services, directory, asked);
    const names = outcome.state === "empty" ? [] : outcome.card.files.map(({ name }) => name);
    return {
      outcome,
      rows: names.flatMap((name) => linesOf(join(directory, name)).map((row) => schema.parse(row))),
      index:
        outcome.state === "empty"
          ? []
          : linesOf(join(directory, "index.jsonl")).map((line) => indexLine.parse(line)),
      files: filesOf(directory),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
