/**
 * A Discord server for tests: REST (v10) and gateway on loopback, for the real discord.js client.
 *
 *     const discord = await startDiscord();
 *     const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: discord.api } });
 *     await client.login(discord.token);
 *     const ada = discord.user("ada", { roles: ["researcher"] });
 *     const answer = await ada.command(discord.channelId("lab"), "env show", { id: "e1" });
 *     expect(answer.text).toContain("Vault dial");
 *     const clicked = await ada.click(answer.reply, "Play");
 *     discord.assertNoProblems();
 *     await discord.stop();
 *
 * World. One guild `Lab` with the channels `general` and `lab` and the roles `admin`, `researcher`, `viewer` (which
 * give no permissions) and `manager` (Manage Server), unless `guilds` says otherwise. `guildId`, `channelId(name)`, `roleId(name)` give ids. `addRole`, `removeRole`, `deny`,
 * `allow`, `deleteMessage`, `deleteChannel` (threads too), `archiveThread`, `kickBot`, `inviteBot` change it, with the
 * events of Discord's that the intent Guilds brings.
 *
 * People. `user(name, { roles, guildId })` gives a `Person` (people.ts): `command`, `autocomplete`, `contextMenu`,
 * `click`, `clickTwice`, `select`, `submit`, `say`, `sees`, `reads`, `dm`. They refuse (throw) what Discord's client
 * would not send: unknown commands and options, missing or wrong values, disabled or absent buttons (unless `force`).
 * Files are `{ name, content, contentType?, expired? }`, given as the option's or field's value. Each returns a promise
 * of an `Answer` (answer.ts): `reply`, `text`, `followUps`, `modal`, `choices`, `isEphemeral`, `acknowledgedMs`,
 * `answeredWith`, `shown` (the newest message it brought), `skip(ms)` (lets the token grow old), `replay()` (the same
 * event again). It is waited for until there is content: for a deferral or deferred update until the edit or follow-up.
 * `wait: "acknowledged"` waits for the deferral alone (for clicks that only lead to messages of the bot's own), `wait:
 * "none"` for nothing; `timeoutMs` (5000) is for longer jobs, and `lateMs: 3100` lets the event arrive too late.
 *
 * What people see. `messages(channelId)` (for everybody), `person.sees(channelId)` (ephemeral ones too),
 * `threads(channelId)`, `textOf(message)`, `controlsOf(message)`; a `Message` (world.ts) stays the same object over
 * edits and keeps `history` (`{ at, text }`), `attachments` with `bytes`, `pings`, `ephemeralFor`, `deleted`.
 * `until(() => condition, { what, timeoutMs })` waits without sleeping and gives what the condition gave;
 * `messageWith(channelId, text)` and `threadIn(channelId, name)` wait for a message and a thread. `unanswered()` lists
 * interactions without a first answer.
 *
 * Problems. Every request is held against Discord's description and the rules of rules-*.ts. What is wrong is refused
 * as Discord refuses it, and stands in `problems`; `assertNoProblems()` throws them. Unknown routes, second or late
 * answers, and texts without `allowed_mentions` are problems too. Refusals by the state of the world (missing
 * permissions, deleted things, expired tokens) are not: `refusals()` lists them. `requests` logs everything,
 * `requestsOn("PATCH /channels/:channel/messages/:message")` a part, `rateLimited` counts the 429s.
 *
 * Faults. `faults.add(route, fault, times)` (faults.ts): `{ rateLimitMs, scope? }`, `{ drop: "before" | "after" }`,
 * `{ delayMs, when? }`, `{ status: 502 }`, `{ status, code, message }`, on the REST routes and on `GET /cdn/**`.
 * `buckets: true` enforces limits on the rate as large as Discord's. `gateway` (gateway.ts): `reconnect()`,
 * `close(4000)`, `drop({ refuseMs, hangMs })` (a refused client identifies anew and misses what happened, one that hangs
 * resumes), `invalidate()`, `refuseNextResume()`, `acknowledges = false`, and the counts `connected`, `identifies`,
 * `resumes`.
 */
import { z } from "zod";
import { Buckets } from "./buckets.ts";
import { Cdn } from "./cdn.ts";
import { CommandBook, commandRoutes } from "./command-book.ts";
import type { Core, Route } from "./core.ts";
import { Faults } from "./faults.ts";
import { Gateway } from "./gateway.ts";
import { createHttp, type LoggedRequest } from "./http.ts";
import { Desk } from "./interactions.ts";
import { basicRoutes } from "./routes-basics.ts";
import { callbackRoutes } from "./routes-callbacks.ts";
import { channelRoutes } from "./routes-channels.ts";
import { threadRoutes } from "./routes-threads.ts";
import { webhookRoutes } from "./routes-webhooks.ts";
import { loadSchemas } from "./schemas.ts";
import { DiscordServer } from "./served.ts";
import { Waiting } from "./waiting.ts";
import { defaultPermissions, guildJson, userJson } from "./wire.ts";
import { bitsOf, channelType, type Permission, World } from "./world.ts";

export { textOfModal } from "./modals.ts";
export { DiscordServer } from "./served.ts";
export { controlsOf, textOf } from "./text.ts";
export { present } from "./waiting.ts";

export interface GuildOptions {
  readonly name: string;
  readonly channels: readonly string[];
  /** Roles with the permissions that they add to everyone's. */
  readonly roles: Readonly<Record<string, readonly Permission[]>>;
}

export interface DiscordOptions {
  readonly guilds?: readonly GuildOptions[];
  /** The bot's token. */
  readonly token?: string;
  /** Whether intents other than Guilds are let in; by default they end with 4014. */
  readonly anyIntents?: boolean;
  /** Between heartbeats, milliseconds. */
  readonly heartbeatMs?: number;
  /** Limits on the rate of requests like Discord's; `oldAfterMs` is the age from which edits are scarcer (an hour). */
  readonly buckets?: boolean | { readonly oldAfterMs: number };
  /** Whether a text without `allowed_mentions` is a problem. Default true. */
  readonly mentionsOff?: boolean;
}

const routes: readonly Route[] = [
  ...basicRoutes,
  ...commandRoutes,
  ...callbackRoutes,
  ...webhookRoutes,
  ...channelRoutes,
  ...threadRoutes,
];

const lab: GuildOptions = {
  name: "Lab",
  channels: ["general", "lab"],
  roles: { admin: [], researcher: [], viewer: [], manager: ["ManageGuild"] },
};

/** Starts a server on a free port. Stop it when done. */
export async function startDiscord(options: DiscordOptions = {}): Promise<DiscordServer> {
  const token = options.token ?? "MTAwMDAwMDAwMDAwMDAwMDAx.GTests.loopback-token-of-the-test-server";
  const world = new World();
  for (const guild of options.guilds ?? [lab]) addGuild(world, guild);
  const waiting = new Waiting();
  const faults = new Faults();
  const requests: LoggedRequest[] = [];
  const problems: string[] = [];
  const check = await loadSchemas();
  const buckets = options.buckets
    ? new Buckets(typeof options.buckets === "object" ? options.buckets : {})
    : null;
  const http = createHttp({
    token,
    routes,
    faults,
    buckets,
    core: () => core,
    log: (request) => requests.push(request),
  });
  const problem = (text: string): void => {
    problems.push(text);
  };
  const gateway = new Gateway(http, {
    token,
    heartbeatMs: options.heartbeatMs ?? 41_250,
    anyIntents: options.anyIntents ?? false,
    ready: () => ({
      v: 10,
      user: { ...userJson(world.bot), verified: true, email: null, mfa_enabled: false },
      guilds: [...world.guilds.values()]
        .filter(({ botIn }) => botIn)
        .map(({ id }) => ({ id, unavailable: true })),
      application: { id: world.applicationId, flags: 0 },
    }),
    greetings: () =>
      [...world.guilds.values()]
        .filter(({ botIn }) => botIn)
        .map((guild) => ({ t: "GUILD_CREATE", d: guildJson(world, guild) })),
    problem,
    changed: () => waiting.changed(),
  });
  const core: Core = {
    world,
    gateway,
    desk: new Desk(),
    commands: new CommandBook(),
    cdn: new Cdn(),
    check,
    mentionsOff: options.mentionsOff ?? true,
    problem,
    changed: () => waiting.changed(),
  };
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = z.object({ port: z.number() }).parse(http.address());
  gateway.listenOn(port);
  core.cdn.listenOn(port);
  return new DiscordServer({ token, port, core, waiting, faults, requests, problems, http });
}

function addGuild(world: World, { name, channels, roles }: GuildOptions): void {
  const guild = world.addGuild(name, defaultPermissions.everyone, defaultPermissions.bot);
  for (const channel of channels)
    world.addChannel({ type: channelType.text, name: channel, guildId: guild.id });
  for (const [role, permissions] of Object.entries(roles)) world.addRole(guild, role, bitsOf(permissions));
}
