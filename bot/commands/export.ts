/** `export`: what was played, as files that other trainers read. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import { arm } from "../../config/words.ts";
import type { DataCard } from "../../graph/export/card.ts";
import {
  defaultShardMb,
  exportFormat,
  hintHandling,
  pairing,
  rowUnit,
  settleOptions,
  toolPlace,
} from "../../graph/export/options.ts";
import type { Caller } from "../caller.ts";
import type { CardFile } from "../cards/card.ts";
import { emptyExportCard, exportCard } from "../cards/export-card.ts";
import { type Answer, defineCommand } from "./command.ts";
import type { OptionDefinition } from "./option.ts";

/** The lab's own folder of exports, in its data directory. */
const exportsFolder = "exports";
/** Bytes of an export that chat still attaches, all files together. */
const attachedBytes = 4_000_000;
const attachedFiles = 6;

/** A number with decimals. Surfaces ask for it as a text: their number fields take whole ones. */
function decimal(least: number, most: number) {
  const takes = `a number from ${least} to ${most}`;
  const fits = (given: string): boolean => Number(given) >= least && Number(given) <= most;
  return z
    .string()
    .trim()
    .regex(/^-?\d+(\.\d+)?$/)
    .refine(fits)
    .describe(takes)
    .transform(Number);
}

const options = {
  format: {
    kind: "choice",
    summary: "what the files are for",
    schema: exportFormat,
  },
  out: {
    kind: "text",
    summary: "the directory to write into",
    schema: z.string().min(1).optional(),
    placeholder: "DIR",
    fallback: `a folder of its own below ${exportsFolder}/ in the data directory`,
    surfaces: ["command-line", "terminal"],
  },
  name: {
    kind: "text",
    summary: "the folder's name in the lab's exports",
    schema: z
      .string()
      .trim()
      .regex(/^[a-z0-9][a-z0-9-]{0,59}$/)
      .describe("up to 60 small letters, digits and dashes")
      .optional(),
    placeholder: "NAME",
    fallback: "made of the format and the data",
    surfaces: ["discord"],
  },
  rounds: {
    kind: "round",
    summary: "only these rounds, or plays of people",
    schema: z
      .array(z.string().trim().min(1))
      .min(1)
      .transform((given) => given.flatMap((one) => one.split(",")).filter((one) => one !== ""))
      .optional(),
    many: true,
    placeholder: "ID",
    fallback: "every round that is over",
  },
  arm: {
    kind: "choice",
    summary: "only these arms",
    schema: z.array(arm).min(1).optional(),
    many: true,
    placeholder: "ARM",
    fallback: "plain, and hinted ones as --hint says; episodes: all",
  },
  minReturn: {
    kind: "text",
    summary: "the least return; of a pair, that of its better play",
    schema: decimal(-1, 1).optional(),
    placeholder: "X",
    fallback: "any",
  },
  hint: {
    kind: "choice",
    summary: "leave hinted episodes out, keep hints in their prompts, or take them out of them",
    schema: hintHandling.optional(),
    fallback: "exclude; episodes: keep",
  },
  per: {
    kind: "choice",
    summary: "trl-dpo, trl-kto: one row a play, or rows that end with one answer",
    schema: rowUnit.optional(),
    fallback: "episode",
  },
  pairs: {
    kind: "choice",
    summary: "which plays may be a pair: of one seed, or of one first observation",
    schema: pairing.optional(),
    fallback: "same-seed",
  },
  labelReturn: {
    kind: "text",
    summary: "trl-kto: the return from which a play is good",
    schema: decimal(-1, 1).optional(),
    placeholder: "X",
    fallback: "1",
  },
  tools: {
    kind: "choice",
    summary: "tools in a field of their own, or in the system message as the agent is told them",
    schema: toolPlace.optional(),
    fallback: "column",
  },
  parquet: {
    kind: "switch",
    summary: "Parquet files in place of JSON lines: trl-sft, trl-dpo, trl-kto, tokens",
    schema: z.boolean().optional(),
  },
  shardMb: {
    kind: "text",
    summary: "size of one file at most, MB",
    schema: decimal(0.001, 100_000).optional(),
    placeholder: "MB",
    fallback: String(defaultShardMb),
    surfaces: ["command-line", "terminal"],
  },
} as const satisfies Record<string, OptionDefinition>;

/** The files themselves, where chat can hand them over; none if they are too large for that. */
async function attachments(directory: string, card: DataCard, caller: Caller): Promise<CardFile[]> {
  if (caller.surface !== "discord") return [];
  if (card.options.parquet || card.bytes > attachedBytes || card.files.length > attachedFiles) return [];
  const names = [...card.files.map(({ name }) => name), "README.md"];
  return Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(directory, name), "utf8") })),
  );
}

export const exportEpisodes = defineCommand({
  name: "export",
  summary: "Write episodes as files that other trainers read, with a data card",
  details:
    "A stopped export goes on where it was when the same command is given again, and the same data and options give the same files to the byte.",
  examples: [
    "export --format trl-sft --out sft --min-return 1",
    "export --format trl-dpo --out pairs --hint drop",
    "export --format episodes --out all --rounds r1 r2",
  ],
  role: "admin",
  options,
  async run(values, caller, context): Promise<Answer> {
    const asked = settleOptions({ ...values, arms: values.arm });
    if (caller.surface === "discord" && values.out !== undefined) {
      throw new InputError(
        "input.bad-option",
        "From chat, exports go into the lab's own folder: give a name.",
      );
    }
    const services = await context.services();
    const { planExport, planName } = await import("../../graph/export/plan.ts");
    const { exportData } = await import("../../graph/export/export.ts");
    const plan = await planExport(services.store, asked);
    const name = values.name ?? planName(plan);
    const { dataDir } = services.config;
    const directory = resolve(values.out ?? join(dataDir, exportsFolder, name));
    const outcome = await exportData(services, plan, directory, { signal: context.drainable() });
    if (outcome.state === "empty") {
      const { leftOut, unfinished } = outcome;
      return {
        card: emptyExportCard(asked.format, leftOut, unfinished),
        json: { state: outcome.state, rows: 0, leftOut, unfinishedRounds: unfinished },
        exit: 3,
      };
    }
    const { audit } = await import("../../graph/decisions.ts");
    const { state, card } = outcome;
    if (state === "written") await audit(services, caller.name, "export", asked.format, `${card.rows} rows`);
    // Chat does not show the paths of the lab's machine.
    const where =
      caller.surface === "discord" ? `${exportsFolder}/${name} in the lab's data directory` : directory;
    const files = await attachments(directory, card, caller);
    return {
      card: exportCard({ data: card, where, wasThere: state === "was-there", files }),
      json: { state, directory: where, ...card },
    };
  },
});
