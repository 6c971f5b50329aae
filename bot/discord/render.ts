/**
 * A card as a message of Discord. Whatever a card holds, the message is within Discord's limits, calls nobody, and
 * shows texts as they are; what has no room is cut with a mark, and the whole goes along as a file.
 */
import {
  type APIComponentInContainer,
  type APIMessageTopLevelComponent,
  MessageFlags,
  type RESTPostAPIChannelMessageJSONBody,
} from "discord.js";
import type { Logger } from "pino";
import type { TextStore } from "../../store/store.ts";
import type { Button, Card, CardFile } from "../cards/card.ts";
import type { Chart } from "../cards/chart.ts";
import { oneLine } from "../cards/harmless.ts";
import type { Command } from "../commands/command.ts";
import {
  button,
  buttonRows,
  componentsOfButtons,
  container,
  fileDisplay,
  picture,
  textDisplay,
} from "./components.ts";
import { writeId } from "./custom-id.ts";
import { limits, shortened } from "./limits-of-text.ts";
import { fitted, heading, markOf, type Piece, pieceOf } from "./render-blocks.ts";
import {
  chartName,
  gathered,
  type MessageFile,
  messageFiles,
  namesOf,
  wholeName,
  wholeText,
} from "./render-files.ts";
import { isBlank, seen } from "./render-text.ts";

/** What rendering needs besides the card. */
export interface RenderSurroundings {
  /** Keeps what buttons stand for where it does not fit their ids. */
  readonly texts: TextStore;
  /** The commands that exist; buttons for others, and for those that Discord does not have, are left out. */
  readonly commands: readonly Command[];
  readonly log: Pick<Logger, "warn">;
  /** Draws a chart as a PNG. Without it, or if it throws, the chart's words stand in its place. */
  readonly drawChart?: (chart: Chart) => Promise<Uint8Array>;
  /** Bytes that a file may have; Discord's default if not given. */
  readonly fileBytes?: number;
}

/** What discord.js takes to send or answer. For an edit use `editOf`. */
export interface RenderedMessage {
  readonly components: APIMessageTopLevelComponent[];
  readonly files: MessageFile[];
  readonly flags: MessageFlags.IsComponentsV2;
  readonly allowedMentions: { parse: []; users?: string[] };
}

const nothing = "*(nothing to show)*";

/** Whether a button can be pressed on Discord. */
function works({ command: name }: Button, commands: readonly Command[]): boolean {
  const command = commands.find((one) => one.name === name);
  return command !== undefined && (command.surfaces?.includes("discord") ?? true);
}

async function drawnButtons(buttons: readonly Button[], texts: TextStore) {
  const counts = new Map<string, number>();
  return Promise.all(
    buttons.map(async ({ label, command, options, ask = [], tone }) => {
      const meaning = { kind: "press", command, options, ask } as const;
      const key = JSON.stringify(meaning);
      const among = counts.get(key) ?? 0;
      counts.set(key, among + 1);
      const line = oneLine(seen(label));
      const shown = shortened(isBlank(line) ? command : line, limits.label);
      return button(shown, await writeId(meaning, texts, among), tone);
    }),
  );
}

async function drawnChart({ chart }: Card, surroundings: RenderSurroundings): Promise<MessageFile | null> {
  if (chart === undefined || surroundings.drawChart === undefined) return null;
  try {
    const png = Buffer.from(await surroundings.drawChart(chart));
    return png.length > (surroundings.fileBytes ?? limits.fileBytes)
      ? null
      : { name: chartName, attachment: png };
  } catch (error) {
    surroundings.log.warn({ err: error }, "A chart could not be drawn; its words are shown.");
    return null;
  }
}

/** The texts in at most `most` displays: the last one takes what is left over. */
function displays(texts: readonly string[], most: number): APIComponentInContainer[] {
  const single = texts.slice(0, most - 1);
  const rest = texts.slice(most - 1);
  return [...single, ...(rest.length === 0 ? [] : [rest.join("\n")])].map(textDisplay);
}

/** People who may be called, by id. */
function callable(mention: readonly string[]): string[] {
  return [...new Set(mention)].filter((id) => /^\d{15,20}$/.test(id)).slice(0, limits.mentions);
}

function piecesOf(card: Card, files: readonly CardFile[], chart: MessageFile | null): Piece[] {
  const words =
    card.chart === undefined || chart !== null ? null : pieceOf({ type: "text", text: card.chart.alt });
  const names = namesOf(files);
  const fileOf = (text: string) => names[files.findIndex((file) => file.text === text)];
  return [...card.blocks.map((block) => pieceOf(block, fileOf)), words].filter((piece) => piece !== null);
}

/** `mention`: people to call, by id; nobody else is called, whatever the card says. */
export async function renderMessage(
  card: Card,
  surroundings: RenderSurroundings,
  mention: readonly string[] = [],
): Promise<RenderedMessage> {
  const people = callable(mention);
  const call = people.map((id) => `<@${id}>`).join(" ");
  const title = heading(card);
  const chart = await drawnChart(card, surroundings);
  const working = card.buttons.filter((one) => works(one, surroundings.commands));
  const buttons = await drawnButtons(working.slice(0, limits.buttons), surroundings.texts);
  const more = working.length - buttons.length;
  const moreLine = more === 0 ? [] : [`-# … and ${more} more buttons than fit here`];

  const frame = 1 + (call === "" ? 0 : 1) + (chart === null ? 0 : 1) + componentsOfButtons(buttons.length);
  // One place is kept for the texts, whatever the files take.
  const mostFiles = Math.min(limits.files - (chart === null ? 0 : 1), limits.components - frame - 1);
  // One file more may come: the whole of what is cut.
  const own = gathered(card.files, mostFiles - 1);
  const name = wholeName(card.title, own);
  const pieces = piecesOf(card, own, chart);
  const titleMark = title.whole ? [] : [markOf(name)];
  const around = [call, title.text, ...titleMark, ...moreLine];
  // Texts that share a display have a line break between them.
  const room = limits.text - around.join("\n").length - pieces.length - 1;
  const { texts, whole } = fitted(pieces, room, name);
  const given = whole && title.whole ? own : [{ name, text: wholeText(card) }, ...own];
  const files = messageFiles(given, {
    fileBytes: surroundings.fileBytes ?? limits.fileBytes,
    reserved: chart?.attachment.length ?? 0,
  });

  const lines = [title.text, ...titleMark, ...texts, ...moreLine].filter((line) => line !== "");
  const shown = displays(lines, limits.components - frame - files.length);
  const alt = card.chart === undefined ? "" : shortened(oneLine(seen(card.chart.alt)), limits.altText);
  const inside: APIComponentInContainer[] = [
    ...shown,
    ...(chart === null ? [] : [picture(chart.name, isBlank(alt) ? "A chart" : alt)]),
    ...files.map((file) => fileDisplay(file.name)),
    ...buttonRows(buttons),
  ];
  if (inside.length === 0) inside.push(textDisplay(nothing));
  return {
    components: [...(call === "" ? [] : [textDisplay(call)]), container(card.tone, inside)],
    files: [...(chart === null ? [] : [chart]), ...files],
    flags: MessageFlags.IsComponentsV2,
    allowedMentions: people.length === 0 ? { parse: [] } : { parse: [], users: people },
  };
}

/** The same for an edit, in which files that the message had before are not to stay. */
export function editOf(message: RenderedMessage): RenderedMessage & { readonly attachments: [] } {
  return { ...message, attachments: [] };
}

/** The same as Discord's interface takes it, without discord.js's own names; `files` go beside it. */
export function bodyOf(
  message: RenderedMessage,
): Pick<RESTPostAPIChannelMessageJSONBody, "components" | "flags" | "allowed_mentions" | "attachments"> {
  return {
    components: message.components,
    flags: message.flags,
    allowed_mentions: message.allowedMentions,
    attachments: message.files.map(({ name }, id) => ({ id: String(id), filename: name })),
  };
}
