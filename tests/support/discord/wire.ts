/** Wire: the things of the world as Discord writes them in answers and events. */
import { PermissionFlagsBits } from "discord.js";
import { kind } from "./rules-messages.ts";
import type { Component } from "./shapes.ts";
import type { Role, User, World } from "./world.ts";
import {
  type Attachment,
  type Channel,
  channelType,
  type Guild,
  type Member,
  type Message,
} from "./world.ts";

export type Json = Readonly<Record<string, unknown>>;

export function userJson({ id, name, bot }: User): Json {
  return {
    id,
    username: name,
    global_name: bot ? null : name,
    discriminator: "0",
    avatar: null,
    bot,
    public_flags: 0,
    flags: 0,
  };
}

export function memberJson({ user, roles, joinedAt }: Member): Json {
  return {
    user: userJson(user),
    roles: [...roles],
    nick: null,
    avatar: null,
    joined_at: new Date(joinedAt).toISOString(),
    premium_since: null,
    communication_disabled_until: null,
    deaf: false,
    mute: false,
    pending: false,
    flags: 0,
  };
}

export function roleJson({ id, name, permissions, managed }: Role, position: number): Json {
  return {
    id,
    name,
    permissions: permissions.toString(),
    managed,
    position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    mentionable: false,
    icon: null,
    unicode_emoji: null,
    flags: 0,
  };
}

export function channelJson(world: World, channel: Channel): Json {
  const { id, type, name, guildId, parentId, thread, recipient, messages } = channel;
  const lastMessage = [...messages.keys()].at(-1) ?? null;
  if (type === channelType.dm) {
    return {
      id,
      type,
      last_message_id: lastMessage,
      recipients: recipient ? [userJson(recipient)] : [],
      flags: 0,
    };
  }
  const common = {
    id,
    type,
    name,
    guild_id: guildId,
    parent_id: parentId,
    last_message_id: lastMessage,
    flags: 0,
  };
  if (thread === null) {
    return {
      ...common,
      position: 0,
      topic: null,
      nsfw: false,
      rate_limit_per_user: 0,
      permission_overwrites: [...channel.overwrites.values()].map((one) => ({
        id: one.id,
        type: one.type,
        allow: one.allow.toString(),
        deny: one.deny.toString(),
      })),
    };
  }
  const count = [...messages.values()].filter(({ ephemeralFor }) => ephemeralFor === null).length;
  return {
    ...common,
    owner_id: thread.ownerId,
    message_count: count,
    total_message_sent: count,
    member_count: thread.members.size,
    rate_limit_per_user: 0,
    thread_metadata: {
      archived: thread.archived,
      locked: thread.locked,
      auto_archive_duration: thread.autoArchive,
      archive_timestamp: new Date(thread.createdAt).toISOString(),
      create_timestamp: new Date(thread.createdAt).toISOString(),
      ...(type === channelType.privateThread ? { invitable: true } : {}),
    },
    ...(thread.members.has(world.bot.id) ? { member: threadMemberJson(channel, world.bot.id) } : {}),
  };
}

export function threadMemberJson(channel: Channel, userId: string): Json {
  return {
    id: channel.id,
    user_id: userId,
    join_timestamp: new Date(channel.thread?.createdAt ?? 0).toISOString(),
    flags: 0,
  };
}

/** A channel as interactions carry it. */
export function interactionChannelJson(world: World, channel: Channel, userId: string): Json {
  return { ...channelJson(world, channel), permissions: world.permissionsIn(channel, userId).toString() };
}

export function guildJson(world: World, guild: Guild): Json {
  const channels = [...world.channels.values()].filter((one) => one.guildId === guild.id && !one.deleted);
  const bot = guild.members.get(world.bot.id);
  return {
    ...guildInfoJson(guild),
    joined_at: new Date().toISOString(),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    members: bot === undefined ? [] : [memberJson(bot)],
    channels: channels.filter(({ thread }) => thread === null).map((one) => channelJson(world, one)),
    threads: channels
      .filter((one) => one.thread !== null && !one.thread.archived && world.botCan(one, "ViewChannel"))
      .map((one) => channelJson(world, one)),
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

/** A guild without what lives in it, as GET answers. */
export function guildInfoJson(guild: Guild): Json {
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.ownerId,
    icon: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    description: null,
    region: "deprecated",
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    widget_enabled: false,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    mfa_level: 0,
    application_id: null,
    vanity_url_code: null,
    premium_tier: 0,
    premium_progress_bar_enabled: false,
    preferred_locale: "en-US",
    nsfw_level: 0,
    nsfw: false,
    features: [],
    emojis: [],
    stickers: [],
    roles: [...guild.roles.values()].map(roleJson),
  };
}

export function attachmentJson({ id, name, bytes, contentType, url, description }: Attachment): Json {
  return {
    id,
    filename: name,
    size: bytes.byteLength,
    url,
    proxy_url: url,
    content_type: contentType,
    ...(description === null ? {} : { description }),
  };
}

export function messageJson(world: World, message: Message): Json {
  const { author, attachments } = message;
  const links = new Map(attachments.map(({ name, url }) => [`attachment://${name}`, url]));
  let next = 1;
  const number = (): number => next++;
  const thread = message.threadId === null ? undefined : world.channels.get(message.threadId);
  const replied =
    message.replyTo === null
      ? undefined
      : world.channels.get(message.channelId)?.messages.get(message.replyTo);
  return {
    id: message.id,
    channel_id: message.channelId,
    author: userJson(author),
    content: message.content,
    timestamp: new Date(message.createdAt).toISOString(),
    edited_timestamp: message.editedAt === null ? null : new Date(message.editedAt).toISOString(),
    tts: false,
    mention_everyone: message.pings.includes("@everyone"),
    mentions: message.pings.flatMap((id) => {
      const user = world.users.get(id);
      return user === undefined ? [] : [userJson(user)];
    }),
    mention_roles: message.pings.filter((id) => !world.users.has(id) && id !== "@everyone"),
    attachments: attachments.map(attachmentJson),
    embeds: message.embeds.map((embed) => ({ type: "rich", ...embed })),
    components: message.components.map((one) => componentJson(one, links, number)),
    pinned: false,
    type: message.interactionId !== null ? 20 : message.replyTo !== null ? 19 : 0,
    flags: message.flags | (message.loading ? 128 : 0) | (message.threadId === null ? 0 : 32),
    ...(author.bot ? { application_id: world.applicationId } : {}),
    ...(message.interactionId === null ? {} : { webhook_id: world.applicationId }),
    ...(message.nonce === null ? {} : { nonce: message.nonce }),
    ...(thread === undefined ? {} : { thread: channelJson(world, thread) }),
    ...(message.replyTo === null
      ? {}
      : {
          message_reference: { type: 0, message_id: message.replyTo, channel_id: message.channelId },
          referenced_message: replied === undefined || replied.deleted ? null : messageJson(world, replied),
        }),
  };
}

/** A component as Discord gives it back: numbered, with links in place of names of files. */
function componentJson(component: Component, links: ReadonlyMap<string, string>, number: () => number): Json {
  const id = component.id ?? number();
  const link = (media: { url: string } | null | undefined): Json | undefined =>
    media
      ? { ...media, url: links.get(media.url) ?? media.url, proxy_url: links.get(media.url) ?? media.url }
      : undefined;
  const { file, media, items, components, accessory, ...rest } = component;
  return {
    ...rest,
    id,
    ...(file ? { file: link(file), name: file.url.split("/").pop() ?? "", size: 0 } : {}),
    ...(media ? { media: link(media) } : {}),
    ...(items ? { items: items.map((item) => ({ ...item, media: link(item.media) })) } : {}),
    ...(components ? { components: components.map((one) => componentJson(one, links, number)) } : {}),
    ...(accessory ? { accessory: componentJson(accessory, links, number) } : {}),
    ...(component.type === kind.button ? { disabled: component.disabled ?? false } : {}),
  };
}

/** Every permission that the server hands out by default to everyone, and to the bot. */
export const defaultPermissions = {
  everyone:
    PermissionFlagsBits.ViewChannel |
    PermissionFlagsBits.SendMessages |
    PermissionFlagsBits.SendMessagesInThreads |
    PermissionFlagsBits.ReadMessageHistory |
    PermissionFlagsBits.AttachFiles |
    PermissionFlagsBits.EmbedLinks |
    PermissionFlagsBits.UseApplicationCommands,
  bot:
    PermissionFlagsBits.ViewChannel |
    PermissionFlagsBits.SendMessages |
    PermissionFlagsBits.SendMessagesInThreads |
    PermissionFlagsBits.CreatePublicThreads |
    PermissionFlagsBits.CreatePrivateThreads |
    PermissionFlagsBits.ReadMessageHistory |
    PermissionFlagsBits.AttachFiles |
    PermissionFlagsBits.EmbedLinks,
} as const;
