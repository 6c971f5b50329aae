/** Payloads: the events by which Discord tells the bot what a person did. */
import type { GivenFile } from "./cdn.ts";
import type { FoundCommand, GivenOptions } from "./client-checks.ts";
import { largestFile } from "./compose.ts";
import type { Core } from "./core.ts";
import type { InteractionType } from "./interactions.ts";
import { optionKind } from "./rules-commands.ts";
import { attachmentJson, interactionChannelJson, type Json, memberJson, roleJson, userJson } from "./wire.ts";
import type { Channel, User } from "./world.ts";

/** What every interaction carries. */
export function frame(
  core: Core,
  type: InteractionType,
  user: User,
  channel: Channel,
  rest: Json,
): (id: string, token: string) => Json {
  const { world } = core;
  return (id, token) => {
    const guild = channel.guildId === null ? null : (world.guilds.get(channel.guildId) ?? null);
    const member = guild?.members.get(user.id);
    return {
      id,
      token,
      type,
      version: 1,
      application_id: world.applicationId,
      channel_id: channel.id,
      channel: interactionChannelJson(world, channel, user.id),
      locale: "en-US",
      entitlements: [],
      authorizing_integration_owners: { "0": guild?.id ?? "0" },
      context: guild === null ? 1 : 0,
      app_permissions: world.permissionsIn(channel, world.bot.id).toString(),
      attachment_size_limit: largestFile,
      ...(guild === null || member === undefined
        ? { user: userJson(user) }
        : {
            guild_id: guild.id,
            guild_locale: "en-US",
            guild: { id: guild.id, locale: "en-US", features: [] },
            member: { ...memberJson(member), permissions: world.permissionsIn(channel, user.id).toString() },
          }),
      ...rest,
    };
  };
}

/** The data of a slash command, or of the completion of its option `focused`. */
export function commandData(
  core: Core,
  channel: Channel,
  { command, path, options }: FoundCommand,
  given: GivenOptions,
  focused: string | null,
): Json {
  const files: GivenFile[] = [];
  const attachments: Record<string, Json> = {};
  const leaves = options
    .filter(({ name }) => given[name] !== undefined)
    .map(({ name, type }): Json => {
      const value = given[name];
      if (typeof value !== "object") {
        return { name, type, value, ...(focused === name ? { focused: true } : {}) };
      }
      files.push(value);
      const kept = core.cdn.keepGiven(channel.id, value);
      attachments[kept.id] = { ...attachmentJson(kept), ephemeral: true };
      return { name, type, value: kept.id };
    });
  const nested = path.reduceRight<readonly Json[]>(
    (inner, { name, type }) => [{ name, type, options: inner }],
    leaves,
  );
  return {
    id: command.id,
    name: command.body.name,
    type: 1,
    ...(command.guildId === null ? {} : { guild_id: command.guildId }),
    options: nested,
    resolved: {
      ...(files.length > 0 ? { attachments } : {}),
      ...resolvedIds(
        core,
        channel,
        options.flatMap(({ name, type }) => {
          const value = given[name];
          const refers = type >= optionKind.user && type <= optionKind.mentionable;
          return refers && typeof value === "string" ? [value] : [];
        }),
      ),
    },
  };
}

/** People, members, roles and channels that ids refer to. */
export function resolvedIds(core: Core, channel: Channel, ids: readonly string[]): Json {
  const guild = core.world.guilds.get(channel.guildId ?? "");
  const users: Record<string, Json> = {};
  const members: Record<string, Json> = {};
  const roles: Record<string, Json> = {};
  const channels: Record<string, Json> = {};
  for (const id of ids) {
    const user = core.world.users.get(id);
    const member = guild?.members.get(id);
    const role = guild?.roles.get(id);
    const other = core.world.channels.get(id);
    if (user !== undefined) users[id] = userJson(user);
    if (member !== undefined) {
      const { user: _user, deaf: _deaf, mute: _mute, ...rest } = memberJson(member);
      members[id] = { ...rest, permissions: core.world.permissionsIn(channel, id).toString() };
    }
    if (role !== undefined) roles[id] = roleJson(role, 1);
    if (other !== undefined) channels[id] = interactionChannelJson(core.world, other, core.world.bot.id);
  }
  const all = { users, members, roles, channels };
  return Object.fromEntries(Object.entries(all).filter(([, found]) => Object.keys(found).length > 0));
}
