/** Basics: who the bot is, where the gateway is, and what a guild holds. */
import { type Call, type Core, param, type Reply, type Route } from "./core.ts";
import { refusals } from "./refusal.ts";
import { channelJson, guildInfoJson, memberJson, roleJson, userJson } from "./wire.ts";
import type { Guild } from "./world.ts";

function guildOf(core: Core, call: Call): Guild {
  const guild = core.world.guilds.get(param(call, "guild"));
  if (guild === undefined || !guild.botIn) throw refusals.unknownGuild();
  return guild;
}

export function applicationJson(core: Pick<Core, "world">): unknown {
  return {
    id: core.world.applicationId,
    name: core.world.bot.name,
    icon: null,
    description: "",
    type: null,
    bot: userJson(core.world.bot),
    summary: "",
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: "0".repeat(64),
    flags: 0,
    hook: true,
    redirect_uris: [],
    interactions_endpoint_url: null,
    owner: userJson({ id: "100000000000000001", name: "owner", bot: false, dmsOpen: true }),
    approximate_guild_count: core.world.guilds.size,
    team: null,
  };
}

function member(core: Core, call: Call): Reply {
  const found = guildOf(core, call).members.get(param(call, "user"));
  if (found === undefined) throw refusals.unknownMember();
  return { status: 200, body: memberJson(found) };
}

function user(core: Core, call: Call): Reply {
  const found = core.world.users.get(param(call, "user"));
  if (found === undefined) throw refusals.unknownUser();
  return { status: 200, body: userJson(found) };
}

function activeThreads(core: Core, call: Call): Reply {
  const guild = guildOf(core, call);
  const threads = [...core.world.channels.values()].filter(
    (one) => one.guildId === guild.id && one.thread?.archived === false && !one.deleted,
  );
  return { status: 200, body: { threads: threads.map((one) => channelJson(core.world, one)), members: [] } };
}

export const basicRoutes: readonly Route[] = [
  {
    method: "GET",
    pattern: "/gateway/bot",
    handle: (core) => ({
      status: 200,
      body: {
        url: core.gateway.url,
        shards: 1,
        session_start_limit: { total: 1000, remaining: 999, reset_after: 14_400_000, max_concurrency: 1 },
      },
    }),
  },
  {
    method: "GET",
    pattern: "/users/@me",
    handle: (core) => ({ status: 200, body: userJson(core.world.bot) }),
  },
  { method: "GET", pattern: "/users/:user", handle: user },
  {
    method: "GET",
    pattern: "/applications/@me",
    handle: (core) => ({ status: 200, body: applicationJson(core) }),
  },
  {
    method: "GET",
    pattern: "/oauth2/applications/@me",
    handle: (core) => ({ status: 200, body: applicationJson(core) }),
  },
  {
    method: "GET",
    pattern: "/guilds/:guild",
    handle: (core, call) => ({ status: 200, body: guildInfoJson(guildOf(core, call)) }),
  },
  {
    method: "GET",
    pattern: "/guilds/:guild/roles",
    handle: (core, call) => ({ status: 200, body: [...guildOf(core, call).roles.values()].map(roleJson) }),
  },
  {
    method: "GET",
    pattern: "/guilds/:guild/channels",
    handle: (core, call) => {
      const guild = guildOf(core, call);
      const channels = [...core.world.channels.values()].filter(
        (one) => one.guildId === guild.id && one.thread === null && !one.deleted,
      );
      return { status: 200, body: channels.map((one) => channelJson(core.world, one)) };
    },
  },
  { method: "GET", pattern: "/guilds/:guild/threads/active", handle: activeThreads },
  { method: "GET", pattern: "/guilds/:guild/members/:user", handle: member },
];
