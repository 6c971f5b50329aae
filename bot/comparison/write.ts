/** Writes what a comparison found: the page, the curves as numbers and as a picture, and every run. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunOutcome } from "../../graph/comparison/lab.ts";
import { curvesCsv, type PageFacts, resultsPage } from "../../graph/comparison/page.ts";
import { comparisonChart } from "../charts/comparison-chart.ts";

/** The paths of what it wrote. `outcomes`: every run that counts, kept without its rounds, one a line. */
export async function writeResults(
  directory: string,
  facts: PageFacts,
  outcomes: readonly RunOutcome[],
): Promise<readonly string[]> {
  mkdirSync(directory, { recursive: true });
  const { png } = await comparisonChart({
    arms: facts.result.arms.map(({ arm, curve }) => ({
      arm,
      points: curve.map(({ after, mean, low, high }) => ({
        after,
        mean: 100 * mean,
        low: 100 * (low ?? mean),
        high: 100 * (high ?? mean),
      })),
    })),
    measure: "held-out success, %",
  });
  const write = (name: string, content: string | Uint8Array): string => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  return [
    write("results.md", resultsPage(facts)),
    write("learning-curves.csv", curvesCsv(facts.result)),
    write("learning-curves.png", png),
    write(
      "results-runs.jsonl",
      outcomes.map((one) => `${JSON.stringify({ ...one, rounds: [] })}\n`).join(""),
    ),
  ];
}
