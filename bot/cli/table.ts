/** A card's table as text: columns are squeezed and their cells wrapped until the table fits the width. */
import Table from "cli-table3";
import type { createColors } from "picocolors";
import type { Block } from "../cards/card.ts";
import { columnWidths } from "../cards/column-widths.ts";
import { harmless } from "../cards/harmless.ts";
import { wrap } from "../cards/wrap.ts";

type Colors = ReturnType<typeof createColors>;
type TableBlock = Extract<Block, { type: "table" }>;

/** Spaces and lines that a table of n columns puts around its cells. */
const frame = (columns: number): number => columns * 3 + 1;

export function renderTable(block: TableBlock, width: number, colors: Colors): string {
  const clean: TableBlock = {
    ...block,
    rows: block.rows.map((row) => ({
      cells: row.cells.map(harmless),
      ...(row.rest === undefined ? {} : { rest: harmless(row.rest) }),
    })),
  };
  const widths = columnWidths(clean, width, frame(clean.columns.length));
  const rows = clean.rows.map((row): Table.Cell[] => {
    const cells: Table.Cell[] = row.cells.map((cell, at) => wrap(cell, widths[at] ?? 1));
    const left = widths.slice(cells.length);
    if (row.rest !== undefined && left.length > 0) {
      const room = left.reduce((sum, one) => sum + one, 3 * (left.length - 1));
      cells.push({ content: wrap(row.rest, room), colSpan: left.length, hAlign: "left" });
    }
    return cells;
  });
  // Lines between rows help the eye only where rows have several lines of their own.
  const compact = rows.flat().every((cell) => typeof cell === "string" && !cell.includes("\n"));
  const drawn = new Table({
    head: clean.columns.map((column, at) => colors.bold(wrap(column.title, widths[at] ?? 1))),
    colWidths: widths.map((one) => one + 2),
    colAligns: clean.columns.map((column) => column.align ?? "left"),
    style: { head: [], border: [], compact },
  });
  drawn.push(...rows);
  return drawn.toString();
}
