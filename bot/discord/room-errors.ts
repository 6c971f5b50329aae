/** What Discord's refusals mean to the lab: something is gone, a permission is missing, or Discord does not answer. */
import {
  type Client,
  DiscordAPIError,
  HTTPError,
  PermissionFlagsBits,
  RateLimitError,
  RESTJSONErrorCodes,
} from "discord.js";
import { ChatError, type ErrorCode } from "../../config/errors.ts";

/** Something that the bot does in a channel. */
export type Deed = "post" | "edit" | "remove" | "open a thread" | "look";

type Permission = keyof typeof permissionNames;

/** Permissions as Discord's settings call them. */
const permissionNames = {
  ViewChannel: "View Channel",
  SendMessages: "Send Messages",
  SendMessagesInThreads: "Send Messages in Threads",
  CreatePublicThreads: "Create Public Threads",
  AttachFiles: "Attach Files",
  ManageThreads: "Manage Threads",
} as const satisfies Partial<Record<keyof typeof PermissionFlagsBits, string>>;

function needed(deed: Deed, inThread: boolean): readonly Permission[] {
  if (deed === "look" || deed === "remove") return ["ViewChannel"];
  if (deed === "open a thread") {
    return ["ViewChannel", "CreatePublicThreads", "SendMessages", "SendMessagesInThreads"];
  }
  return ["ViewChannel", inThread ? "SendMessagesInThreads" : "SendMessages", "AttachFiles"];
}

/** Permissions that the bot lacks in a channel, as far as it can tell. */
function missing(client: Client<true>, channelId: string, deed: Deed): readonly Permission[] {
  const channel = client.channels.cache.get(channelId);
  if (channel === undefined || channel.isDMBased()) return [];
  const permissions = channel.permissionsFor(client.user);
  if (permissions === null) return [];
  return needed(deed, channel.isThread()).filter((one) => !permissions.has(PermissionFlagsBits[one]));
}

function placeName(client: Client<true>, channelId: string): string {
  const channel = client.channels.cache.get(channelId);
  if (channel === undefined) return "the channel";
  return channel.isDMBased() ? "direct messages" : `#${channel.name}`;
}

function forbidden(client: Client<true>, channelId: string, deed: Deed, cause: unknown): ChatError {
  const found = missing(client, channelId, deed);
  const inThread = client.channels.cache.get(channelId)?.isThread() ?? false;
  const names = (found.length > 0 ? found : needed(deed, inThread)).map((one) => permissionNames[one]);
  const lacks = found.length > 0 ? "it lacks" : "it needs";
  const where = placeName(client, channelId);
  return new ChatError(
    "chat.forbidden",
    `The bot may not ${deed} in ${where}: ${lacks} ${names.join(", ")}.`,
    {
      cause,
      data: { channelId, missing: found.join(" ") },
    },
  );
}

const sentences: Readonly<Partial<Record<number, readonly [ErrorCode, string]>>> = {
  [RESTJSONErrorCodes.UnknownChannel]: ["chat.gone", "The channel or thread was deleted."],
  [RESTJSONErrorCodes.UnknownMessage]: ["chat.gone", "The message was deleted."],
  [RESTJSONErrorCodes.UnknownGuild]: ["chat.gone", "The bot is no longer in the server."],
  [RESTJSONErrorCodes.UnknownUser]: ["chat.gone", "Discord knows no such person."],
  [RESTJSONErrorCodes.CannotSendMessagesToThisUser]: [
    "chat.forbidden",
    "That person takes no direct messages from the bot.",
  ],
  [RESTJSONErrorCodes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds]: [
    "chat.forbidden",
    "That person shares no server with the bot, so it may not write to them.",
  ],
  [RESTJSONErrorCodes.ThreadLocked]: [
    "chat.forbidden",
    "The thread is locked: the bot needs Manage Threads to go on in it.",
  ],
  [RESTJSONErrorCodes.InvalidActionOnArchivedThread]: [
    "chat.forbidden",
    "The thread is archived and locked: the bot needs Manage Threads to go on in it.",
  ],
  [RESTJSONErrorCodes.MaximumActiveThreads]: [
    "chat.unavailable",
    "The server has as many active threads as Discord allows; archive some.",
  ],
};

function fromDiscord(error: DiscordAPIError, client: Client<true>, channelId: string, deed: Deed): ChatError {
  const code = Number(error.code);
  const known = sentences[code];
  if (known !== undefined) return new ChatError(known[0], known[1], { cause: error, data: { channelId } });
  if (error.status === 401) return badToken(error);
  if (code === RESTJSONErrorCodes.MissingAccess) {
    // What the bot is not told of any more can't be given back by a permission alone.
    if (!client.channels.cache.has(channelId)) {
      return new ChatError(
        "chat.gone",
        "The bot can't reach the channel: it was removed from the server, or can no longer see it.",
        { cause: error, data: { channelId } },
      );
    }
    return forbidden(client, channelId, deed, error);
  }
  if (error.status === 403) return forbidden(client, channelId, deed, error);
  if (error.status === 429) {
    return new ChatError("chat.unavailable", "Discord takes no more requests for now.", { cause: error });
  }
  return new ChatError("internal.bug", `Discord refused what the bot sent (${error.status}, code ${code}).`, {
    cause: error,
    data: { channelId, status: error.status, discordCode: code },
  });
}

/** Whether a thrown value says that no answer came: time-outs, lost connections, 5xx. */
function isSilence(thrown: unknown): boolean {
  if (thrown instanceof HTTPError || thrown instanceof RateLimitError) return true;
  if (!(thrown instanceof Error)) return false;
  if (thrown.name === "AbortError" || thrown.name === "TimeoutError") return true;
  return "code" in thrown && typeof thrown.code === "string" && /^(E[A-Z]+|UND_ERR_\w+)$/.test(thrown.code);
}

/** After a 401 the client forgets its token, and then refuses to ask at all. */
function isTokenless(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.startsWith("Expected token to be set");
}

function badToken(cause: unknown): ChatError {
  return new ChatError("chat.bad-token", "Discord no longer accepts the bot's token.", { cause });
}

/** A thrown value of discord.js as what the lab does about it. What is not Discord's is given back as it is. */
export function chatErrorOf(thrown: unknown, client: Client<true>, channelId: string, deed: Deed): unknown {
  if (thrown instanceof DiscordAPIError) return fromDiscord(thrown, client, channelId, deed);
  if (isTokenless(thrown)) return badToken(thrown);
  if (isSilence(thrown)) {
    return new ChatError("chat.unavailable", "Discord did not answer.", {
      cause: thrown,
      data: { channelId },
    });
  }
  return thrown;
}

/** Whether Discord refused with this code of its own. */
export function isRefusal(thrown: unknown, code: RESTJSONErrorCodes): boolean {
  return thrown instanceof DiscordAPIError && Number(thrown.code) === code;
}
