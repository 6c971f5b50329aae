/** What the bot needs of a Discord server: permissions with their reasons, the link that asks for them, and what is missing. */
import { type Guild, PermissionFlagsBits, PermissionsBitField } from "discord.js";
import type { Config } from "../../config/schema.ts";

export interface NeededPermission {
  readonly flag: keyof typeof PermissionFlagsBits;
  /** As Discord's settings call it. */
  readonly name: string;
  readonly why: string;
}

export const neededPermissions: readonly NeededPermission[] = [
  { flag: "ViewChannel", name: "View Channels", why: "to see the channels that it posts in" },
  { flag: "SendMessages", name: "Send Messages", why: "to post rounds, approvals and alerts" },
  { flag: "SendMessagesInThreads", name: "Send Messages in Threads", why: "to show a round in its thread" },
  { flag: "CreatePublicThreads", name: "Create Public Threads", why: "to open a thread for each round" },
  { flag: "AttachFiles", name: "Attach Files", why: "to attach sources, transcripts and charts" },
];

const bits = neededPermissions.map(({ flag }) => PermissionFlagsBits[flag]);

/** The permissions as the number that an invite link holds. */
export const permissionBits: string = new PermissionsBitField(bits).bitfield.toString();

/** Where somebody who manages a server lets the bot in. */
export function inviteLink(applicationId: string): string {
  const link = new URL("https://discord.com/oauth2/authorize");
  link.searchParams.set("client_id", applicationId);
  link.searchParams.set("scope", "bot applications.commands");
  link.searchParams.set("permissions", permissionBits);
  return link.href;
}

/** What to do in the portal, for whoever started the bot. */
export const portalSteps: readonly string[] = [
  'General: https://discord.com/developers/applications → New Application; under Bot switch "Public Bot" off, so that nobody else can add it.',
  "Intents: none of the privileged ones; the bot asks for Guilds alone.",
];

function namesOf(missing: readonly string[]): string {
  return neededPermissions
    .filter(({ flag }) => missing.includes(flag))
    .map(({ name }) => name)
    .join(", ");
}

/** One sentence for each place of a server in which the bot lacks permissions. */
export async function missingPermissions(guild: Guild, { discord }: Config): Promise<string[]> {
  const me = guild.members.me ?? (await guild.members.fetchMe());
  const sentences: string[] = [];
  const missing = me.permissions.missing(bits);
  if (missing.length > 0) sentences.push(`In ${guild.name} the bot lacks ${namesOf(missing)}.`);
  for (const id of discord.channels) {
    const channel = guild.channels.cache.get(id);
    const here = channel?.permissionsFor(me)?.missing(bits) ?? [];
    const more = here.filter((flag) => !missing.includes(flag));
    if (channel !== undefined && more.length > 0) {
      sentences.push(`In #${channel.name} of ${guild.name} the bot lacks ${namesOf(more)}.`);
    }
  }
  return sentences;
}
