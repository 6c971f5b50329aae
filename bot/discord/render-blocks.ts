/** The blocks of a card as markdown, each able to be cut with a mark where a message has no room for it. */
import type { Block, Card, Field } from "../cards/card.ts";
import { oneLine } from "../cards/harmless.ts";
import { headOf, longestHead, shortened } from "./limits-of-text.ts";
import { drawTable } from "./render-table.ts";
import { bold, escaped, fenced, isBlank, seen } from "./render-text.ts";

/** A part of a message's text. */
export interface Piece {
  /** All of it. */
  readonly whole: string;
  /** Whether something in it is shortened even then. */
  readonly abridged: boolean;
  /** At most `length` characters of it, ending with `mark`; at least the mark. */
  cut(length: number, mark: string): string;
  /** The file of the card that holds its text anyway; a preview is enough then. */
  readonly wholeIn?: string;
}

/** What a preview shows. */
const preview = { characters: 1_000, lines: 20 };

const titleCharacters = 200;
const nameCharacters = 100;
const empty = "*(empty)*";

/** Characters and rows that are looked at: far more than a message holds, so what is longer is cut in any case. */
const consideredCharacters = 16_000;
const consideredRows = 400;

function joined(text: string, mark: string): string {
  return text === "" ? mark : `${text}\n${mark}`;
}

/** Cuts between words where one ends near the cut. */
function tidy(head: string): string {
  const space = head.search(/\s\S{0,30}$/);
  return space > head.length / 2 ? head.slice(0, space) : head.trimEnd();
}

/** The title of a card as a heading, empty where it has none, and whether it is all of it. */
export function heading(card: Pick<Card, "title">): { readonly text: string; readonly whole: boolean } {
  const line = oneLine(seen(card.title));
  const text = isBlank(line) ? "" : `### ${escaped(shortened(line, titleCharacters))}`;
  return { text, whole: line.length <= titleCharacters };
}

function textPiece(given: string): Piece | null {
  const text = seen(given)
    .replaceAll(/\n(?:[^\S\n]*\n){2,}/g, "\n\n")
    .trim();
  if (isBlank(text)) return null;
  const considered = headOf(text, consideredCharacters);
  return {
    whole: escaped(considered),
    abridged: false,
    cut: (length, mark) => {
      const head = longestHead(considered, length - mark.length - 1, escaped);
      return joined(escaped(tidy(head)), mark);
    },
  };
}

/** A name on one line, shortened where it is longer than names are. */
function nameOf(given: string): { readonly text: string; readonly whole: boolean } {
  const line = oneLine(seen(given));
  return { text: bold(shortened(line, nameCharacters)), whole: line.length <= nameCharacters };
}

function fieldLine({ name, value }: Field): string {
  const written = headOf(seen(value).trim(), consideredCharacters);
  const title = nameOf(name).text;
  return [title, isBlank(written) ? "–" : escaped(written)].filter((part) => part !== "").join("  ");
}

function fieldsPiece(fields: readonly Field[]): Piece | null {
  if (fields.length === 0) return null;
  const written = fields.map(fieldLine);
  return {
    whole: written.join("\n"),
    abridged: !fields.every(({ name }) => nameOf(name).whole),
    cut: (length, mark) => {
      const room = length - mark.length - 1;
      const lines: string[] = [];
      let used = 0;
      for (const [at, field] of fields.entries()) {
        const left = room - used;
        const line = written[at] ?? "";
        if (line.length + 1 <= left) {
          lines.push(line);
          used += line.length + 1;
          continue;
        }
        const value = headOf(seen(field.value).trim(), consideredCharacters);
        const head = longestHead(value, left - 1, (part) => fieldLine({ ...field, value: part }));
        if (head !== "") lines.push(fieldLine({ ...field, value: tidy(head) }));
        break;
      }
      return joined(lines.join("\n"), mark);
    },
  };
}

function tablePiece(block: Extract<Block, { type: "table" }>): Piece | null {
  if (block.columns.length === 0 || block.rows.length === 0) return null;
  const rows = block.rows.slice(0, consideredRows);
  const { draw, abridged } = drawTable({ ...block, rows });
  return {
    whole: draw(rows.length),
    abridged: abridged || rows.length < block.rows.length,
    cut: (length, mark) => {
      const room = length - mark.length - 1;
      let fits = 0;
      let tooMany = rows.length + 1;
      while (tooMany - fits > 1) {
        const middle = Math.floor((fits + tooMany) / 2);
        if (draw(middle).length <= room) fits = middle;
        else tooMany = middle;
      }
      return joined(fits === 0 ? "" : draw(fits), mark);
    },
  };
}

function verbatimPiece(block: Extract<Block, { type: "verbatim" }>, wholeIn: string | undefined): Piece {
  const text = seen(block.text).replace(/\s+$/, "");
  const title = nameOf(block.title);
  const under = (body: string): string => (title.text === "" ? body : `${title.text}\n${body}`);
  const previewed = headOf(text.split("\n").slice(0, preview.lines).join("\n"), preview.characters);
  const considered = wholeIn === undefined ? headOf(text, consideredCharacters) : previewed;
  const written = (part: string): string =>
    under(isBlank(part) ? empty : fenced(part.trimEnd(), block.language));
  return {
    whole: written(considered),
    abridged: !title.whole || (wholeIn !== undefined && considered !== text),
    cut: (length, mark) => {
      const head = longestHead(considered, length - mark.length - 1, written);
      return joined(head === "" ? "" : written(head), mark);
    },
    ...(wholeIn === undefined ? {} : { wholeIn }),
  };
}

/** A block as a piece of text; null where it has nothing to show. `fileOf`: the name of the file that is a given text. */
export function pieceOf(
  block: Block,
  fileOf: (text: string) => string | undefined = () => undefined,
): Piece | null {
  switch (block.type) {
    case "text":
      return textPiece(block.text);
    case "fields":
      return fieldsPiece(block.fields);
    case "table":
      return tablePiece(block);
    case "verbatim":
      return verbatimPiece(block, fileOf(block.text));
  }
}

/** The least characters for which a piece that is cut is worth showing. */
const leastShown = 240;

/** Says that a text was cut, and where all of it is. */
export const markOf = (name: string): string => `-# … cut; the whole is in ${name}`;

/**
 * Texts of the pieces within `room` characters. Short ones stay whole as long as they can. Where something is left out
 * a mark says in which file it is: the piece's own, else `name`, and then `whole` is false.
 */
export function fitted(
  pieces: readonly Piece[],
  room: number,
  name: string,
): { readonly texts: readonly string[]; readonly whole: boolean } {
  const mark = markOf(name);
  const marked = (piece: Piece): string => (piece.wholeIn === undefined ? mark : markOf(piece.wholeIn));
  // An abridged piece is whole but for its mark.
  const needed = (piece: Piece): number =>
    piece.whole.length + (piece.abridged ? marked(piece).length + 1 : 0);
  const all = pieces.reduce((sum, piece) => sum + needed(piece), 0) <= room;
  const left = all ? room : room - mark.length - 1;
  const shown = all ? pieces : shownPieces(pieces, left, needed);
  const share = all ? Number.POSITIVE_INFINITY : shareOf(shown.map(needed), left);
  let whole = true;
  const texts = shown.map((piece) => {
    const stays = needed(piece) <= share;
    if (stays && !piece.abridged) return piece.whole;
    if (piece.wholeIn === undefined) whole = false;
    return stays ? joined(piece.whole, marked(piece)) : piece.cut(share, marked(piece));
  });
  if (shown.length === pieces.length) return { texts, whole };
  return { texts: texts.at(-1)?.endsWith(mark) ? texts : [...texts, mark], whole: false };
}

/** The first pieces that can each have the least room. */
function shownPieces(
  pieces: readonly Piece[],
  room: number,
  needed: (piece: Piece) => number,
): readonly Piece[] {
  let used = 0;
  const count = pieces.findIndex((piece) => {
    used += Math.min(needed(piece), leastShown);
    return used > room;
  });
  return count < 0 ? pieces : pieces.slice(0, count);
}

/** The most characters that each piece may have so that all fit: those who need less leave it to the others. */
function shareOf(lengths: readonly number[], room: number): number {
  const sorted = [...lengths].sort((a, b) => a - b);
  let left = room;
  for (const [at, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - at));
    if (length > share) return share;
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}
