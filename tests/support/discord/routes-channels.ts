/** Channels: reading and writing messages with the bot's own token. */
import { z } from "zod";
import { compose, edit } from "./compose.ts";
import { type Call, type Core, checked, note, param, type Reply, type Route } from "./core.ts";
import { refusals } from "./refusal.ts";
import { messageShape } from "./shapes.ts";
import { archive, deleteThread } from "./threads.ts";
import { channelJson, messageJson } from "./wire.ts";
import type { Channel, Message } from "./world.ts";

/** How long Discord remembers a nonce: "a few minutes". Milliseconds. */
const nonceLasts = 3 * 60_000;

/** A message that the bot's token can reach. */
export function messageForBot(core: Core, call: Call, channel: Channel): Message {
  const message = channel.messages.get(param(call, "message"));
  if (message?.ephemeralFor) {
    note(core, call, ["an ephemeral message can't be reached with the bot's token"]);
    throw refusals.unknownMessage();
  }
  if (message === undefined || message.deleted) throw refusals.unknownMessage();
  return message;
}

function post(core: Core, call: Call): Reply {
  const { world } = core;
  const channel = world.channelForBot(param(call, "channel"));
  if (channel.recipient?.dmsOpen === false) throw refusals.closedDms();
  if (!world.botCan(channel, channel.thread === null ? "SendMessages" : "SendMessagesInThreads")) {
    throw refusals.missingPermissions();
  }
  if (channel.thread?.locked === true && !world.botCan(channel, "ManageThreads"))
    throw refusals.lockedThread();
  if (call.uploads.length > 0 && !world.botCan(channel, "AttachFiles")) throw refusals.missingPermissions();
  const given = messageShape.safeParse(call.body).data;
  if (given?.enforce_nonce === true && given.nonce) {
    const since = Date.now() - nonceLasts;
    const same = [...channel.messages.values()].find(
      ({ nonce, createdAt }) => nonce === given.nonce && createdAt > since,
    );
    if (same !== undefined) return { status: 200, body: messageJson(world, same) };
  }
  const replied = given?.message_reference?.message_id;
  if (replied && channel.messages.get(replied)?.deleted !== false) {
    throw refusals.invalidForm(["message_reference: Unknown message"]);
  }
  const message = compose(core, call, call.body, { schema: "MessageCreateRequest", channel });
  // Writing in an archived thread opens it again.
  if (channel.thread?.archived === true) archive(core, channel, false);
  return { status: 200, body: messageJson(world, message) };
}

function change(core: Core, call: Call): Reply {
  const channel = core.world.channelForBot(param(call, "channel"));
  const message = messageForBot(core, call, channel);
  if (message.author.id !== core.world.bot.id) throw refusals.notAuthor();
  if (channel.thread?.archived === true) throw refusals.archivedThread();
  edit(core, call, call.body, message, "MessageEditRequestPartial");
  return { status: 200, body: messageJson(core.world, message) };
}

function remove(core: Core, call: Call): Reply {
  const channel = core.world.channelForBot(param(call, "channel"));
  const message = messageForBot(core, call, channel);
  if (message.author.id !== core.world.bot.id && !core.world.botCan(channel, "ManageMessages")) {
    throw refusals.missingPermissions();
  }
  message.deleted = true;
  return { status: 204 };
}

function show(core: Core, call: Call): Reply {
  const channel = core.world.channelForBot(param(call, "channel"));
  if (!core.world.botCan(channel, "ReadMessageHistory")) throw refusals.missingAccess();
  return { status: 200, body: messageJson(core.world, messageForBot(core, call, channel)) };
}

function list(core: Core, call: Call): Reply {
  const channel = core.world.channelForBot(param(call, "channel"));
  const limit = Number(call.query.get("limit") ?? 50);
  if (!(limit >= 1 && limit <= 100)) {
    note(core, call, [`limit is ${limit}; it takes 1–100`]);
    throw refusals.invalidForm(["limit"]);
  }
  const before = call.query.get("before");
  const after = call.query.get("after");
  const messages = [...channel.messages.values()]
    .filter(({ deleted, ephemeralFor }) => !deleted && ephemeralFor === null)
    .filter(({ id }) => before === null || BigInt(id) < BigInt(before))
    .filter(({ id }) => after === null || BigInt(id) > BigInt(after));
  const picked = after === null ? messages.slice(-limit) : messages.slice(0, limit);
  return { status: 200, body: picked.reverse().map((one) => messageJson(core.world, one)) };
}

function showChannel(core: Core, call: Call): Reply {
  const channel = core.world.channelForBot(param(call, "channel"));
  return { status: 200, body: channelJson(core.world, channel) };
}

function removeChannel(core: Core, call: Call): Reply {
  const channel = core.world.channelForBot(param(call, "channel"));
  if (channel.thread === null || !core.world.botCan(channel, "ManageThreads"))
    throw refusals.missingPermissions();
  const gone = channelJson(core.world, channel);
  deleteThread(core, channel);
  return { status: 200, body: gone };
}

function type(core: Core, call: Call): Reply {
  core.world.channelForBot(param(call, "channel"));
  return { status: 204 };
}

function openDm(core: Core, call: Call): Reply {
  const { recipient_id: id } = checked(
    core,
    call,
    call.body,
    "CreatePrivateChannelRequest",
    z.looseObject({ recipient_id: z.string() }),
    () => [],
  );
  const user = core.world.users.get(id);
  if (user === undefined || user.bot) throw refusals.unknownUser();
  return { status: 200, body: channelJson(core.world, core.world.dmWith(user)) };
}

const messages = "/channels/:channel/messages";

export const channelRoutes: readonly Route[] = [
  { method: "GET", pattern: "/channels/:channel", handle: showChannel },
  { method: "DELETE", pattern: "/channels/:channel", handle: removeChannel },
  { method: "POST", pattern: "/channels/:channel/typing", handle: type },
  { method: "GET", pattern: messages, handle: list },
  { method: "POST", pattern: messages, handle: post },
  { method: "GET", pattern: `${messages}/:message`, handle: show },
  { method: "PATCH", pattern: `${messages}/:message`, handle: change },
  { method: "DELETE", pattern: `${messages}/:message`, handle: remove },
  { method: "POST", pattern: "/users/@me/channels", handle: openDm },
];
