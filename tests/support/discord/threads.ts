/** Threads: how they begin, are archived and go, with the events that tell of it. */
import type { Core } from "./core.ts";
import { channelJson } from "./wire.ts";
import { type Channel, channelType, type Message, type World } from "./world.ts";

interface NewThread {
  readonly name: string;
  readonly autoArchive: number;
  readonly isPrivate: boolean;
  readonly from: Message | null;
  readonly ownerId: string;
}

export function startThread(
  core: Core,
  parent: Channel,
  { name, autoArchive, isPrivate, from, ownerId }: NewThread,
): Channel {
  const thread = core.world.addChannel({
    type: isPrivate ? channelType.privateThread : channelType.publicThread,
    name,
    guildId: parent.guildId,
    parentId: parent.id,
    // A thread that starts from a message has that message's id.
    ...(from === null ? {} : { id: from.id }),
    thread: {
      ownerId,
      members: new Set([ownerId]),
      archived: false,
      locked: false,
      autoArchive,
      createdAt: Date.now(),
    },
  });
  if (from !== null) from.threadId = thread.id;
  core.gateway.dispatch("THREAD_CREATE", { ...channelJson(core.world, thread), newly_created: true });
  return thread;
}

export function archive(core: Core, thread: Channel, archived: boolean): void {
  if (thread.thread === null) return;
  thread.thread.archived = archived;
  core.gateway.dispatch("THREAD_UPDATE", channelJson(core.world, thread));
}

export function deleteThread(core: Core, thread: Channel): void {
  thread.deleted = true;
  core.gateway.dispatch("THREAD_DELETE", {
    id: thread.id,
    guild_id: thread.guildId,
    parent_id: thread.parentId,
    type: thread.type,
  });
}

export function threadsIn(world: World, channelId: string): Channel[] {
  return [...world.channels.values()].filter(({ parentId, deleted }) => parentId === channelId && !deleted);
}
