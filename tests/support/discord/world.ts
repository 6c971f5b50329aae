/** The world: guilds, roles, members, channels, threads and messages as they are now, and who may do what in them. */
import { PermissionFlagsBits } from "discord.js";
import { refusals } from "./refusal.ts";
import type { Component, Embed } from "./shapes.ts";
import { snowflake } from "./snowflake.ts";

export type Permission = keyof typeof PermissionFlagsBits;

export interface User {
  readonly id: string;
  readonly name: string;
  readonly bot: boolean;
  /** Whether the bot may write to them. */
  dmsOpen: boolean;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  permissions: bigint;
  readonly managed: boolean;
}

export interface Member {
  readonly user: User;
  readonly roles: Set<string>;
  readonly joinedAt: number;
}

export interface Overwrite {
  readonly id: string;
  readonly type: 0 | 1;
  allow: bigint;
  deny: bigint;
}

export interface ThreadState {
  readonly ownerId: string;
  readonly members: Set<string>;
  archived: boolean;
  locked: boolean;
  autoArchive: number;
  readonly createdAt: number;
}

export const channelType = { text: 0, dm: 1, publicThread: 11, privateThread: 12 } as const;

export interface Channel {
  readonly id: string;
  readonly type: 0 | 1 | 11 | 12;
  name: string;
  readonly guildId: string | null;
  readonly parentId: string | null;
  readonly overwrites: Map<string, Overwrite>;
  /** Of a DM. */
  readonly recipient: User | null;
  readonly thread: ThreadState | null;
  deleted: boolean;
  readonly messages: Map<string, Message>;
}

export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly url: string;
  readonly description: string | null;
  /** Whether its link still works. */
  expired: boolean;
}

/** How a message read at a time. */
export interface Version {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

/** A message as people see it now; the object stays the same over edits. */
export interface Message {
  readonly id: string;
  readonly channelId: string;
  readonly author: User;
  content: string;
  embeds: Embed[];
  components: Component[];
  attachments: Attachment[];
  flags: number;
  /** Milliseconds since 1970. */
  createdAt: number;
  editedAt: number | null;
  deleted: boolean;
  /** The one person who sees it; null when everybody in the channel does. */
  readonly ephemeralFor: string | null;
  /** Whether it still says that the bot is thinking. */
  loading: boolean;
  readonly interactionId: string | null;
  readonly nonce: string | number | null;
  readonly replyTo: string | null;
  /** The thread that was started from it. */
  threadId: string | null;
  /** Whom it notified: user ids, role ids, `@everyone`. */
  pings: string[];
  /** Every text it had, the first one included. */
  readonly history: Version[];
}

export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
  botIn: boolean;
}

export class World {
  readonly bot: User;
  readonly applicationId: string;
  readonly users = new Map<string, User>();
  readonly guilds = new Map<string, Guild>();
  readonly channels = new Map<string, Channel>();

  constructor() {
    this.applicationId = snowflake();
    this.bot = { id: this.applicationId, name: "spadework", bot: true, dmsOpen: false };
    this.users.set(this.bot.id, this.bot);
  }

  addUser(name: string): User {
    const user = { id: snowflake(), name, bot: false, dmsOpen: true };
    this.users.set(user.id, user);
    return user;
  }

  addGuild(name: string, everyone: bigint, bot: bigint): Guild {
    const id = snowflake();
    const owner = this.addUser("owner");
    const botRole = { id: snowflake(), name: this.bot.name, permissions: bot, managed: true };
    const guild: Guild = {
      id,
      name,
      ownerId: owner.id,
      roles: new Map([
        [id, { id, name: "@everyone", permissions: everyone, managed: false }],
        [botRole.id, botRole],
      ]),
      members: new Map(),
      botIn: true,
    };
    this.guilds.set(id, guild);
    for (const user of [owner, this.bot]) this.join(guild, user, user.bot ? [botRole.id] : []);
    return guild;
  }

  addRole(guild: Guild, name: string, permissions: bigint): Role {
    const role = { id: snowflake(), name, permissions, managed: false };
    guild.roles.set(role.id, role);
    return role;
  }

  join(guild: Guild, user: User, roles: readonly string[]): Member {
    const member = { user, roles: new Set(roles), joinedAt: Date.now() };
    guild.members.set(user.id, member);
    return member;
  }

  addChannel(options: Pick<Channel, "type" | "name" | "guildId"> & Partial<Channel>): Channel {
    const channel: Channel = {
      parentId: null,
      recipient: null,
      thread: null,
      id: snowflake(),
      overwrites: new Map(),
      deleted: false,
      messages: new Map(),
      ...options,
    };
    this.channels.set(channel.id, channel);
    return channel;
  }

  /** The DM of the bot with a person, made when it isn't there. */
  dmWith(user: User): Channel {
    const found = [...this.channels.values()].find(({ recipient }) => recipient?.id === user.id);
    return found ?? this.addChannel({ type: channelType.dm, name: "", guildId: null, recipient: user });
  }

  /** A channel the bot can reach. Throws Unknown Channel and Missing Access as Discord does. */
  channelForBot(id: string): Channel {
    const channel = this.channels.get(id);
    if (channel === undefined || channel.deleted) throw refusals.unknownChannel();
    if (channel.guildId === null) return channel;
    if (!this.botCan(channel, "ViewChannel")) throw refusals.missingAccess();
    return channel;
  }

  botCan(channel: Channel, ...permissions: readonly Permission[]): boolean {
    return this.can(channel, this.bot.id, ...permissions);
  }

  can(channel: Channel, userId: string, ...permissions: readonly Permission[]): boolean {
    const has = this.permissionsIn(channel, userId);
    return permissions.every((name) => (has & PermissionFlagsBits[name]) !== 0n);
  }

  /** What a member may do in a channel, by Discord's own order of roles and overwrites. In a DM: everything. */
  permissionsIn(channel: Channel, userId: string): bigint {
    if (channel.guildId === null) return ~0n & ((1n << 53n) - 1n);
    const guild = this.guilds.get(channel.guildId);
    const member = guild?.members.get(userId);
    if (guild === undefined || member === undefined) return 0n;
    if (userId === this.bot.id && !guild.botIn) return 0n;
    let has = this.permissionsOf(guild, member);
    if ((has & PermissionFlagsBits.Administrator) !== 0n) return has;
    const { overwrites } =
      (channel.parentId === null ? null : this.channels.get(channel.parentId)) ?? channel;
    const apply = (list: readonly Overwrite[]): void => {
      for (const { deny } of list) has &= ~deny;
      for (const { allow } of list) has |= allow;
    };
    apply([...overwrites.values()].filter(({ id }) => id === guild.id));
    apply([...overwrites.values()].filter(({ id }) => member.roles.has(id)));
    apply([...overwrites.values()].filter(({ id }) => id === userId));
    return has;
  }

  /** What a member may do in a guild, channels' overwrites left out. */
  permissionsOf(guild: Guild, member: Member): bigint {
    const all = Object.values(PermissionFlagsBits).reduce((sum, bit) => sum | bit, 0n);
    if (guild.ownerId === member.user.id) return all;
    let has = guild.roles.get(guild.id)?.permissions ?? 0n;
    for (const id of member.roles) has |= guild.roles.get(id)?.permissions ?? 0n;
    return (has & PermissionFlagsBits.Administrator) !== 0n ? all : has;
  }
}

/** The bits of named permissions, together. */
export function bitsOf(names: readonly Permission[]): bigint {
  return names.reduce((sum, name) => sum | PermissionFlagsBits[name], 0n);
}
