/** The components of a message: what is in a container, row by row, and how many that makes. */
import {
  type APIButtonComponentWithCustomId,
  type APIComponentInContainer,
  type APIMessageTopLevelComponent,
  type APITextDisplayComponent,
  ButtonStyle,
  ComponentType,
} from "discord.js";
import type { Tone } from "../cards/card.ts";
import { limits } from "./limits-of-text.ts";

const accents: Readonly<Record<Tone, number>> = {
  plain: 0x5865f2,
  good: 0x2e9e5b,
  warning: 0xd9930d,
  bad: 0xd13b3b,
};

const styles = {
  plain: ButtonStyle.Secondary,
  good: ButtonStyle.Success,
  warning: ButtonStyle.Primary,
  bad: ButtonStyle.Danger,
} as const satisfies Record<Tone, ButtonStyle>;

export function textDisplay(content: string): APITextDisplayComponent {
  return { type: ComponentType.TextDisplay, content };
}

export function fileDisplay(name: string): APIComponentInContainer {
  return { type: ComponentType.File, file: { url: `attachment://${name}` } };
}

export function picture(name: string, description: string): APIComponentInContainer {
  return {
    type: ComponentType.MediaGallery,
    items: [{ media: { url: `attachment://${name}` }, description }],
  };
}

export function button(
  label: string,
  customId: string,
  tone: Tone = "plain",
): APIButtonComponentWithCustomId {
  return { type: ComponentType.Button, style: styles[tone], label, custom_id: customId };
}

/** Buttons in rows of five. */
export function buttonRows(buttons: readonly APIButtonComponentWithCustomId[]): APIComponentInContainer[] {
  const rows: APIComponentInContainer[] = [];
  for (let at = 0; at < buttons.length; at += limits.buttonsInRow) {
    const components = buttons.slice(at, at + limits.buttonsInRow);
    rows.push({ type: ComponentType.ActionRow, components });
  }
  return rows;
}

/** How many components so many buttons take, their rows counted. */
export function componentsOfButtons(count: number): number {
  return count + Math.ceil(count / limits.buttonsInRow);
}

export function container(tone: Tone, components: APIComponentInContainer[]): APIMessageTopLevelComponent {
  return { type: ComponentType.Container, accent_color: accents[tone], components };
}
