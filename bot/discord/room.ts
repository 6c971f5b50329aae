/**
 * The lab's room on Discord: posts, edits and threads through the client's REST queue. Everything can be asked for
 * twice, since an answer may be lost: a post carries a nonce that Discord keeps for some minutes, and a thread that is
 * there already is the thread.
 */
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { ChannelType, type Client, type RawFile, RESTJSONErrorCodes, Routes } from "discord.js";
import { z } from "zod";
import { ChatError } from "../../config/errors.ts";
import { card } from "../cards/card.ts";
import { oneLine } from "../cards/harmless.ts";
import type { Posted, PostOptions, Room } from "../chat/room.ts";
import { limits, shortened } from "./limits-of-text.ts";
import { bodyOf, type RenderedMessage, type RenderSurroundings, renderMessage } from "./render.ts";
import { isBlank, seen } from "./render-text.ts";
import { chatErrorOf, type Deed, isRefusal } from "./room-errors.ts";

export interface RoomOptions {
  /** Logged in. */
  readonly client: Client<true>;
  readonly surroundings: RenderSurroundings;
  /** Waits before further tries when Discord does not answer, milliseconds; the client itself tries four times at once. */
  readonly retryDelays?: readonly number[];
}

const withId = z.looseObject({ id: z.string() });
const channelShape = z.looseObject({ id: z.string(), type: z.number(), guild_id: z.string().optional() });
type ChannelFacts = z.infer<typeof channelShape>;

/** A week: the longest that a thread stays open without a message. */
const archiveMinutes = 10_080;

const threadKinds: readonly number[] = [
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.AnnouncementThread,
];

/** Kinds of channels in which threads can be opened from a message; elsewhere the channel itself has to do. */
const threadable: readonly number[] = [ChannelType.GuildText, ChannelType.GuildAnnouncement];

const nonceCharacters = 25;

/** A nonce of its own for every channel and key. */
function nonceOf(channelId: string, once: string): string {
  return createHash("sha256").update(`${channelId}\n${once}`).digest("base64url").slice(0, nonceCharacters);
}

function filesOf({ files }: RenderedMessage): RawFile[] {
  return files.map(({ name, attachment }) => ({ name, data: attachment }));
}

function threadName(title: string): string {
  const line = oneLine(seen(title));
  return isBlank(line) ? "thread" : shortened(line, limits.threadName);
}

export function createRoom({ client, surroundings, retryDelays = [500, 2_000, 8_000] }: RoomOptions): Room {
  const { rest } = client;
  /** Servers of channels that the client does not hold, e.g. archived threads. */
  const guilds = new Map<string, string>();
  const directChannels = new Map<string, string>();

  /** Does something that may be done twice, again when no answer came. Throws ChatError. */
  async function ask<T>(channelId: string, deed: Deed, request: () => Promise<T>): Promise<T> {
    for (const delay of [...retryDelays, null]) {
      try {
        return await request();
      } catch (thrown) {
        const error = chatErrorOf(thrown, client, channelId, deed);
        const unanswered = error instanceof ChatError && error.code === "chat.unavailable";
        if (!unanswered || delay === null) throw error;
        await wait(delay);
      }
    }
    throw new ChatError("chat.unavailable", "Discord did not answer.");
  }

  async function send(channelId: string, message: RenderedMessage, once: string): Promise<Posted> {
    const body = { ...bodyOf(message), nonce: nonceOf(channelId, once), enforce_nonce: true };
    const files = filesOf(message);
    const answer = await ask(channelId, "post", () =>
      rest.post(Routes.channelMessages(channelId), { body, files }),
    );
    return { channelId, messageId: withId.parse(answer).id };
  }

  async function channelFacts(channelId: string): Promise<ChannelFacts> {
    const held = client.channels.cache.get(channelId);
    if (held !== undefined) return { id: channelId, type: held.type };
    const answer = await ask(channelId, "look", () => rest.get(Routes.channel(channelId)));
    const facts = channelShape.parse(answer);
    if (facts.guild_id !== undefined) guilds.set(channelId, facts.guild_id);
    return facts;
  }

  /** A thread from a message; the one that is there if it has one. Its id is the message's. */
  async function threadFrom({ channelId, messageId }: Posted, name: string): Promise<string> {
    const open = (body: object) => rest.post(Routes.threads(channelId, messageId), { body });
    const id = await ask(channelId, "open a thread", async () => {
      try {
        return withId.parse(await open({ name, auto_archive_duration: archiveMinutes })).id;
      } catch (thrown) {
        if (isRefusal(thrown, RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage)) return messageId;
        if (!isRefusal(thrown, RESTJSONErrorCodes.InvalidFormBodyOrContentType)) throw thrown;
        // A channel that takes no week has a time of its own.
        return withId.parse(await open({ name })).id;
      }
    });
    const guildId = guildOf(channelId);
    if (guildId !== undefined) guilds.set(id, guildId);
    return id;
  }

  function guildOf(channelId: string): string | undefined {
    const held = client.channels.cache.get(channelId);
    if (held !== undefined) return held.isDMBased() ? undefined : held.guildId;
    if ([...directChannels.values()].includes(channelId)) return undefined;
    return guilds.get(channelId) ?? client.guilds.cache.firstKey();
  }

  return {
    async post(channelId: string, given, { mention = [], once }: PostOptions = {}) {
      const message = await renderMessage(given, surroundings, mention);
      return send(channelId, message, once ?? randomUUID());
    },

    async edit({ channelId, messageId }, given) {
      const message = await renderMessage(given, surroundings);
      const body = bodyOf(message);
      const files = filesOf(message);
      const change = () => rest.patch(Routes.channelMessage(channelId, messageId), { body, files });
      await ask(channelId, "edit", async () => {
        try {
          await change();
        } catch (thrown) {
          if (!isRefusal(thrown, RESTJSONErrorCodes.InvalidActionOnArchivedThread)) throw thrown;
          await rest.patch(Routes.channel(channelId), { body: { archived: false } });
          await change();
        }
      });
    },

    async remove({ channelId, messageId }) {
      try {
        await ask(channelId, "remove", () => rest.delete(Routes.channelMessage(channelId, messageId)));
      } catch (error) {
        // Gone is what was wanted.
        if (!(error instanceof ChatError) || error.code !== "chat.gone") throw error;
      }
    },

    async openThread(channelId, title, from) {
      const { type } = await channelFacts(channelId);
      if (threadKinds.includes(type) || !threadable.includes(type)) return channelId;
      const name = threadName(title);
      // A thread without a message would be opened twice when an answer is lost.
      const start = from ?? (await send(channelId, await starter(name), randomUUID()));
      return threadFrom(start, name);
    },

    async direct(personId) {
      const known = directChannels.get(personId);
      if (known !== undefined) return known;
      const answer = await ask(personId, "post", () =>
        rest.post(Routes.userChannels(), { body: { recipient_id: personId } }),
      );
      const { id } = withId.parse(answer);
      directChannels.set(personId, id);
      return id;
    },

    linkTo({ channelId, messageId }) {
      const path = [guildOf(channelId) ?? "@me", channelId, ...(messageId === undefined ? [] : [messageId])];
      return `https://discord.com/channels/${path.join("/")}`;
    },

    moment: (at, style = "full") => `<t:${Math.floor(at / 1_000)}:${style === "full" ? "f" : "R"}>`,
  };

  function starter(name: string): Promise<RenderedMessage> {
    return renderMessage(card(name, { blocks: [] }), surroundings);
  }
}
