/** `compare`: what each part of the method is worth, measured on the embedded policy. */
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { SpadeworkError } from "../../config/errors.ts";
import { type ArmName, armNames, type ComparisonSizes, runsOf } from "../../graph/comparison/arms.ts";
import { comparisonCard } from "../cards/comparison-card.ts";
import { defineCommand } from "./command.ts";
import type { OptionDefinition, OptionValues } from "./option.ts";

/** Small enough for all arms and ten seeds in two hours on two cores (docs/results.md says what they took). */
const wholeSizes = {
  rounds: 60,
  envs: 4,
  plays: 16,
  hintedPlays: 4,
  evaluateEvery: 20,
  evaluations: 300,
} as const satisfies ComparisonSizes;

/** A look at two arms within minutes. */
const quick = { rounds: 30, seeds: 3, arms: ["full", "fixed-pool"], evaluateEvery: 10 } as const;

const options = {
  arms: {
    kind: "text",
    summary: "what to compare, separated by commas",
    schema: z
      .array(z.string().min(1))
      .transform((given) => given.flatMap((one) => one.split(",").filter((name) => name !== "")))
      .pipe(z.array(z.enum(armNames)).min(1))
      .optional(),
    many: true,
    placeholder: "ARM",
    fallback: "all of them; --quick: full and fixed-pool",
  },
  seeds: {
    kind: "whole-number",
    summary: "runs of each arm, with the seeds 1, 2, …",
    schema: z.number().int().min(1).max(1_000).optional(),
    placeholder: "N",
    fallback: `10; --quick: ${quick.seeds}`,
  },
  rounds: {
    kind: "whole-number",
    summary: "rounds of each run",
    schema: z.number().int().min(1).max(10_000).optional(),
    placeholder: "N",
    fallback: `${wholeSizes.rounds}; --quick: ${quick.rounds}`,
  },
  quick: {
    kind: "switch",
    summary: "two arms, three seeds, half the rounds: a look within minutes",
    schema: z.boolean().default(false),
  },
  workers: {
    kind: "whole-number",
    summary: "runs at once, each in processes of its own",
    schema: z.number().int().min(1).max(256).optional(),
    placeholder: "N",
    fallback: "one a core",
  },
  out: {
    kind: "text",
    summary: "a directory for the page, the curves as numbers and picture, and every run",
    schema: z.string().min(1).optional(),
    placeholder: "DIR",
    fallback: "the comparison's own folder in the data directory",
  },
} as const satisfies Record<string, OptionDefinition>;

type Values = OptionValues<typeof options>;

function settled(values: Values): {
  readonly sizes: ComparisonSizes;
  readonly names: readonly ArmName[];
  readonly seeds: readonly number[];
} {
  const rounds = values.rounds ?? (values.quick ? quick.rounds : wholeSizes.rounds);
  const every = values.quick ? quick.evaluateEvery : wholeSizes.evaluateEvery;
  const names = new Set<ArmName>(values.arms ?? (values.quick ? quick.arms : armNames));
  const count = values.seeds ?? (values.quick ? quick.seeds : 10);
  return {
    sizes: { ...wholeSizes, rounds, evaluateEvery: every },
    names: armNames.filter((name) => names.has(name)),
    seeds: Array.from({ length: count }, (_, i) => i + 1),
  };
}

/** The command as one types it, for the page that it writes. */
function typed({ arms: names, seeds, rounds, quick: isQuick }: Values): string {
  return [
    "bin/spadework compare",
    ...(isQuick ? ["--quick"] : []),
    ...(names === undefined ? [] : [`--arms ${names.join(",")}`]),
    ...(seeds === undefined ? [] : [`--seeds ${seeds}`]),
    ...(rounds === undefined ? [] : [`--rounds ${rounds}`]),
  ].join(" ");
}

export const compare = defineCommand({
  name: "compare",
  summary: "Measure what each part of the method is worth, on the embedded policy",
  details: `Arms: ${armNames.join(", ")}. Runs a campaign for every arm and seed, each in a lab of its own that goes away when it is done, and compares their success on held-out environments. A stopped comparison goes on where it was when the same command is given again, and one with more arms or seeds takes what is there.`,
  examples: ["compare --quick", "compare --arms full,no-memory --seeds 5", "compare --out docs"],
  role: "admin",
  surfaces: ["command-line"],
  options,
  async run(values, _caller, context) {
    const { dataDir } = await context.config();
    const { sizes, names, seeds } = settled(values);
    const runs = runsOf(names, seeds, sizes);
    const [{ comparisonFiles }, { conduct }, { comparisonDisplay }] = await Promise.all([
      import("../comparison/files.ts"),
      import("../comparison/conduct.ts"),
      import("../comparison/progress.ts"),
    ]);
    const files = comparisonFiles(dataDir, sizes);
    const workers = values.workers ?? availableParallelism();
    const stderr = context.serving?.terminal.stderr ?? process.stderr;
    const display = await comparisonDisplay(
      stderr,
      (line) => context.serving?.say(line),
      () => performance.now(),
    );
    const outcomes = await conduct(runs, {
      files,
      sizes,
      workers,
      drain: context.drainable(),
      onProgress: (progress) => display.update(progress),
    }).finally(() => display.stop());
    if (outcomes === null) {
      throw new SpadeworkError("trainer.comparison-interrupted", "The comparison was interrupted.");
    }
    const { comparisonResult } = await import("../../graph/comparison/result.ts");
    const { writeResults } = await import("../comparison/write.ts");
    const result = comparisonResult(outcomes, sizes.rounds);
    const written = await writeResults(
      values.out === undefined ? files.dir : resolve(values.out),
      {
        result,
        sizes,
        command: typed(values),
        workMs: outcomes.reduce((sum, { wallMs }) => sum + wallMs, 0),
        workers,
      },
      outcomes,
    );
    mkdirSync(files.dir, { recursive: true });
    writeFileSync(join(files.dir, "result.json"), `${JSON.stringify(result, null, 2)}\n`);
    return { card: comparisonCard(result, written), json: result };
  },
});
