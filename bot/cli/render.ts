/** A card as text for a terminal or a pipe. */
import { createColors } from "picocolors";
import type { Block, Button, Card, Tone } from "../cards/card.ts";
import { harmless } from "../cards/harmless.ts";
import { wrap } from "../cards/wrap.ts";
import type { Command } from "../commands/command.ts";
import { optionName, placeholderOf } from "../commands/option.ts";
import { renderTable } from "./table.ts";

export interface RenderOptions {
  /** Characters a line may have. */
  readonly width: number;
  readonly color: boolean;
  /** The commands that buttons can name. */
  readonly commands: readonly Command[];
  /** The line that stands for a button, null for one that is not offered; by default its command line. */
  readonly offer?: (button: Button) => string | null;
}

type Colors = ReturnType<typeof createColors>;

/** A value as a shell takes it. */
export function quoted(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/** The command line that does what a button does. */
export function commandLine(button: Button, commands: readonly Command[]): string {
  const command = commands.find(({ name }) => name === button.command);
  const words = ["spadework", button.command];
  const flags: string[] = [];
  for (const [key, value] of Object.entries(button.options)) {
    if (command?.options[key]?.argument === true) words.push(quoted(String(value)));
    else if (value === true) flags.push(`--${optionName(key)}`);
    else if (value !== false) flags.push(`--${optionName(key)} ${quoted(String(value))}`);
  }
  for (const key of button.ask ?? []) {
    const option = command?.options[key];
    const here = option?.surfaces?.includes("command-line") ?? true;
    if (option === undefined || !here || key in button.options) continue;
    const placeholder = placeholderOf(key, option);
    if (option.argument === true) words.push(placeholder);
    else flags.push(`--${optionName(key)} ${placeholder}`);
  }
  return [...words, ...flags].join(" ");
}

function titleIn(tone: Tone, colors: Colors, title: string): string {
  if (tone === "good") return colors.bold(colors.green(title));
  if (tone === "warning") return colors.bold(colors.yellow(title));
  if (tone === "bad") return colors.bold(colors.red(title));
  return colors.bold(title);
}

function renderFields(block: Extract<Block, { type: "fields" }>, width: number, colors: Colors): string {
  const longest = Math.max(0, ...block.fields.map(({ name }) => name.length));
  return block.fields
    .map(({ name, value }) => {
      const lines = wrap(harmless(value), width - longest - 2).split("\n");
      const indented = lines.join(`\n${" ".repeat(longest + 2)}`);
      return `${colors.dim(name.padEnd(longest))}  ${indented}`;
    })
    .join("\n");
}

function renderBlock(block: Block, { width }: RenderOptions, colors: Colors): string {
  switch (block.type) {
    case "text":
      return wrap(harmless(block.text), width);
    case "fields":
      return renderFields(block, width, colors);
    case "table":
      return renderTable(block, width, colors);
    case "verbatim": {
      const body = harmless(block.text).replace(/\n+$/, "").replaceAll(/^/gm, "  ");
      return block.title === "" ? body : `${colors.cyan(harmless(block.title))}\n${body}`;
    }
  }
}

function renderButtons(card: Card, options: RenderOptions, colors: Colors): string {
  const offer = options.offer ?? ((button: Button) => commandLine(button, options.commands));
  const lines = card.buttons
    .filter(({ chatOnly }) => chatOnly !== true)
    .flatMap((button) => {
      const line = offer(button);
      return line === null ? [] : [{ line, label: button.label }];
    });
  if (lines.length === 0) return "";
  const longest = Math.max(...lines.map(({ line }) => line.length));
  const beside = longest + 4 + Math.max(...lines.map(({ label }) => label.length)) <= options.width;
  const shown = lines.map(({ line, label }) =>
    beside ? `  ${colors.cyan(line.padEnd(longest))}  ${label}` : `  ${label}:\n    ${colors.cyan(line)}`,
  );
  return [colors.bold("Try next"), ...shown].join("\n");
}

/** The whole card, ending with a line break. */
export function renderCard(card: Card, options: RenderOptions): string {
  const colors = createColors(options.color);
  const parts: string[] = [];
  if (card.title !== "") parts.push(titleIn(card.tone, colors, wrap(harmless(card.title), options.width)));
  parts.push(
    ...card.blocks.map((block) => renderBlock(block, options, colors)).filter((part) => part !== ""),
  );
  parts.push(
    ...card.files.map(
      ({ name, text }) => `${colors.cyan(harmless(name))}\n${harmless(text).replaceAll(/^/gm, "  ")}`,
    ),
  );
  parts.push(...[renderButtons(card, options, colors)].filter((part) => part !== ""));
  return `${parts.join("\n\n")}\n`;
}
