/** A card's table as text: columns are squeezed and their cells wrapped until the table fits the width. */
import Table from "cli-table3";
import type { createColors } from "picocolors";
import stringWidth from "string-width";
import type { Block, Column } from "../cards/card.ts";
import { harmless } from "../cards/harmless.ts";
import { wrap } from "./wrap.ts";

type Colors = ReturnType<typeof createColors>;
type TableBlock = Extract<Block, { type: "table" }>;

/** Spaces and lines that a table of n columns puts around its cells. */
const frame = (columns: number): number => columns * 3 + 1;

const widest = (texts: readonly string[]): number =>
  Math.max(0, ...texts.flatMap((text) => text.split("\n")).map((line) => stringWidth(line)));

/** Character widths of the columns: the widest squeezable one gives way first, never below its least width. */
export function columnWidths(block: TableBlock, width: number): number[] {
  const widths = block.columns.map((column, at) =>
    widest([column.title, ...block.rows.map((row) => row.cells[at] ?? "")]),
  );
  const least = (column: Column, natural: number): number => Math.min(natural, column.squeezeTo ?? natural);
  const leasts = block.columns.map((column, at) => least(column, widths[at] ?? 0));
  let over = widths.reduce((sum, one) => sum + one, frame(widths.length)) - width;
  while (over > 0) {
    const at = widths.reduce((best, one, here) => {
      if (one <= (leasts[here] ?? 0)) return best;
      return best < 0 || one > (widths[best] ?? 0) ? here : best;
    }, -1);
    if (at < 0) break;
    widths[at] = (widths[at] ?? 0) - 1;
    over -= 1;
  }
  return widths;
}

export function renderTable(block: TableBlock, width: number, colors: Colors): string {
  const clean: TableBlock = {
    ...block,
    rows: block.rows.map((row) => ({
      cells: row.cells.map(harmless),
      ...(row.rest === undefined ? {} : { rest: harmless(row.rest) }),
    })),
  };
  const widths = columnWidths(clean, width);
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
