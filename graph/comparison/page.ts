/** The page and the table of numbers that a comparison writes: markdown and CSV, pure. */
import { type ArmName, arms, type ComparisonSizes } from "./arms.ts";
import type { ArmResult, ComparisonResult, Difference } from "./result.ts";

export interface PageFacts {
  readonly result: ComparisonResult;
  readonly sizes: ComparisonSizes;
  /** The command that made it, as one types it. */
  readonly command: string;
  /** Time at work over all runs, milliseconds, and processes at once. */
  readonly workMs: number;
  readonly workers: number;
}

/** Fractions as per cent with one decimal. */
function percent(value: number): string {
  return (100 * value).toFixed(1);
}

function plusMinus(mean: number, ci95: readonly [number, number] | null): string {
  return ci95 === null ? percent(mean) : `${percent(mean)} ± ${percent((ci95[1] - ci95[0]) / 2)}`;
}

/** Whether an interval lies on one side of 0. */
export function isClear({ ci95 }: Pick<Difference, "ci95">): boolean {
  return ci95 !== null && (ci95[0] > 0 || ci95[1] < 0);
}

function said(difference: Difference | undefined): string {
  return difference === undefined ? "–" : plusMinus(difference.mean, difference.ci95);
}

function nameOf({ arm, poolSize }: ArmResult): string {
  return poolSize > 0 ? `${arm} (${poolSize})` : arm;
}

/** A sentence on what the table says of each arm: which ones make a difference, and which make none that can be seen. */
function readings(result: ComparisonResult): string[] {
  const named = (list: readonly Difference[]): string =>
    list.map(({ minus, mean }) => `\`${minus}\` (${percent(mean)})`).join(", ");
  const better = result.differences.filter((one) => isClear(one) && one.mean > 0);
  const worse = result.differences.filter((one) => isClear(one) && one.mean < 0);
  const unclear = result.differences.filter((one) => !isClear(one));
  return [
    better.length === 0
      ? "The full method beats no arm with an interval that excludes 0."
      : `The full method is ahead, with an interval that excludes 0, of ${named(better)}.`,
    ...(worse.length === 0 ? [] : [`It is behind, with an interval that excludes 0, ${named(worse)}.`]),
    ...(unclear.length === 0 ? [] : [`No difference can be told from 0 for ${named(unclear)}.`]),
  ];
}

export function resultsPage({ result, sizes, command, workMs, workers }: PageFacts): string {
  const { seeds, setId } = result;
  const { rounds, envs, plays, hintedPlays, evaluations } = sizes;
  const of = (arm: ArmName): Difference | undefined => result.differences.find(({ minus }) => minus === arm);
  const rows = result.arms.map((one) =>
    [
      nameOf(one),
      plusMinus(one.heldOut.mean, one.heldOut.ci95),
      one.arm === "full" ? "–" : said(of(one.arm)),
      Math.round(one.episodes).toLocaleString("en"),
      Math.round(one.turns).toLocaleString("en"),
      Math.round(one.updates).toLocaleString("en"),
    ].join(" | "),
  );
  const pools = result.arms.filter((one) => one.pools.length > 0);
  return `# Results

Made by \`${command}\`; do not edit by hand.

What each part of the method is worth to the embedded policy, a small trainable policy of the project's own
([learning.md](learning.md) says what it is): it is no language model, and these numbers say nothing of one. Each run is a campaign of ${rounds} rounds of ${envs} environments
and ${plays} plays each (${plays - hintedPlays} plain and ${hintedPlays} hinted where an arm has hints), in the sandbox, with an update after every round. Every arm has the same
number of episodes, the same turns allowed and the same number of updates, and learns at the same rates.
Success is the fraction of ${evaluations} held-out environments (set \`${setId}\`: mechanics, sizes and themes that the designer never writes) that are won in one plain play
after the last round. Seeds ${seeds[0]} to ${seeds.at(-1)} (${seeds.length}); all differences are paired by seed; intervals are 95 % by Student's t.

| arm | held-out success, % | full − arm, points | episodes | turns taken | updates |
|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join("\n")}

${readings(result).join("\n")}
${pools.map((one) => `\nPools of \`${one.arm}\`: ${one.pools.map(({ poolSize, mean }) => `${poolSize} environments ${percent(mean)} %`).join(", ")}; the best one speaks for the arm.`).join("")}

| arm | what it is |
|---|---|
${result.arms.map(({ arm }) => `| \`${arm}\` | ${arms[arm].what} |`).join("\n")}

![Learning curves](learning-curves.png)

The curves' numbers are in [learning-curves.csv](learning-curves.csv), every run's in [results-runs.jsonl](results-runs.jsonl). All runs together took ${(workMs / 3_600_000).toFixed(1)} hours of work, ${workers} at a time.
`;
}

/** One line a point of a curve; fractions. */
export function curvesCsv({ arms: results }: ComparisonResult): string {
  const lines = results.flatMap((one) =>
    one.curve.map(({ after, mean, low, high }) =>
      [one.arm, one.poolSize, after, mean, low ?? "", high ?? ""].join(","),
    ),
  );
  return `${["arm,pool_size,rounds,held_out_success,ci95_low,ci95_high", ...lines].join("\n")}\n`;
}
