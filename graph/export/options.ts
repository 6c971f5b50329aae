/** What an export is asked for: its format, which episodes are in it, and what becomes of hints in their prompts. */
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import { type Arm, arm } from "../../config/words.ts";

export const exportFormat = z.enum([
  "trl-sft",
  "trl-dpo",
  "trl-kto",
  "openai-dpo",
  "tokens",
  "verifiers",
  "episodes",
]);
export type ExportFormat = z.infer<typeof exportFormat>;

/** `exclude` leaves hinted episodes out, `keep` leaves the hint in the prompt, `drop` takes it out of the prompt. */
export const hintHandling = z.enum(["exclude", "keep", "drop"]);
export type HintHandling = z.infer<typeof hintHandling>;

/** `column` puts a task's tools where the format has a place for them, `prompt` leaves them in the system message. */
export const toolPlace = z.enum(["column", "prompt"]);

/** `episode` makes one row of a play, `turn` rows that end with one answer of the agent. */
export const rowUnit = z.enum(["episode", "turn"]);

/** Which plays may be a pair: of one instance alone, or of all instances whose first observations read the same. */
export const pairing = z.enum(["same-seed", "same-prompt"]);

/** Everything that decides what an export's files hold, besides the lab's data. Kept with the export. */
export const exportOptions = z.strictObject({
  format: exportFormat,
  /** Rounds, and people's plays, by id; null = all. */
  rounds: z.array(z.string()).nullable(),
  arms: z.array(arm).min(1),
  hint: hintHandling,
  /** The least return of an episode; of a pair, that of the chosen one. Null = any. */
  minReturn: z.number().nullable(),
  tools: toolPlace,
  per: rowUnit,
  pairs: pairing,
  /** The return from which `trl-kto` labels a play as good. */
  labelReturn: z.number(),
  /** Size at which a file ends and the next begins, bytes. */
  shardBytes: z.number().int().positive(),
  /** Tables in place of JSON lines. */
  parquet: z.boolean(),
});
export type ExportOptions = z.infer<typeof exportOptions>;

/** What a person said; the rest is settled by the format. */
export interface AskedExport {
  readonly format: ExportFormat;
  readonly rounds?: readonly string[] | undefined;
  readonly arms?: readonly Arm[] | undefined;
  readonly hint?: HintHandling | undefined;
  readonly minReturn?: number | undefined;
  readonly tools?: z.infer<typeof toolPlace> | undefined;
  readonly per?: z.infer<typeof rowUnit> | undefined;
  readonly pairs?: z.infer<typeof pairing> | undefined;
  readonly labelReturn?: number | undefined;
  readonly shardMb?: number | undefined;
  readonly parquet?: boolean | undefined;
}

/** Small enough to be handed around, large enough that a big export is not thousands of files. */
export const defaultShardMb = 256;
const megabyte = 1_000_000;

const hintedArms: readonly Arm[] = ["hinted", "hinted-human"];
/** Formats with a field for tools. */
const withToolColumn: readonly ExportFormat[] = ["trl-sft", "openai-dpo", "verifiers"];
/** Formats whose rows are alike enough for a table. */
export const tableFormats = [
  "trl-sft",
  "trl-dpo",
  "trl-kto",
  "tokens",
] as const satisfies readonly ExportFormat[];
const pairFormats: readonly ExportFormat[] = ["trl-dpo", "openai-dpo"];

/** Whether rows of a format are made of two plays each. */
export function isPaired(format: ExportFormat): boolean {
  return pairFormats.includes(format);
}

const refuse = (sentence: string): InputError => new InputError("input.bad-option", sentence);

/**
 * The options with every default settled. Episodes whose prompt held a hint are in it only where that was said; whole
 * episodes are no prompts to train on, so `episodes` has them all. Throws `input.bad-option` for what contradicts itself.
 */
export function settleOptions(asked: AskedExport): ExportOptions {
  const { format } = asked;
  const whole = format === "episodes";
  if (whole && asked.hint !== undefined && asked.hint !== "exclude" && asked.hint !== "keep") {
    throw refuse("Episodes are exported whole: for them the option hint takes keep or exclude.");
  }
  const hint = asked.hint ?? (whole ? "keep" : "exclude");
  const arms = armsOf(asked, hint);
  if (format === "tokens" && hint === "drop") {
    throw refuse(
      "Sampled tokens are exported as they were, hint included: with tokens the option hint takes exclude or keep.",
    );
  }
  const only = (given: unknown, flag: string, formats: readonly ExportFormat[]): void => {
    if (given !== undefined && !formats.includes(format)) {
      throw refuse(`The option ${flag} is for ${formats.join(", ")}; it says nothing about ${format}.`);
    }
  };
  only(asked.per, "per", ["trl-dpo", "trl-kto"]);
  only(asked.pairs, "pairs", pairFormats);
  only(asked.parquet === true ? true : undefined, "parquet", tableFormats);
  only(asked.labelReturn, "label-return", ["trl-kto"]);
  only(asked.tools, "tools", withToolColumn);
  if (format === "verifiers" && asked.shardMb !== undefined) {
    throw refuse("The readers of verifiers look for one results.jsonl: it takes no shard-mb.");
  }
  // Parsed, so that equal options read the same wherever they come from.
  return exportOptions.parse({
    format,
    rounds: asked.rounds === undefined ? null : sortedIds(asked.rounds),
    arms,
    hint,
    minReturn: asked.minReturn ?? null,
    tools: asked.tools ?? (withToolColumn.includes(format) ? "column" : "prompt"),
    per: asked.per ?? "episode",
    pairs: asked.pairs ?? "same-seed",
    labelReturn: asked.labelReturn ?? 1,
    parquet: asked.parquet ?? false,
    shardBytes:
      format === "verifiers"
        ? Number.MAX_SAFE_INTEGER
        : Math.round((asked.shardMb ?? defaultShardMb) * megabyte),
  });
}

function armsOf({ arms: asked, format }: AskedExport, hint: HintHandling): Arm[] {
  if (asked !== undefined) {
    const hinted = asked.filter((one) => hintedArms.includes(one));
    if (hint === "exclude" && hinted.length > 0) {
      throw refuse(
        `The arm ${hinted.join(" ")} holds hints in its prompts: the option hint says whether to keep them there or to drop them.`,
      );
    }
    return arm.options.filter((one) => asked.includes(one));
  }
  const all: readonly Arm[] = format === "episodes" ? arm.options : ["plain", ...hintedArms];
  return all.filter((one) => hint !== "exclude" || !hintedArms.includes(one));
}

/** Each once, `r2` before `r10`. */
export function sortedIds(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort(byNumber);
}

const collator = new Intl.Collator("en", { numeric: true });

function byNumber(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}
