/** Text of a message: everything that a person reads on it, in the order in which it stands. */
import { kind } from "./rules-messages.ts";
import { type Component, type Embed, everyComponent } from "./shapes.ts";
import type { Message } from "./world.ts";

/** All the text a person reads: content, embeds, texts of components, labels of buttons and options, names of files. */
export function textOf(message: Message | null | undefined): string {
  if (message === null || message === undefined) return "";
  if (message.loading) return "(thinking)";
  const lines = [message.content, ...message.embeds.flatMap(textOfEmbed)];
  lines.push(...message.components.flatMap(textOfComponent));
  const shown = lines.join("\n");
  // A file component names its file by itself.
  lines.push(...message.attachments.map(({ name }) => name).filter((name) => !shown.includes(`[${name}]`)));
  return lines.filter((line) => line !== "").join("\n");
}

function textOfEmbed({ author, title, description, fields, footer }: Embed): string[] {
  return [
    author?.name ?? "",
    title ?? "",
    description ?? "",
    ...(fields ?? []).flatMap(({ name, value }) => [name, value]),
    footer?.text ?? "",
  ];
}

function textOfComponent(component: Component): string[] {
  const { type, label, content, placeholder, options, file } = component;
  const own = [content ?? "", label === null || label === undefined ? "" : `[${label}]`];
  if (type === kind.file && file) own.push(`[${file.url.split("/").pop() ?? ""}]`);
  if (isSelect(type)) {
    own.push(placeholder ?? "", ...(options ?? []).map((option) => `(${option.label})`));
  }
  const inner = [
    ...(component.components ?? []),
    ...(component.component ? [component.component] : []),
    ...(component.accessory ? [component.accessory] : []),
  ];
  return [...own, ...inner.flatMap(textOfComponent)];
}

function isSelect(type: number): boolean {
  return type === kind.stringSelect || (type >= kind.userSelect && type <= kind.channelSelect);
}

/** A button or select as a person finds it on a message. */
export interface Control {
  readonly customId: string | null;
  readonly label: string;
  readonly type: number;
  readonly disabled: boolean;
  readonly component: Component;
}

/** Every button and select of a message, in order. */
export function controlsOf(message: Message | null | undefined): Control[] {
  return everyComponent(message?.components ?? [])
    .filter(({ type }) => type === kind.button || isSelect(type))
    .map((component) => ({
      customId: component.custom_id ?? null,
      label: component.label ?? component.placeholder ?? "",
      type: component.type,
      disabled: component.disabled === true,
      component,
    }));
}
