/** The files that a path stands for: itself, or everything readable in a folder, in a fixed order. */
import { constants, type Dirent } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { InputError } from "../../config/errors.ts";
import { typeOfName } from "./content.ts";

export interface FoundFile {
  readonly path: string;
  readonly size: number;
}

export interface FoundFiles {
  /** Whether the path is a folder: one file that can't be read is then a problem, not the end. */
  readonly folder: boolean;
  readonly files: readonly FoundFile[];
  /** Files of a folder that were passed over because of their type. */
  readonly passedOver: readonly string[];
}

const unvisited = new Set(["node_modules"]);

/**
 * The files at `path`. A folder is read recursively, by name; hidden entries and symbolic links in it are left alone,
 * for they lead out of what the person named. Throws `input.no-such-file`, or `input.bad-document` for a device.
 */
export async function findFiles(path: string): Promise<FoundFiles> {
  const found = await statOf(path);
  if (found.isDirectory()) {
    const files: FoundFile[] = [];
    const passedOver: string[] = [];
    await walk(path, files, passedOver);
    return { folder: true, files, passedOver };
  }
  if (!found.isFile()) throw new InputError("input.bad-document", `${path} is neither a file nor a folder.`);
  return { folder: false, files: [{ path, size: found.size }], passedOver: [] };
}

async function statOf(path: string) {
  try {
    await access(path, constants.R_OK);
    return await stat(path);
  } catch (error) {
    throw new InputError("input.no-such-file", `${path} does not exist or can't be read.`, { cause: error });
  }
}

async function walk(folder: string, files: FoundFile[], passedOver: string[]): Promise<void> {
  const entries = await entriesOf(folder);
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(".") || unvisited.has(entry.name)) continue;
    if (entry.isDirectory()) await walk(path, files, passedOver);
    else if (!entry.isFile()) continue;
    else if (typeOfName(basename(path)) === null) passedOver.push(path);
    else files.push({ path, size: (await stat(path)).size });
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    throw new InputError("input.no-such-file", `${folder} can't be read.`, { cause: error });
  }
}
