/**
 * What a person in chat may do: the role that the lab's mapping gives them, and the servers and channels in which the
 * bot answers. Pure, so that every click can be checked before anything else happens.
 */
import { ChatError } from "../config/errors.ts";
import type { Config } from "../config/schema.ts";
import { type CallerRole, callerRoles } from "./caller.ts";

/** What a server says of its member. */
export interface Membership {
  readonly serverId: string;
  readonly roleIds: readonly string[];
  /** Whether they may manage the server. */
  readonly manages: boolean;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  /** Null in direct messages, where nobody can see any. */
  readonly membership: Membership | null;
}

/** Where something was said. */
export interface Spot {
  /** Null in direct messages. */
  readonly serverId: string | null;
  readonly channelId: string;
  /** The channel that a thread belongs to; null for anything else. */
  readonly parentId: string | null;
}

/** The part of the settings that says who may do what, where. */
export type PermissionConfig = Pick<Config, "roles" | "discord">;

/**
 * Throws `chat.not-here` if the allow lists leave the place out. A thread counts as its channel. Direct messages are
 * in no channel: there the person alone decides (`roleOf`).
 */
export function requirePlace(spot: Spot, { discord }: PermissionConfig): void {
  if (spot.serverId === null) return;
  if (discord.guilds.length > 0 && !discord.guilds.includes(spot.serverId)) {
    throw new ChatError("chat.not-here", "The lab does not answer in this server.");
  }
  if (discord.channels.length === 0) return;
  const channels = [spot.channelId, spot.parentId];
  if (!channels.some((id) => id !== null && discord.channels.includes(id))) {
    throw new ChatError("chat.not-here", "The lab does not answer in this channel.");
  }
}

/** The highest role that the mapping gives to one of these ids, null if it names none. */
function mappedRole(ids: readonly string[], roles: Config["roles"]): CallerRole | null {
  return callerRoles.findLast((role) => roles[role].some((id) => ids.includes(id))) ?? null;
}

/**
 * The person's role. With no mapping at all, members who may manage the server are admins and other members are
 * researchers. With one, it alone counts: whoever it does not name has no role. The id of a server stands for all its
 * members, as the role @everyone does in Discord.
 *
 * In direct messages a server's roles can't be seen, so only user ids count there. With no mapping people may look and
 * play there, unless the bot is kept to some servers: whether they are in one of those can't be seen either.
 * Throws `chat.no-role`.
 */
export function roleOf(person: Person, { roles, discord }: PermissionConfig): CallerRole {
  const { membership } = person;
  const mapped = callerRoles.some((role) => roles[role].length > 0);
  if (!mapped) {
    if (membership !== null) return membership.manages ? "admin" : "researcher";
    if (discord.guilds.length === 0) return "viewer";
    throw new ChatError(
      "chat.no-role",
      "In direct messages the lab can't see which server you are in: give the command in one of its channels.",
    );
  }
  const ids = membership === null ? [person.id] : [person.id, membership.serverId, ...membership.roleIds];
  const role = mappedRole(ids, roles);
  if (role !== null) return role;
  throw new ChatError(
    "chat.no-role",
    membership === null
      ? "Direct messages show no roles, and the lab does not know you by your user id: give the command in one of its channels."
      : `The lab gives ${person.name} no role: it names neither you nor a role that you have.`,
  );
}
