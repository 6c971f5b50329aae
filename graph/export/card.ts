/** The data card of an export: what is in it, where it comes from, and how it was chosen. For people and for programs. */
import { z } from "zod";
import type { Store } from "../../store/store.ts";
import { type ExportOptions, exportFormat, exportOptions, isPaired } from "./options.ts";
import type { ExportPlan } from "./plan.ts";
import type { FinishedFile } from "./shards.ts";
import { type Tally, tallySchema } from "./tally.ts";

const cardDocument = z.object({
  id: z.string(),
  title: z.string(),
  /** A link as it was given; of a file its name alone. */
  origin: z.string(),
  licence: z.string(),
});

export const dataCard = z.object({
  format: exportFormat,
  options: exportOptions,
  rows: z.number().int(),
  bytes: z.number().int(),
  files: z.array(z.object({ name: z.string(), rows: z.number().int(), bytes: z.number().int() })),
  counts: tallySchema
    .pick({ episodes: true, models: true, policyVersions: true, arms: true, kinds: true, skills: true })
    .extend({
      rounds: z.number().int(),
      environments: z.number().int(),
      hints: tallySchema.shape.hints,
      leftOut: tallySchema.shape.leftOut,
      groups: z.object({ looked: z.number().int(), paired: z.number().int() }).nullable(),
      rowsWithoutSpread: z.number().int(),
      meanReturn: z.number().nullable(),
    }),
  rounds: z.array(z.string()),
  unfinishedRounds: z.array(z.string()),
  /** When the episodes were played: equal data gives an equal card, whenever it is written. */
  playedFrom: z.string(),
  playedTo: z.string(),
  documents: z.array(cardDocument),
});
export type DataCard = z.infer<typeof dataCard>;

/** What is known of a document's licence: people add documents without one. */
const unknownLicence = "unknown";

/** The last part of a path: what is above it is the affair of the machine it was read on. */
function shownOrigin(origin: string): string {
  if (/^https?:\/\//i.test(origin)) return origin;
  return origin.split(/[/\\]/).findLast((part) => part !== "") ?? origin;
}

export async function cardOf(
  store: Pick<Store, "documents">,
  plan: ExportPlan,
  tally: Tally,
  files: readonly FinishedFile[],
): Promise<DataCard> {
  const documents: DataCard["documents"] = [];
  for (const id of tally.documents.toSorted()) {
    const found = await store.documents.get(id);
    documents.push({
      id,
      title: found?.title ?? "",
      origin: found === null ? "no longer in the corpus" : shownOrigin(found.origin),
      licence: unknownLicence,
    });
  }
  return {
    format: plan.options.format,
    options: plan.options,
    rows: tally.rows,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    files: files.map((file) => ({ ...file })),
    counts: {
      rounds: tally.rounds.length,
      environments: tally.environments.length,
      episodes: tally.episodes,
      models: sorted(tally.models),
      policyVersions: sorted(tally.policyVersions),
      arms: sorted(tally.arms),
      kinds: sorted(tally.kinds),
      skills: sorted(tally.skills),
      hints: sorted(tally.hints),
      leftOut: sorted(tally.leftOut),
      groups: isPaired(plan.options.format) ? { looked: tally.groups, paired: tally.pairedGroups } : null,
      rowsWithoutSpread: tally.withoutSpread,
      meanReturn: tally.episodes === 0 ? null : tally.returns / tally.episodes,
    },
    rounds: tally.rounds,
    unfinishedRounds: plan.unfinished,
    playedFrom: new Date(tally.from).toISOString(),
    playedTo: new Date(tally.to).toISOString(),
    documents,
  };
}

function sorted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Why something is not in an export, as people read it. */
export const leftOutWords: Readonly<Record<string, string>> = {
  failed: "episodes that failed for reasons of the lab's own",
  "below-min-return": "under the least return",
  hinted: "episodes whose prompt held a hint",
  "hint-not-found": "hinted episodes whose hint could not be found in the prompt, to take it out",
  "no-turns": "episodes that ended before their first turn",
  "tools-unknown": "people's plays whose tools are not known: no agent has played there",
  "no-tokens": "episodes without sampled tokens",
  "single-play": "groups with one play: there is nothing to compare it with",
  "same-return": "groups whose plays all had the same return",
  "same-answers": "groups whose best and worst play gave the same answers",
  "other-observations": "groups whose plays were shown different things",
};

const hintWords: Readonly<Record<ExportOptions["hint"], string>> = {
  exclude: "Episodes whose prompt held a hint are left out; no row holds one.",
  keep: "Hints are left in: `promptHoldsHint` in index.jsonl says which rows hold one.",
  drop: "Hints are taken out of the prompts: `hint` in index.jsonl is `dropped` where the player had seen one, and its answers may speak of it.",
};

function listed(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).map(([name, count]) => `${inline(name)} (${count})`);
  return entries.length === 0 ? "none" : entries.join(", ");
}

/** Text from outside on one line of Markdown, without markup. */
function inline(text: string): string {
  return text.replaceAll(/[\s|]+/g, " ").replaceAll(/[<>[\]`*_\\]/g, "\\$&");
}

const shownDocuments = 100;

/** The card as the README of the export. */
export function readmeOf(card: DataCard): string {
  const { counts, options } = card;
  const filters = [
    `rounds: ${options.rounds === null ? "all that are over" : options.rounds.join(", ")}`,
    `arms: ${options.arms.join(", ")}`,
    `least return: ${options.minReturn ?? "any"}`,
    `hints: ${options.hint}`,
    ...(card.format === "trl-kto" ? [`good from a return of ${options.labelReturn}`] : []),
    ...(isPaired(card.format) ? [`pairs: ${options.pairs}`] : []),
    `rows: ${card.format === "openai-dpo" ? "turn" : options.per}`,
    `tools: ${options.tools}`,
    ...(card.format === "verifiers"
      ? []
      : [
          `files: ${options.parquet ? "Parquet" : "JSON lines"}, at most ${options.shardBytes / 1_000_000} MB of JSON each`,
        ]),
  ];
  const pairs =
    counts.groups === null
      ? []
      : [
          `- pairs: ${counts.groups.paired} of ${counts.groups.looked} groups gave one, the best and the worst play; ${counts.groups.looked - counts.groups.paired} gave none`,
        ];
  const left = Object.entries(counts.leftOut).map(
    ([reason, count]) => `- ${count}: ${leftOutWords[reason] ?? reason}`,
  );
  const documents = card.documents
    .slice(0, shownDocuments)
    .map(({ id, title, origin, licence }) => `| ${id} | ${inline(title)} | ${inline(origin)} | ${licence} |`);
  const data =
    card.format === "verifiers" ? "results.jsonl" : `data-*.${options.parquet ? "parquet" : "jsonl"}`;
  return `---
license: unknown
configs:
  - config_name: default
    data_files: "${data}"
---

# ${card.format}: ${card.rows} rows

Episodes of a self-play lab (Spadework): a model designs environments and plays them. \`card.json\` says the same for programs.

- rows: ${card.rows}, in ${card.files.map(({ name }) => name).join(", ")}
- episodes: ${counts.episodes}
- environments: ${counts.environments}
- rounds: ${counts.rounds}
- played: ${card.playedFrom} to ${card.playedTo}
- models: ${listed(counts.models)}
- policy versions: ${listed(counts.policyVersions)}
- arms: ${listed(counts.arms)}
- kinds: ${listed(counts.kinds)}
- skills: ${listed(counts.skills)}
- mean return: ${counts.meanReturn === null ? "none" : counts.meanReturn.toFixed(3)}
${[...pairs, `- rows whose group has no spread of returns: ${counts.rowsWithoutSpread}`].join("\n")}

## Filters

${filters.map((line) => `- ${line}`).join("\n")}

${hintWords[options.hint]}

## Left out

${left.length === 0 ? "Nothing." : left.join("\n")}

Rounds that are not over: ${card.unfinishedRounds.length === 0 ? "none" : card.unfinishedRounds.join(", ")}.

## Where the environments come from

The licence of the transcripts is for whoever ran the lab to say. The designs were grounded on the documents below, whose licences
the lab does not know.

${card.documents.length === 0 ? "No documents." : `| id | title | origin | licence |\n|---|---|---|---|\n${documents.join("\n")}`}
${card.documents.length > shownDocuments ? `\nand ${card.documents.length - shownDocuments} more, in card.json.\n` : ""}
## Provenance

\`index.jsonl\` has one line for each row, in the same order: the file and line it is on, and for each episode in it the id, round,
environment, arm, seed, model, policy version, return, and whether the prompt holds a hint.
`;
}
