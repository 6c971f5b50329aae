/** Where a comparison keeps what it has: an outcome a run, and the labs of runs that are not finished. */

import { hash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ComparisonRun, type ComparisonSizes, runName } from "../../graph/comparison/arms.ts";
import { type RunOutcome, runOutcome } from "../../graph/comparison/lab.ts";
import { heldOutSet } from "../../graph/evaluation/held-out-set.ts";
import { defaultSettings } from "../../graph/trainers/embedded/update.ts";

export interface ComparisonFiles {
  /** All of it. */
  readonly dir: string;
  /** The data directory of a run. */
  lab(run: ComparisonRun): string;
  /** Null if the run is not finished, or its file is not one of ours. */
  read(run: ComparisonRun): RunOutcome | null;
  /** Keeps the outcome whole or not at all, and clears away the run's lab. */
  keep(run: ComparisonRun, outcome: RunOutcome): void;
}

/**
 * Outcomes are found again by what they depend on: sizes, held-out set, and the settings of the updates. A comparison
 * that asks for more seeds or arms goes on with those that are there.
 */
export function comparisonFiles(dataDir: string, sizes: ComparisonSizes): ComparisonFiles {
  const key = hash("sha256", JSON.stringify([sizes, heldOutSet().id, defaultSettings])).slice(0, 8);
  const dir = join(dataDir, "comparisons", `${sizes.rounds}x${sizes.envs}-${key}`);
  const outcomePath = (run: ComparisonRun): string => join(dir, `${runName(run)}.json`);
  const lab = (run: ComparisonRun): string => join(dir, "labs", runName(run));
  mkdirSync(join(dir, "labs"), { recursive: true });
  return {
    dir,
    lab,
    read(run) {
      try {
        const read = runOutcome.safeParse(JSON.parse(readFileSync(outcomePath(run), "utf8")));
        return read.success ? read.data : null;
      } catch {
        return null;
      }
    },
    keep(run, outcome) {
      const path = outcomePath(run);
      writeFileSync(`${path}.new`, `${JSON.stringify(outcome, null, 2)}\n`);
      renameSync(`${path}.new`, path);
      rmSync(lab(run), { recursive: true, force: true });
    },
  };
}
