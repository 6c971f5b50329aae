/** Rules of messages that the schemas don't know, each a pure function from a message to what is wrong with it. */
import { type Component, type Embed, everyComponent, mediaOf } from "./shapes.ts";

export const flag = { suppressEmbeds: 4, ephemeral: 64, suppressNotifications: 4096, componentsV2: 32_768 };

/** Types of components. */
export const kind = {
  row: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  userSelect: 5,
  roleSelect: 6,
  mentionableSelect: 7,
  channelSelect: 8,
  section: 9,
  textDisplay: 10,
  thumbnail: 11,
  gallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
  fileUpload: 19,
} as const;

/** A message as it would be after the request, edits merged into what was there. */
export interface Draft {
  readonly content: string;
  readonly embeds: readonly Embed[];
  readonly components: readonly Component[];
  readonly flags: number;
  /** Names of the files that it would have. */
  readonly files: readonly string[];
  /** Names of the files that came with this request. */
  readonly uploads: readonly string[];
  readonly hasPoll: boolean;
  readonly hasStickers: boolean;
}

const isV2 = (draft: Draft): boolean => (draft.flags & flag.componentsV2) !== 0;

type Rule = (draft: Draft) => string[];

const rules: readonly Rule[] = [
  function contentLength({ content }) {
    return content.length > 2000 ? [`content has ${content.length} characters; 2000 is the most`] : [];
  },
  function notEmpty({ content, embeds, components, files, hasPoll, hasStickers }) {
    const has = content.trim() !== "" || hasPoll || hasStickers;
    const empty = !has && embeds.length === 0 && components.length === 0 && files.length === 0;
    return empty ? ["the message is empty"] : [];
  },
  function v2Alone(draft) {
    if (!isV2(draft)) return [];
    const faults: string[] = [];
    if (draft.components.length === 0) faults.push("components v2 without a component");
    if (draft.content !== "") faults.push("components v2 together with content");
    if (draft.embeds.length > 0) faults.push("components v2 together with embeds");
    if (draft.hasPoll) faults.push("components v2 together with a poll");
    if (draft.hasStickers) faults.push("components v2 together with stickers");
    return faults;
  },
  function v2Flag(draft) {
    const found = draft.components.find(({ type }) => type !== kind.row);
    return found !== undefined && !isV2(draft)
      ? [`a component of type ${found.type} needs the components v2 flag`]
      : [];
  },
  function v2Text(draft) {
    const total = everyComponent(draft.components)
      .filter(({ type }) => type === kind.textDisplay)
      .reduce((sum, { content }) => sum + (content ?? "").length, 0);
    return total > 4000 ? [`text displays hold ${total} characters in total; 4000 is the most`] : [];
  },
  function componentCount(draft) {
    const count = everyComponent(draft.components).length;
    if (isV2(draft)) return count > 40 ? [`${count} components in total; 40 is the most`] : [];
    return draft.components.length > 5 ? [`${draft.components.length} action rows; 5 is the most`] : [];
  },
  function ids({ components }) {
    return duplicates(everyComponent(components).flatMap(({ custom_id: id }) => (id ? [id] : []))).map(
      (id) => `custom_id ${id} is there twice`,
    );
  },
  function componentIds({ components }) {
    return duplicates(everyComponent(components).flatMap(({ id }) => (id ? [String(id)] : []))).map(
      (id) => `component id ${id} is there twice`,
    );
  },
  function rows({ components }) {
    return everyComponent(components)
      .filter(({ type }) => type === kind.row)
      .flatMap(({ components: inner }) => {
        const list = inner ?? [];
        const selects = list.filter(({ type }) => type !== kind.button).length;
        return selects > 0 && list.length > 1 ? ["a select shares its row"] : [];
      });
  },
  function buttons({ components }) {
    return everyComponent(components)
      .filter(({ type }) => type === kind.button)
      .flatMap(buttonFaults);
  },
  function selects({ components }) {
    return everyComponent(components).flatMap(selectFaults);
  },
  function attachments(draft) {
    const used = [
      ...everyComponent(draft.components).flatMap(mediaOf),
      ...draft.embeds.flatMap(({ image, thumbnail }) => [image?.url ?? "", thumbnail?.url ?? ""]),
    ]
      .filter((url) => url.startsWith("attachment://"))
      .map((url) => url.slice("attachment://".length));
    const missing = used
      .filter((name) => !draft.files.includes(name))
      .map(
        (name) => `attachment://${name} has no such file (there are: ${draft.files.join(", ") || "none"})`,
      );
    const unshown = isV2(draft) ? draft.uploads.filter((name) => !used.includes(name)) : [];
    return [...missing, ...unshown.map((name) => `no component shows the file ${name}`)];
  },
  function fileCount({ files }) {
    return files.length > 10 ? [`${files.length} files; 10 is the most`] : [];
  },
  function embedText({ embeds }) {
    const total = embeds.reduce((sum, embed) => sum + embedLength(embed), 0);
    return total > 6000 ? [`embeds hold ${total} characters in total; 6000 is the most`] : [];
  },
];

/** What is wrong with a message by the rules that no schema states; empty when nothing is. */
export function messageFaults(draft: Draft): string[] {
  return rules.flatMap((rule) => rule(draft));
}

/** Which texts of a body hold half a surrogate pair, which no JSON reader of Discord's takes. */
export function surrogateFaults(body: unknown, path = "body"): string[] {
  if (typeof body === "string") return body.isWellFormed() ? [] : [`${path} holds a lone surrogate`];
  if (Array.isArray(body)) return body.flatMap((one, index) => surrogateFaults(one, `${path}/${index}`));
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([key, value]) => surrogateFaults(value, `${path}/${key}`));
}

function buttonFaults(button: Component): string[] {
  const { style, custom_id: id, url, label, emoji } = button;
  const name = label ?? id ?? url ?? "?";
  if (style === 6) return [];
  const faults: string[] = [];
  if (style === 5) {
    if (!url) faults.push(`the link button ${name} has no url`);
    if (id) faults.push(`the link button ${name} has a custom_id`);
  } else {
    if (!id) faults.push(`the button ${name} has no custom_id`);
    if (url) faults.push(`the button ${name} has a url`);
  }
  if (!label && !emoji) faults.push(`the button ${name} has neither label nor emoji`);
  return faults;
}

/** Of messages and modals alike. */
export function selectFaults(component: Component): string[] {
  const { type, options, min_values: min, max_values: max, custom_id: id } = component;
  if (type < kind.stringSelect || type > kind.channelSelect || type === kind.textInput) return [];
  const faults: string[] = [];
  if ((min ?? 1) > (max ?? 1))
    faults.push(`the select ${id} wants at least ${min} and at most ${max} values`);
  if (type === kind.stringSelect) {
    const list = options ?? [];
    if ((max ?? 1) > list.length) faults.push(`the select ${id} takes ${max} of ${list.length} options`);
    if ((min ?? 1) > list.length) faults.push(`the select ${id} wants ${min} of ${list.length} options`);
    faults.push(
      ...duplicates(list.map(({ value }) => value)).map((value) => `the select ${id} has ${value} twice`),
    );
    const chosen = list.filter((option) => option.default === true).length;
    if (chosen > (max ?? 1)) faults.push(`the select ${id} has ${chosen} defaults`);
  }
  return faults;
}

function embedLength({ title, description, footer, author, fields }: Embed): number {
  const texts = [title, description, footer?.text, author?.name];
  for (const { name, value } of fields ?? []) texts.push(name, value);
  return texts.reduce((sum, text) => sum + (text ?? "").length, 0);
}

/** The values that are there more than once. */
export function duplicates(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}
