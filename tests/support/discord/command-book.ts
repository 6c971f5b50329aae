/** Command book: the commands that the bot has registered, globally and in guilds. */
import { type Call, type Core, checked, note, param, type Reply, type Route } from "./core.ts";
import { refusals } from "./refusal.ts";
import { commandFaults, commandSetFaults } from "./rules-commands.ts";
import { type CommandBody, commandShape } from "./shapes.ts";
import { snowflake } from "./snowflake.ts";
import type { Json } from "./wire.ts";

export interface RegisteredCommand {
  readonly id: string;
  /** Null for a global one. */
  readonly guildId: string | null;
  readonly body: CommandBody;
}

export class CommandBook {
  readonly #scopes = new Map<string, RegisteredCommand[]>();
  /** How often commands were overwritten. */
  writes = 0;

  list(guildId: string | null): readonly RegisteredCommand[] {
    return this.#scopes.get(guildId ?? "") ?? [];
  }

  /** What a person finds in a guild, or in a DM when it is null: the guild's own and the global commands. */
  visibleIn(guildId: string | null): readonly RegisteredCommand[] {
    if (guildId === null) {
      return this.list(null).filter(({ body }) =>
        body.contexts ? body.contexts.includes(1) : body.dm_permission !== false,
      );
    }
    const own = this.list(guildId);
    return [...own, ...this.list(null).filter(({ body }) => body.contexts?.includes(0) ?? true)];
  }

  overwrite(guildId: string | null, bodies: readonly CommandBody[]): readonly RegisteredCommand[] {
    this.writes += 1;
    const before = this.list(guildId);
    const registered = bodies.map((body) => ({ id: idOf(before, body) ?? snowflake(), guildId, body }));
    this.#scopes.set(guildId ?? "", registered);
    return registered;
  }
}

function idOf(commands: readonly RegisteredCommand[], body: CommandBody): string | undefined {
  return commands.find((one) => one.body.name === body.name && (one.body.type ?? 1) === (body.type ?? 1))?.id;
}

function commandJson(core: Core, { id, guildId, body }: RegisteredCommand): Json {
  return {
    dm_permission: true,
    contexts: null,
    integration_types: [0],
    nsfw: false,
    options: [],
    description: "",
    ...body,
    default_member_permissions: body.default_member_permissions ?? null,
    type: body.type ?? 1,
    id,
    application_id: core.world.applicationId,
    version: id,
    ...(guildId === null ? {} : { guild_id: guildId }),
  };
}

/** discord.js sends permissions as a text, where the description wants a number. */
function numbered(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("default_member_permissions" in body)) return body;
  const given = body.default_member_permissions;
  return typeof given === "string" && /^\d+$/.test(given)
    ? { ...body, default_member_permissions: Number(given) }
    : body;
}

function guildOf(core: Core, call: Call): string | null {
  if (call.params.app !== core.world.applicationId) throw refusals.missingAccess();
  const guild = call.params.guild;
  if (guild === undefined) return null;
  if (core.world.guilds.get(guild)?.botIn !== true) throw refusals.missingAccess();
  return guild;
}

function one(core: Core, call: Call, body: unknown): CommandBody {
  return checked(core, call, numbered(body), "ApplicationCommandUpdateRequest", commandShape, commandFaults);
}

function list(core: Core, call: Call): Reply {
  return { status: 200, body: core.commands.list(guildOf(core, call)).map((it) => commandJson(core, it)) };
}

function overwrite(core: Core, call: Call): Reply {
  const guild = guildOf(core, call);
  const given = Array.isArray(call.body) ? call.body : [call.body];
  const bodies = given.map((body) => one(core, call, body));
  const faults = commandSetFaults(bodies);
  if (faults.length > 0) {
    note(core, call, faults);
    throw refusals.invalidForm(faults);
  }
  return { status: 200, body: core.commands.overwrite(guild, bodies).map((it) => commandJson(core, it)) };
}

function create(core: Core, call: Call): Reply {
  const guild = guildOf(core, call);
  const body = one(core, call, call.body);
  const before = core.commands.list(guild);
  const others = before.filter(({ id }) => id !== idOf(before, body)).map((it) => it.body);
  const made = core.commands.overwrite(guild, [...others, body]).at(-1);
  return { status: 201, body: made === undefined ? null : commandJson(core, made) };
}

function remove(core: Core, call: Call): Reply {
  const guild = guildOf(core, call);
  const id = param(call, "command");
  const before = core.commands.list(guild);
  if (!before.some((it) => it.id === id)) throw refusals.unknownCommand();
  core.commands.overwrite(
    guild,
    before.filter((it) => it.id !== id).map(({ body }) => body),
  );
  return { status: 204 };
}

export const commandRoutes: readonly Route[] = ["", "/guilds/:guild"].flatMap((scope): Route[] => {
  const pattern = `/applications/:app${scope}/commands`;
  return [
    { method: "GET", pattern, handle: list },
    { method: "PUT", pattern, handle: overwrite },
    { method: "POST", pattern, handle: create },
    { method: "DELETE", pattern: `${pattern}/:command`, handle: remove },
  ];
});
