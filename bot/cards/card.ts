/**
 * A card: a message that knows no platform. Chat draws it with components, the command line as text. Everything in it
 * that a model or an environment wrote is data, so a renderer makes it harmless and never reads markup into it.
 */
import type { Chart } from "./chart.ts";

export type Tone = "plain" | "good" | "warning" | "bad";

export interface Field {
  readonly name: string;
  readonly value: string;
}

export interface Column {
  readonly title: string;
  readonly align?: "right";
  /** The least characters it may be squeezed to; without it, it keeps its full width. */
  readonly squeezeTo?: number;
  /** Its cells say by themselves what they are: where a table becomes a list, they stand there without the title. */
  readonly plain?: true;
}

export interface Row {
  /** Cells of the first columns, at most one a column. */
  readonly cells: readonly string[];
  /** A text across the columns that are left. */
  readonly rest?: string;
}

export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "fields"; readonly fields: readonly Field[] }
  | { readonly type: "table"; readonly columns: readonly Column[]; readonly rows: readonly Row[] }
  /** A text that is kept letter by letter: source, an observation, an answer of a model. */
  | { readonly type: "verbatim"; readonly title: string; readonly text: string; readonly language?: string };

export interface CardFile {
  readonly name: string;
  readonly text: string;
}

/** Something to do next: a command with its options, which chat shows as a button and the command line as a line. */
export interface Button {
  readonly label: string;
  readonly command: string;
  readonly options: Readonly<Record<string, string | number | boolean>>;
  readonly tone?: Tone;
  /** Options that whoever presses it is asked for first (their keys): chat opens a form, the command line shows placeholders. */
  readonly ask?: readonly string[];
  /** Shown only in chat: a step within a conversation, no command line of its own. */
  readonly chatOnly?: true;
}

export interface Card {
  readonly title: string;
  readonly tone: Tone;
  readonly blocks: readonly Block[];
  readonly files: readonly CardFile[];
  readonly buttons: readonly Button[];
  readonly chart?: Chart;
}

/** A card with what most cards leave out filled in. */
export function card(
  title: string,
  parts: Partial<Omit<Card, "title">> & { readonly blocks: readonly Block[] },
): Card {
  return { tone: "plain", files: [], buttons: [], ...parts, title };
}

export const text = (content: string): Block => ({ type: "text", text: content });

export const fields = (...list: readonly (Field | null)[]): Block => ({
  type: "fields",
  fields: list.filter((field) => field !== null),
});

export const field = (name: string, value: string): Field => ({ name, value });

export const table = (columns: readonly Column[], rows: readonly Row[]): Block => ({
  type: "table",
  columns,
  rows,
});

export const verbatim = (title: string, content: string, language?: string): Block => ({
  type: "verbatim",
  title,
  text: content,
  ...(language === undefined ? {} : { language }),
});
