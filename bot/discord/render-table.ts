/**
 * Tables for a telephone: columns in a code block where they fit its width, else a list with a line for every row. A
 * telephone breaks the lines of a code block, which tears columns apart.
 */
import stringWidth from "string-width";
import type { Row } from "../cards/card.ts";
import { columnWidths, type TableBlock } from "../cards/column-widths.ts";
import { oneLine } from "../cards/harmless.ts";
import { unknown } from "../cards/numbers.ts";
import { wrap } from "../cards/wrap.ts";
import { shortened } from "./limits-of-text.ts";
import { bold, escaped, fenced, momentsWritten, seen } from "./render-text.ts";

/** Characters of a code block's line on a narrow telephone. */
export const telephoneColumns = 42;

const gap = "  ";
/** Lines of a row at most, for columns to be readable. */
const rowLines = 2;
/** Characters of a cell at most. */
const cellCharacters = 240;

export interface DrawnTable {
  /** The table with only its first `rows` rows. */
  draw(rows: number): string;
  /** Whether some cell was too long to be shown. */
  readonly abridged: boolean;
}

function padded(text: string, width: number, align: "right" | undefined): string {
  const blanks = " ".repeat(Math.max(0, width - stringWidth(text)));
  return align === "right" ? blanks + text : text + blanks;
}

/** The lines of a row: each cell is broken to its column's width, `rest` to what the columns after it have. */
function gridLines(row: Row, block: TableBlock, widths: readonly number[]): string[] {
  const spans = row.cells.map((cell, at) => ({
    width: widths[at] ?? 1,
    align: block.columns[at]?.align,
    lines: wrap(cell, widths[at] ?? 1).split("\n"),
  }));
  const left = widths.slice(row.cells.length);
  if (row.rest !== undefined) {
    const room = left.reduce((sum, one) => sum + one, gap.length * Math.max(0, left.length - 1));
    const width = Math.max(room, 1);
    spans.push({ width, align: undefined, lines: wrap(row.rest, width).split("\n") });
  }
  const height = Math.max(1, ...spans.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    spans
      .map(({ lines, width, align }) => padded(lines[at] ?? "", width, align))
      .join(gap)
      .trimEnd(),
  );
}

function drawGrid(block: TableBlock): ((rows: number) => string) | null {
  const frame = gap.length * (block.columns.length - 1);
  const widths = columnWidths(block, telephoneColumns, frame);
  if (widths.reduce((sum, one) => sum + one, frame) > telephoneColumns) return null;
  const head = gridLines({ cells: block.columns.map(({ title }) => title) }, block, widths);
  const rows = block.rows.map((row) => gridLines(row, block, widths));
  if ([head, ...rows].some((lines) => lines.length > rowLines)) return null;
  const rule = widths.map((width) => "─".repeat(width)).join(gap);
  return (count) => fenced([...head, rule, ...rows.slice(0, count).flat()].join("\n"));
}

function listLine(row: Row, block: TableBlock): string {
  const [first = "", ...others] = row.cells;
  const values = others.map((cell, at) => {
    const column = block.columns[at + 1];
    const title = column?.plain === true ? "" : (column?.title ?? "");
    return cell === "" || cell === unknown ? "" : escaped(`${title} ${cell}`.trim());
  });
  const rest = row.rest === undefined ? "" : escaped(row.rest);
  const said = [...values, rest].filter((part) => part !== "").join(" · ");
  const name = bold(first);
  return `- ${[name, said].filter((part) => part !== "").join(" ") || "…"}`;
}

/** A table as a code block or a list, whichever a telephone shows well. */
export function drawTable(block: TableBlock): DrawnTable {
  let abridged = false;
  const clean = (text: string): string => {
    const line = momentsWritten(oneLine(seen(text)));
    if (line.length > cellCharacters) abridged = true;
    return shortened(line, cellCharacters);
  };
  const cleaned: TableBlock = {
    type: "table",
    columns: block.columns.map((column) => ({ ...column, title: clean(column.title) })),
    rows: block.rows.map(({ cells, rest }) => ({
      cells: cells.slice(0, block.columns.length).map(clean),
      ...(rest === undefined ? {} : { rest: clean(rest) }),
    })),
  };
  const list = (count: number): string =>
    cleaned.rows
      .slice(0, count)
      .map((row) => listLine(row, cleaned))
      .join("\n");
  const draw = drawGrid(cleaned) ?? list;
  return { draw, abridged };
}
