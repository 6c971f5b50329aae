/** Composing: how the body of a request becomes a message, or changes one, with everything that is checked on the way. */
import { type Call, type Core, checked, note, without } from "./core.ts";
import { refusals } from "./refusal.ts";
import { type Draft, flag, kind, messageFaults } from "./rules-messages.ts";
import type { SchemaName } from "./schemas.ts";
import { everyComponent, type MessageBody, messageShape } from "./shapes.ts";
import { snowflake } from "./snowflake.ts";
import { textOf } from "./text.ts";
import type { Attachment, Channel, Message } from "./world.ts";

/** Bytes of one file. */
export const largestFile = 10 * 1024 * 1024;

interface Place {
  /** The schema that the body is held against. */
  readonly schema: SchemaName;
  readonly channel: Channel;
  readonly ephemeralFor?: string | null;
  readonly interactionId?: string | null;
}

/** A new message from a body that passes every check. `body` is the message alone, without the frame of a callback. */
export function compose(core: Core, call: Call, body: unknown, place: Place): Message {
  const given = read(core, call, body, place.schema, null);
  const ephemeral = place.ephemeralFor ?? null;
  const message: Message = {
    ...emptyMessage(core, place.channel, ephemeral, place.interactionId ?? null),
    nonce: given.nonce ?? null,
    replyTo: given.message_reference?.message_id ?? null,
  };
  apply(core, call, message, given);
  message.pings = pingsOf(given, message);
  add(place.channel, message);
  return message;
}

/** A message that holds nothing yet, and isn't in its channel. */
export function emptyMessage(
  core: Core,
  channel: Channel,
  ephemeralFor: string | null,
  interactionId: string | null,
): Message {
  return {
    id: snowflake(),
    channelId: channel.id,
    author: core.world.bot,
    content: "",
    embeds: [],
    components: [],
    attachments: [],
    flags: ephemeralFor === null ? 0 : flag.ephemeral,
    createdAt: Date.now(),
    editedAt: null,
    deleted: false,
    ephemeralFor,
    loading: false,
    interactionId,
    nonce: null,
    replyTo: null,
    threadId: null,
    pings: [],
    history: [],
  };
}

export function add(channel: Channel, message: Message): void {
  channel.messages.set(message.id, message);
  message.history.push({ at: message.createdAt, text: textOf(message) });
}

/** Changes a message by a body that passes every check. */
export function edit(core: Core, call: Call, body: unknown, message: Message, schema: SchemaName): void {
  const given = read(core, call, body, schema, message);
  message.loading = false;
  apply(core, call, message, given);
  message.editedAt = Date.now();
  message.history.push({ at: message.editedAt, text: textOf(message) });
}

function read(
  core: Core,
  call: Call,
  body: unknown,
  schema: SchemaName,
  before: Message | null,
): MessageBody {
  const bare = without(body, "tts", "enforce_nonce");
  const given = checked(core, call, bare, schema, messageShape, (parsed) => [
    ...messageFaults(draftOf(call, parsed, before)),
    ...attachmentFaults(call, parsed, before),
    ...flagFaults(parsed, before),
    ...doubleMentionFaults(parsed),
    ...(core.mentionsOff ? mentionFaults(parsed) : []),
  ]);
  const large = call.uploads.find(({ bytes }) => bytes.byteLength > largestFile);
  if (large !== undefined) {
    note(core, call, [
      `the file ${large.name} has ${large.bytes.byteLength} bytes; ${largestFile} is the most`,
    ]);
    throw refusals.tooLarge();
  }
  return given;
}

function draftOf(call: Call, body: MessageBody, before: Message | null): Draft {
  const uploads = call.uploads.map(({ name }) => name);
  return {
    content: body.content === undefined ? (before?.content ?? "") : (body.content ?? ""),
    embeds: body.embeds === undefined ? (before?.embeds ?? []) : (body.embeds ?? []),
    components: body.components === undefined ? (before?.components ?? []) : (body.components ?? []),
    flags: (before?.flags ?? 0) | (body.flags ?? 0),
    files: [...kept(body, before).map(({ name }) => name), ...uploads],
    uploads,
    hasPoll: body.poll !== undefined && body.poll !== null,
    hasStickers: (body.sticker_ids ?? []).length > 0,
  };
}

/** The files that stay: all when the body doesn't list any, else those that it lists. */
function kept(body: MessageBody, before: Message | null): Attachment[] {
  const there = before?.attachments ?? [];
  const list = body.attachments;
  if (list === undefined) return [...there];
  return there.filter(({ id }) => (list ?? []).some((one) => one.id === id));
}

function attachmentFaults(call: Call, body: MessageBody, before: Message | null): string[] {
  const known = [
    ...call.uploads.map(({ index }) => index),
    ...(before?.attachments ?? []).map(({ id }) => id),
  ];
  return (body.attachments ?? [])
    .filter(({ id }) => !known.includes(id))
    .map(({ id }) => `attachments lists ${id}, which is neither sent nor on the message`);
}

function flagFaults(body: MessageBody, before: Message | null): string[] {
  const allowed =
    before === null
      ? flag.ephemeral | flag.suppressEmbeds | flag.suppressNotifications | flag.componentsV2
      : flag.suppressEmbeds | flag.componentsV2;
  const wrong = (body.flags ?? 0) & ~allowed & ~(before?.flags ?? 0);
  return wrong === 0 ? [] : [`flags holds ${wrong}, which can't be set here`];
}

function doubleMentionFaults({ allowed_mentions: allowed }: MessageBody): string[] {
  return (["users", "roles"] as const)
    .filter((what) => allowed?.parse?.includes(what) === true && (allowed[what] ?? []).length > 0)
    .map((what) => `allowed_mentions parses ${what} and lists some`);
}

function mentionFaults(body: MessageBody): string[] {
  return textIn(body).trim() !== "" && !body.allowed_mentions ? ["a text without allowed_mentions"] : [];
}

function textIn(body: MessageBody): string {
  const displays = everyComponent(body.components ?? []).filter(({ type }) => type === kind.textDisplay);
  return [body.content ?? "", ...displays.map(({ content }) => content ?? "")].join("\n");
}

function apply(core: Core, call: Call, message: Message, body: MessageBody): void {
  const draft = draftOf(call, body, message);
  message.attachments = [
    ...kept(body, message),
    ...call.uploads.map((upload) => {
      const listed = body.attachments?.find(({ id }) => id === upload.index);
      const name = listed?.filename ?? upload.name;
      return core.cdn.keep(message.channelId, { ...upload, name }, listed?.description ?? null);
    }),
  ];
  message.content = draft.content;
  message.embeds = [...draft.embeds];
  message.components = [...draft.components];
  message.flags = draft.flags;
}

/** Whom a body notifies, given what it lets mentions do. */
function pingsOf(body: MessageBody, message: Message): string[] {
  // An ephemeral message notifies nobody but its reader.
  if (message.ephemeralFor !== null) return [];
  const text = textIn(body);
  const allowed = body.allowed_mentions;
  const parse = allowed ? (allowed.parse ?? []) : ["users", "roles", "everyone"];
  const found = (pattern: RegExp, what: string, listed: readonly string[] | null | undefined): string[] =>
    [...text.matchAll(pattern)]
      .map((match) => match[1] ?? "")
      .filter((id) => parse.includes(what) || (listed ?? []).includes(id));
  return [
    ...new Set([
      ...found(/<@!?(\d+)>/g, "users", allowed?.users),
      ...found(/<@&(\d+)>/g, "roles", allowed?.roles),
      ...(parse.includes("everyone") && /@(everyone|here)\b/.test(text) ? ["@everyone"] : []),
    ]),
  ];
}
