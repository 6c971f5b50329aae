/** Modals: the form that the bot opened, and what a person can fill into it. */
import type { GivenFile } from "./cdn.ts";
import type { Core } from "./core.ts";
import { resolvedIds } from "./payloads.ts";
import { kind } from "./rules-messages.ts";
import { type Component, everyComponent, type ModalBody } from "./shapes.ts";
import { attachmentJson, type Json } from "./wire.ts";
import type { Channel, Message } from "./world.ts";

/** A modal on somebody's screen. */
export interface Modal {
  readonly customId: string;
  readonly title: string;
  /** Its fields: the text inputs, selects and file uploads, with the label over each. */
  readonly fields: readonly ModalField[];
  readonly channelId: string;
  /** The message whose button opened it. */
  readonly source: Message | null;
  readonly body: ModalBody;
}

export interface ModalField {
  readonly customId: string;
  readonly label: string;
  readonly component: Component;
}

/** What a person fills in, by a field's custom id or label: a text, picked values, or files. */
export type ModalValues = Readonly<Record<string, string | readonly string[] | readonly GivenFile[]>>;

export function modalOf(body: ModalBody, channelId: string, source: Message | null): Modal {
  const fields = body.components.flatMap((row): ModalField[] => {
    const inner = row.component ? [row.component] : (row.components ?? []);
    return inner.flatMap((component) =>
      component.custom_id
        ? [{ customId: component.custom_id, label: row.label ?? component.label ?? "", component }]
        : [],
    );
  });
  return { customId: body.custom_id, title: body.title, fields, channelId, source, body };
}

/** The data of a submitted modal. Throws when a person could not send these values. */
export function modalData(core: Core, channel: Channel, modal: Modal, given: ModalValues): Json {
  const names = modal.fields.flatMap(({ customId, label }) => [customId, label]);
  const stranger = Object.keys(given).find((name) => !names.includes(name));
  if (stranger !== undefined) {
    throw new Error(`The modal ${modal.title} has no field ${stranger}; it has: ${names.join(", ")}`);
  }
  const attachments: Record<string, Json> = {};
  const referred: string[] = [];
  const filled = new Map<string, Json>();
  for (const { customId, label, component } of modal.fields) {
    const value = given[customId] ?? given[label];
    if (component.type >= kind.userSelect && component.type <= kind.channelSelect && Array.isArray(value)) {
      referred.push(...value.filter((one) => typeof one === "string"));
    }
    filled.set(customId, {
      custom_id: customId,
      ...fill(core, channel, component, label, value, attachments),
    });
  }
  let number = 0;
  const answerOf = (component: Component): Json => {
    number += 1;
    const own = { type: component.type, id: component.id ?? number };
    if (component.component) return { ...own, component: answerOf(component.component) };
    if (component.components) return { ...own, components: component.components.map(answerOf) };
    return { ...own, ...(component.custom_id ? filled.get(component.custom_id) : {}) };
  };
  return {
    custom_id: modal.customId,
    components: modal.body.components.map(answerOf),
    resolved: {
      ...(Object.keys(attachments).length > 0 ? { attachments } : {}),
      ...resolvedIds(core, channel, referred),
    },
  };
}

function fill(
  core: Core,
  channel: Channel,
  component: Component,
  label: string,
  value: ModalValues[string] | undefined,
  attachments: Record<string, Json>,
): Json {
  const refuse = (why: string): never => {
    throw new Error(`The field ${label || component.custom_id} ${why}`);
  };
  const required = component.required !== false;
  if (component.type === kind.textInput) {
    const text = value ?? component.value ?? "";
    if (typeof text !== "string") return refuse("takes a text");
    if (text === "" && !required) return { value: "" };
    if (text === "") return refuse("is required");
    if (text.length < (component.min_length ?? 0))
      return refuse(`takes at least ${component.min_length} characters`);
    const most = component.max_length ?? 4000;
    if (text.length > most) return refuse(`takes at most ${most} characters`);
    return { value: text };
  }
  if (component.type > kind.fileUpload)
    return refuse(`is of type ${component.type}, which this server can't fill in`);
  const list = typeof value === "string" ? [value] : (value ?? defaultsOf(component));
  const [fewest, most] = [component.min_values ?? 1, component.max_values ?? 1];
  if (list.length > most) return refuse(`takes at most ${most}`);
  if (list.length < fewest && (required || list.length > 0)) return refuse(`takes at least ${fewest}`);
  const values = list.map((one) => {
    if (typeof one === "string") {
      const known = (component.options ?? []).map((option) => option.value);
      if (component.type === kind.fileUpload) return refuse("takes files");
      if (component.options && !known.includes(one))
        return refuse(`has no ${one}; it has: ${known.join(", ")}`);
      return one;
    }
    if (component.type !== kind.fileUpload) return refuse("takes no files");
    const kept = core.cdn.keepGiven(channel.id, one);
    attachments[kept.id] = { ...attachmentJson(kept), ephemeral: true };
    return kept.id;
  });
  return { values };
}

function defaultsOf(component: Component): readonly string[] {
  return (component.options ?? []).filter((option) => option.default === true).map(({ value }) => value);
}

/** Every component of a modal that a person can read. */
export function textOfModal(modal: Modal): string {
  const lines = everyComponent(modal.body.components).flatMap(
    ({ label, description, content, placeholder }) =>
      [label, description, content, placeholder].filter((text) => typeof text === "string"),
  );
  return [modal.title, ...lines].join("\n");
}
