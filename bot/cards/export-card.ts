/** The card of an export: its data card in short, where the files are, and why something is missing. */
import { type DataCard, leftOutWords } from "../../graph/export/card.ts";
import { type ExportFormat, isPaired } from "../../graph/export/options.ts";
import { type Block, type Card, type CardFile, card, field, fields, text } from "./card.ts";
import { counted, grouped, score } from "./numbers.ts";

/** What the hint handling means for the rows. */
const hints = {
  exclude: "hinted episodes left out",
  keep: "left in the prompts",
  drop: "taken out of the prompts",
} as const;

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${grouped(count)}`)
    .join(", ");
}

/** Bytes as people read them: `12 kB`, `3.4 MB`. */
function size(bytes: number): string {
  if (bytes < 1_000_000) return `${grouped(Math.ceil(bytes / 1_000))} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function missing(leftOut: Readonly<Record<string, number>>, unfinished: readonly string[]): Block[] {
  const lines = Object.entries(leftOut).map(
    ([reason, count]) => `${grouped(count)}: ${leftOutWords[reason] ?? reason}`,
  );
  if (unfinished.length > 0) {
    const named = unfinished.slice(0, 10).join(", ");
    lines.push(
      `${counted(unfinished.length, "round")} not over: ${named}${unfinished.length > 10 ? ", …" : ""}`,
    );
  }
  return lines.length === 0 ? [] : [text(`Not in it:\n${lines.join("\n")}`)];
}

export interface WrittenExport {
  readonly data: DataCard;
  /** Where the files are, in words. */
  readonly where: string;
  /** Whether it had been finished before. */
  readonly wasThere: boolean;
  readonly files: readonly CardFile[];
}

export function exportCard({ data, where, wasThere, files }: WrittenExport): Card {
  const { counts } = data;
  const known = counts.groups;
  return card(`Export ${data.format}: ${counted(data.rows, "row")}`, {
    tone: "good",
    blocks: [
      text(
        wasThere
          ? `This export was there already; nothing was written. It is in ${where}.`
          : `Written to ${where}.`,
      ),
      fields(
        field(
          "made of",
          `${counted(counts.episodes, "episode")} of ${counted(counts.environments, "environment")}`,
        ),
        field("rounds", grouped(counts.rounds)),
        field("arms", listed(counts.arms)),
        field("models", listed(counts.models)),
        field("policy", listed(counts.policyVersions)),
        field("mean return", score(counts.meanReturn)),
        field("hints", hints[data.options.hint]),
        known === null
          ? null
          : field("pairs", `${grouped(known.paired)} of ${counted(known.looked, "group")}`),
        field(
          "documents",
          data.documents.length === 0 ? "none" : `${grouped(data.documents.length)}, licence unknown`,
        ),
        field("size", `${size(data.bytes)} in ${counted(data.files.length, "file")}`),
      ),
      ...missing(counts.leftOut, data.unfinishedRounds),
    ],
    files,
  });
}

/** What helps when nothing fits. */
function advice(format: ExportFormat, leftOut: Readonly<Record<string, number>>): string {
  if ((leftOut["no-tokens"] ?? 0) > 0) {
    return "These episodes hold no sampled tokens: the embedded policy makes decisions, and most providers keep their tokens to themselves. Play with a model that reports them (tinker:NAME), or export trl-sft.";
  }
  if (isPaired(format) && Object.keys(leftOut).length > 0) {
    const drop =
      (leftOut.hinted ?? 0) > 0 ? " Hinted plays help where plain ones fail: hint drop takes them in." : "";
    return `A pair needs two plays of one instance with different returns: play rounds with plays-per-seed 4, or pair plays of different seeds whose first observations read the same with pairs same-prompt.${drop}`;
  }
  if ((leftOut.hinted ?? 0) > 0) {
    return "The option hint says whether hints are kept in the prompts or dropped from them.";
  }
  if ((leftOut["below-min-return"] ?? 0) > 0) return "Ask for a lower return.";
  if (format === "episodes") return "Play a round first.";
  return "Play a round first, or ask for other rounds or arms.";
}

export function emptyExportCard(
  format: ExportFormat,
  leftOut: Readonly<Record<string, number>>,
  unfinished: readonly string[],
): Card {
  return card(`Export ${format}: no row`, {
    tone: "warning",
    blocks: [
      text("No episode fits what was asked for, and nothing was written."),
      ...missing(leftOut, unfinished),
      text(advice(format, leftOut)),
    ],
  });
}
