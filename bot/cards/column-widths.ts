/** How wide the columns of a card's table are drawn where every character has one width. */
import stringWidth from "string-width";
import type { Block, Column } from "./card.ts";

export type TableBlock = Extract<Block, { type: "table" }>;

const widest = (texts: readonly string[]): number =>
  Math.max(0, ...texts.flatMap((text) => text.split("\n")).map((line) => stringWidth(line)));

/**
 * Characters of each column, for a table of `width` characters of which `frame` are lines and gaps: the widest
 * squeezable one gives way first, never below its least width, so the table can stay wider than asked for.
 */
export function columnWidths(block: TableBlock, width: number, frame: number): number[] {
  const widths = block.columns.map((column, at) =>
    widest([column.title, ...block.rows.map((row) => row.cells[at] ?? "")]),
  );
  const least = (column: Column, natural: number): number => Math.min(natural, column.squeezeTo ?? natural);
  const leasts = block.columns.map((column, at) => least(column, widths[at] ?? 0));
  let over = widths.reduce((sum, one) => sum + one, frame) - width;
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
