/** Entries of a message's own menu: what somebody wrote becomes a document or a hint. */
import { ComponentType, type Message } from "discord.js";
import { InputError } from "../../config/errors.ts";
import { oneLine, shorten } from "../cards/harmless.ts";
import { GivenFile } from "../commands/given-file.ts";
import type { Given } from "./interaction-options.ts";

/** What an entry does with a message: the command that it gives, with options that are settled or asked for. */
export interface MenuEntry {
  /** As it stands in the menu. */
  readonly name: string;
  readonly command: string;
  /** Throws `input.bad-option` for a message that it can't use. */
  given(message: Message): Given & { readonly ask: readonly string[] };
}

/** Texts of components, which messages of bots are made of, the lab's own too. */
function texts(components: readonly unknown[]): string[] {
  return components.flatMap((component): string[] => {
    if (typeof component !== "object" || component === null) return [];
    const inner =
      "components" in component && Array.isArray(component.components) ? texts(component.components) : [];
    const isText = "type" in component && component.type === ComponentType.TextDisplay;
    const own =
      isText && "content" in component && typeof component.content === "string" ? [component.content] : [];
    return [...own, ...inner];
  });
}

/** All that a message says. */
export function textOf({ content, components }: Pick<Message, "content" | "components">): string {
  return [content, ...texts(components)].filter((text) => text.trim() !== "").join("\n\n");
}

function requireContent(text: string, what: string): void {
  if (text.trim() !== "") return;
  throw new InputError("input.bad-option", `That message holds no ${what}.`);
}

/** Characters of a message's beginning that name its document. */
const nameCharacters = 60;

/** `ada: Tides are periodic….md`: a document without a heading goes by the name of its file. */
function nameOf({ author }: Message, text: string): string {
  return `${author.username}: ${shorten(oneLine(text).trim(), nameCharacters)}.md`;
}

export const useAsDocument: MenuEntry = {
  name: "Use as document",
  command: "doc add",
  given(message) {
    const text = textOf(message);
    const attached = [...message.attachments.values()];
    requireContent(text + attached.map(({ name }) => name).join(), "text and no file");
    const written = text === "" ? [] : [new GivenFile(nameOf(message, text), new TextEncoder().encode(text))];
    return {
      values: written.length === 0 ? {} : { file: written },
      files: new Map(attached.length === 0 ? [] : [["file", attached]]),
      ask: [],
    };
  },
};

export const useAsHint: MenuEntry = {
  name: "Use as hint",
  command: "hint add",
  given(message) {
    const text = textOf(message);
    requireContent(text, "text");
    return { values: { text }, files: new Map(), ask: ["id", "text"] };
  },
};

export const menuEntries: readonly MenuEntry[] = [useAsDocument, useAsHint];
