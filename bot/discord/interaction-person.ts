/** Who gave a command in Discord, and where: what the interaction itself says, so that nothing has to be asked for. */
import { type BaseInteraction, PermissionFlagsBits } from "discord.js";
import type { Caller } from "../caller.ts";
import type { Place } from "../chat/team.ts";
import { type PermissionConfig, type Person, requirePlace, roleOf, type Spot } from "../permissions.ts";

/** The person as the lab's permissions see them. Roles are those that they had when Discord sent the interaction. */
export function personOf({ user, member, guildId, memberPermissions }: BaseInteraction): Person {
  if (guildId === null || member === null) return { id: user.id, name: user.username, membership: null };
  const roleIds = Array.isArray(member.roles) ? member.roles : [...member.roles.cache.keys()];
  return {
    id: user.id,
    // Names that people choose for themselves could be those of others; user names are unique.
    name: user.username,
    membership: {
      serverId: guildId,
      roleIds,
      manages: memberPermissions?.has(PermissionFlagsBits.ManageGuild) === true,
    },
  };
}

export function spotOf({ guildId, channelId, channel }: BaseInteraction): Spot {
  return {
    serverId: guildId,
    channelId: channelId ?? "",
    parentId: channel?.isThread() === true ? channel.parentId : null,
  };
}

export function placeOf({ guildId, channelId }: BaseInteraction): Place {
  return { channelId: channelId ?? "", shared: guildId !== null };
}

/** The caller. Throws `chat.not-here` and `chat.no-role`. */
export function callerOf(interaction: BaseInteraction, config: PermissionConfig): Caller {
  requirePlace(spotOf(interaction), config);
  const person = personOf(interaction);
  return { id: person.id, name: person.name, role: roleOf(person, config), surface: "discord" };
}
