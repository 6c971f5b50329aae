/** A rendered message held against everything that Discord says of messages, and taken apart for tests. */
import { createHash } from "node:crypto";
import { ComponentType } from "discord.js";
import type { Card } from "../../bot/cards/card.ts";
import { commands } from "../../bot/commands/all.ts";
import {
  bodyOf,
  type RenderedMessage,
  type RenderSurroundings,
  renderMessage,
} from "../../bot/discord/render.ts";
import { StoreError } from "../../config/errors.ts";
import type { TextStore } from "../../store/store.ts";
import { messageFaults, surrogateFaults } from "./discord/rules-messages.ts";
import type { CheckSchema } from "./discord/schemas.ts";
import { everyComponent, messageShape } from "./discord/shapes.ts";
import { silent } from "./services.ts";

/** Texts that are kept as long as the test lives. */
export function textsInMemory(): TextStore {
  const kept = new Map<string, string>();
  return {
    put: async (given) => {
      const id = createHash("sha256").update(given).digest("hex");
      kept.set(id, given);
      return id;
    },
    get: async (id) => {
      const found = kept.get(id);
      if (found === undefined) throw new StoreError("store.not-found", `There is no text ${id}.`);
      return found;
    },
  };
}

/** What rendering needs, with no charts. */
export const surroundings: RenderSurroundings = { texts: textsInMemory(), commands, log: silent };

export function render(given: Card, mention: readonly string[] = []): Promise<RenderedMessage> {
  return renderMessage(given, surroundings, mention);
}

/** What is wrong with a message; empty when nothing is. */
export function faultsOf(message: RenderedMessage, check: CheckSchema): string[] {
  const body = bodyOf(message);
  const shape = messageShape.parse(body);
  const files = message.files.map(({ name }) => name);
  return [
    ...check("MessageCreateRequest", body),
    ...surrogateFaults(body),
    ...messageFaults({
      content: "",
      embeds: [],
      components: shape.components ?? [],
      flags: message.flags,
      files,
      uploads: files,
      hasPoll: false,
      hasStickers: false,
    }),
    ...message.files
      .filter(({ attachment }) => attachment.length === 0 || attachment.length > 10 * 1024 * 1024)
      .map(({ name, attachment }) => `the file ${name} has ${attachment.length} bytes`),
    ...message.files
      .filter(({ name }) => !/^[\w-][\w.-]*\.\w+$/.test(name))
      .map(({ name }) => `Discord changes the name ${name}`),
  ];
}

/** The contents of its text displays, in order. */
export function textsOf(message: RenderedMessage): string[] {
  return componentsOf(message).flatMap(({ type, content }) =>
    type === ComponentType.TextDisplay ? [content ?? ""] : [],
  );
}

/** Every component, nested ones included. */
export function componentsOf(message: RenderedMessage) {
  return everyComponent(messageShape.parse(bodyOf(message)).components ?? []);
}

export function fileOf(message: RenderedMessage, name: string): string | null {
  return message.files.find((file) => file.name === name)?.attachment.toString("utf8") ?? null;
}
