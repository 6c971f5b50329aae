/**
 * Texts from anywhere, written so that Discord shows them as they are: no markdown, mention, link or invite in them
 * comes to life, and nothing in them hides.
 */
import { harmless, oneLine } from "../cards/harmless.ts";

/** Characters that take no room hide what a text says, or carry what nobody sees. Emoji need joiners and variants. */
const unseen = /[\p{Default_Ignorable_Code_Point}--[\u200c\u200d\ufe00-\ufe0f]]/gv;

/** A character that shows something. */
const showing = /[^\p{Z}\p{C}\p{M}\u2800]/u;

/** A text of a card as people may see it. */
export function seen(text: string): string {
  return harmless(text.replaceAll(/[\u2028\u2029]/g, "\n")).replaceAll(unseen, "");
}

/** Whether a text shows nothing at all: Discord refuses such messages. */
export function isBlank(text: string): boolean {
  return !showing.test(text);
}

/** The markup of a room's `moment` and `linkTo`, which alone is left as it is. */
const ours =
  /(<t:\d{1,12}(?::[tTdDfFR])?>|(?<![\w/])https:\/\/discord\.com\/channels\/(?:@me|\d{15,20})(?:\/\d{15,20}){1,2}(?![\w/.?#&=%@:~-]))/;

function escapedPart(text: string): string {
  return text
    .replaceAll(/[\\`*_~|<[\]@]/g, "\\$&")
    .replaceAll("://", "\\://")
    .replaceAll(/^([^\S\n]*)([#>+-])(?=[\s#>]|$)/gm, "$1\\$2")
    .replaceAll(/^([^\S\n]*\d+)([.)])(?=\s|$)/gm, "$1\\$2");
}

/** A text that was `seen`, as markdown that shows it letter by letter. */
export function escaped(text: string): string {
  return text
    .split(ours)
    .map((part, at) => (at % 2 === 1 ? part : escapedPart(part)))
    .join("");
}

/** A text on one line, as markdown. */
export function escapedLine(text: string): string {
  return escaped(oneLine(seen(text)));
}

/** A name in bold; nothing for an empty one. */
export function bold(name: string): string {
  const line = oneLine(seen(name));
  return isBlank(line) ? "" : `**${escaped(line)}**`;
}

/** Moments are drawn by Discord only outside code: here they are written out. */
export function momentsWritten(text: string): string {
  return text.replaceAll(/<t:(\d{1,12})(?::[tTdDfFR])?>/g, (mark, seconds: string) => {
    const date = new Date(Number(seconds) * 1_000);
    return Number.isNaN(date.getTime()) ? mark : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  });
}

/** A code block that its content can't end. The zero-width spaces between backticks are the only change to it. */
export function fenced(text: string, language = ""): string {
  const inside = text.replaceAll(/`{2,}/g, (run) => [...run].join("\u200b"));
  const known = /^[a-z0-9+#-]{1,20}$/i.test(language) ? language : "";
  return `\`\`\`${known}\n${inside}\n\`\`\``;
}
