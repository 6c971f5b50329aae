/** Threads: started from a message or without one, renamed, archived, joined. */
import { z } from "zod";
import { type Call, type Core, checked, param, type Reply, type Route, without } from "./core.ts";
import { refusals } from "./refusal.ts";
import { messageForBot } from "./routes-channels.ts";
import { startThread } from "./threads.ts";
import { channelJson, threadMemberJson } from "./wire.ts";
import { type Channel, channelType } from "./world.ts";

const threadShape = z.looseObject({
  name: z.string(),
  auto_archive_duration: z.number().nullish(),
  type: z.number().nullish(),
});
const changeShape = z.looseObject({
  name: z.string().nullish(),
  archived: z.boolean().nullish(),
  locked: z.boolean().nullish(),
  auto_archive_duration: z.number().nullish(),
});

function fromMessage(core: Core, call: Call): Reply {
  const channel = core.world.channelForBot(param(call, "channel"));
  if (channel.type !== channelType.text) throw refusals.invalidForm(["a thread can't start here"]);
  const message = messageForBot(core, call, channel);
  const given = checked(
    core,
    call,
    without(call.body, "type"),
    "CreateTextThreadWithMessageRequest",
    threadShape,
    () => [],
  );
  if (!core.world.botCan(channel, "CreatePublicThreads")) throw refusals.missingPermissions();
  if (message.threadId !== null) throw refusals.threadExists();
  const thread = startThread(core, channel, {
    name: given.name,
    autoArchive: given.auto_archive_duration ?? 1440,
    isPrivate: false,
    from: message,
    ownerId: core.world.bot.id,
  });
  return { status: 201, body: channelJson(core.world, thread) };
}

function withoutMessage(core: Core, call: Call): Reply {
  const channel = core.world.channelForBot(param(call, "channel"));
  if (channel.type !== channelType.text) throw refusals.invalidForm(["a thread can't start here"]);
  const given = checked(
    core,
    call,
    call.body,
    "CreateTextThreadWithoutMessageRequest",
    threadShape,
    () => [],
  );
  const isPrivate = given.type !== channelType.publicThread;
  if (!core.world.botCan(channel, isPrivate ? "CreatePrivateThreads" : "CreatePublicThreads")) {
    throw refusals.missingPermissions();
  }
  const thread = startThread(core, channel, {
    name: given.name,
    autoArchive: given.auto_archive_duration ?? 1440,
    isPrivate,
    from: null,
    ownerId: core.world.bot.id,
  });
  return { status: 201, body: channelJson(core.world, thread) };
}

function threadOf(core: Core, call: Call): { channel: Channel; thread: NonNullable<Channel["thread"]> } {
  const channel = core.world.channelForBot(param(call, "channel"));
  if (channel.thread === null) throw refusals.missingPermissions();
  return { channel, thread: channel.thread };
}

function change(core: Core, call: Call): Reply {
  const { channel, thread } = threadOf(core, call);
  const given = checked(
    core,
    call,
    without(call.body, "type"),
    "UpdateThreadRequestPartial",
    changeShape,
    ({ name }) => (name === "" ? ["the name of the thread is empty"] : []),
  );
  const manages = core.world.botCan(channel, "ManageThreads");
  // Opening an archived thread again takes no more than writing in it.
  const opens =
    given.archived === false && !thread.locked && core.world.botCan(channel, "SendMessagesInThreads");
  if (thread.ownerId !== core.world.bot.id && !manages && !opens) throw refusals.missingPermissions();
  if (thread.locked && !manages) throw refusals.lockedThread();
  if (given.locked === true && !manages) throw refusals.missingPermissions();
  if (thread.archived && given.archived !== false) throw refusals.archivedThread();
  if (given.name) channel.name = given.name;
  thread.archived = given.archived ?? thread.archived;
  thread.locked = given.locked ?? thread.locked;
  thread.autoArchive = given.auto_archive_duration ?? thread.autoArchive;
  const body = channelJson(core.world, channel);
  core.gateway.dispatch("THREAD_UPDATE", body);
  return { status: 200, body };
}

function addMember(core: Core, call: Call): Reply {
  const { channel, thread } = threadOf(core, call);
  const id = userOf(core, call);
  const guild = core.world.guilds.get(channel.guildId ?? "");
  if (guild?.members.has(id) !== true) throw refusals.unknownMember();
  if (thread.archived) throw refusals.archivedThread();
  thread.members.add(id);
  return { status: 204 };
}

function removeMember(core: Core, call: Call): Reply {
  const { channel, thread } = threadOf(core, call);
  const id = userOf(core, call);
  const may = id === core.world.bot.id || core.world.botCan(channel, "ManageThreads");
  if (!may && channel.type !== channelType.privateThread) throw refusals.missingPermissions();
  thread.members.delete(id);
  return { status: 204 };
}

function showMember(core: Core, call: Call): Reply {
  const { channel, thread } = threadOf(core, call);
  const id = userOf(core, call);
  if (!thread.members.has(id)) throw refusals.unknownMember();
  return { status: 200, body: threadMemberJson(channel, id) };
}

function members(core: Core, call: Call): Reply {
  const { channel, thread } = threadOf(core, call);
  return { status: 200, body: [...thread.members].map((id) => threadMemberJson(channel, id)) };
}

function userOf(core: Core, call: Call): string {
  const id = param(call, "user");
  return id === "@me" ? core.world.bot.id : id;
}

const threadMembers = "/channels/:channel/thread-members";

export const threadRoutes: readonly Route[] = [
  { method: "POST", pattern: "/channels/:channel/messages/:message/threads", handle: fromMessage },
  { method: "POST", pattern: "/channels/:channel/threads", handle: withoutMessage },
  { method: "PATCH", pattern: "/channels/:channel", handle: change },
  { method: "GET", pattern: threadMembers, handle: members },
  { method: "GET", pattern: `${threadMembers}/:user`, handle: showMember },
  { method: "PUT", pattern: `${threadMembers}/:user`, handle: addMember },
  { method: "DELETE", pattern: `${threadMembers}/:user`, handle: removeMember },
];
