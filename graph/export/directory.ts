/** The directory of an export: what may be written into it, what lies there already, and failures of the disk in words. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { open, rename, rm, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { makeDirectory } from "../../config/directory.ts";
import { InputError, SpadeworkError } from "../../config/errors.ts";
import { type DataCard, dataCard } from "./card.ts";
import type { ExportOptions } from "./options.ts";
import { type ExportPlan, exportPlan } from "./plan.ts";
import { partial, type ShardMark, shardMark } from "./shards.ts";
import { type Tally, tallySchema } from "./tally.ts";

export const cardFile = "card.json";
export const readmeFile = "README.md";
const planFile = `plan.json${partial}`;
const progressFile = `progress.json${partial}`;

/** How far an export is: the unit that it is in, and how many of that unit's environments are done. */
export const progress = z.object({
  unit: z.number().int(),
  environments: z.number().int(),
  mark: shardMark,
  tally: tallySchema,
});
export interface Progress {
  readonly unit: number;
  readonly environments: number;
  readonly mark: ShardMark;
  readonly tally: Tally;
}

/** What lies in a directory that an export is to go into. */
export type Found =
  | { readonly state: "free"; readonly made: boolean }
  | { readonly state: "begun"; readonly plan: ExportPlan; readonly progress: Progress | null }
  | { readonly state: "finished"; readonly card: DataCard };

const closed = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOTDIR",
  "ENOENT",
  "EEXIST",
  "ENAMETOOLONG",
  "EISDIR",
  "ELOOP",
]);

/** Does something on the disk. Throws `input.unwritable` where a directory can't be used, `internal.output` for the rest. */
export async function onDisk<T>(directory: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : null;
    if (error instanceof SpadeworkError || code === null || !/^E[A-Z0-9]+$/.test(code)) throw error;
    const name = basename(directory);
    if (closed.has(code)) {
      throw new InputError("input.unwritable", `The directory "${name}" can't be written (${code}).`, {
        cause: error,
      });
    }
    throw new SpadeworkError("internal.output", `The export "${name}" can't be written (${code}).`, {
      cause: error,
    });
  }
}

const occupied = (sentence: string): InputError => new InputError("input.occupied", sentence);

/** Looks at the directory, and makes it if it is not there. Throws `input.occupied` and `input.unwritable`. */
export async function lookAt(directory: string, options: ExportOptions): Promise<Found> {
  return onDisk(directory, () => {
    const name = basename(directory);
    if (!existsSync(directory)) {
      makeDirectory(directory);
      return { state: "free", made: true };
    }
    const card = read(join(directory, cardFile), dataCard);
    if (card !== null) {
      if (same(card.options, options)) return { state: "finished", card };
      throw occupied(`"${name}" holds a finished export of ${card.format} with other options.`);
    }
    const plan = read(join(directory, planFile), exportPlan);
    if (plan !== null) {
      if (!same(plan.options, options)) {
        throw occupied(`"${name}" holds an unfinished export of ${plan.options.format} with other options.`);
      }
      return { state: "begun", plan, progress: read(join(directory, progressFile), progress) };
    }
    const others = readdirSync(directory).filter((file) => !file.startsWith(planFile));
    if (others.length > 0) throw occupied(`"${name}" is not empty, and what is in it is no export.`);
    return { state: "free", made: false };
  });
}

/** A file of ours, null if it is not there or not one of ours. */
function read<T>(path: string, schema: z.ZodType<T>): T | null {
  if (!existsSync(path)) return null;
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}

function same(a: ExportOptions, b: ExportOptions): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Writes a file so that it is there whole or not at all. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.new${partial}`;
  const handle = await open(temporary, "w");
  try {
    await handle.writeFile(text, "utf8");
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
}

export function writePlan(directory: string, plan: ExportPlan): Promise<void> {
  return writeWhole(join(directory, planFile), JSON.stringify(plan));
}

export function writeProgress(directory: string, now: Progress): Promise<void> {
  return writeWhole(join(directory, progressFile), JSON.stringify(now));
}

/** Takes away what only an unfinished export needs. */
export async function tidy(directory: string): Promise<void> {
  for (const file of readdirSync(directory)) {
    if (file.endsWith(partial)) await rm(join(directory, file), { force: true });
  }
}

/** Takes away everything of an export that came to nothing, and the directory if it was `made` for it. */
export async function undo(directory: string, made: boolean): Promise<void> {
  await tidy(directory);
  if (made && readdirSync(directory).length === 0) await rmdir(directory);
}
