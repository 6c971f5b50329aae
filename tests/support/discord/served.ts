/** The running server as tests hold it: the world and its changes, people, and what there is to see. */
import type { Server } from "node:http";
import type { Core } from "./core.ts";
import { type Faults, matches } from "./faults.ts";
import type { LoggedRequest } from "./http.ts";
import { Person } from "./people.ts";
import { textOf } from "./text.ts";
import { archive, deleteThread, threadsIn } from "./threads.ts";
import type { UntilOptions, Waiting } from "./waiting.ts";
import { channelJson, guildJson, roleJson } from "./wire.ts";
import { bitsOf, type Channel, type Guild, type Message, type Permission } from "./world.ts";

export interface ServedParts {
  readonly token: string;
  readonly port: number;
  readonly core: Core;
  readonly waiting: Waiting;
  readonly faults: Faults;
  readonly requests: readonly LoggedRequest[];
  readonly problems: string[];
  readonly http: Server;
}

export class DiscordServer {
  /** The bot's token; any other gets 401. */
  readonly token: string;
  readonly port: number;
  /** For `new Client({ rest: { api } })` and for SPADEWORK_DISCORD_API. */
  readonly api: string;
  readonly faults: Faults;
  /** Everything that was asked so far. */
  readonly requests: readonly LoggedRequest[];
  /** What the bot did wrong, one text a fault, with method and path. */
  readonly problems: string[];
  readonly #core: Core;
  readonly #waiting: Waiting;
  readonly #http: Server;

  constructor({ token, port, core, waiting, faults, requests, problems, http }: ServedParts) {
    this.token = token;
    this.port = port;
    this.api = `http://127.0.0.1:${port}/api`;
    this.faults = faults;
    this.requests = requests;
    this.problems = problems;
    this.#core = core;
    this.#waiting = waiting;
    this.#http = http;
  }

  get gateway() {
    return this.#core.gateway;
  }

  get applicationId(): string {
    return this.#core.world.applicationId;
  }

  /** The first guild's id. */
  get guildId(): string {
    return this.guild().id;
  }

  /** A guild by name, the first one without. */
  guild(name?: string): Guild {
    const guilds = [...this.#core.world.guilds.values()];
    const guild = name === undefined ? guilds[0] : guilds.find((one) => one.name === name);
    if (guild === undefined) throw new Error(`There is no guild ${name ?? "at all"}`);
    return guild;
  }

  /** A text channel's id by its name. */
  channelId(name: string, guildId = this.guildId): string {
    const channels = [...this.#core.world.channels.values()];
    const found = channels.find((one) => one.name === name && one.guildId === guildId && one.thread === null);
    if (found === undefined) throw new Error(`There is no channel ${name}`);
    return found.id;
  }

  roleId(name: string, guildId = this.guildId): string {
    const found = [...this.#guildById(guildId).roles.values()].find((one) => one.name === name);
    if (found === undefined) throw new Error(`There is no role ${name}`);
    return found.id;
  }

  /** The names of the commands that are registered in a guild, or globally. */
  commandNames(guildId: string | null = null): string[] {
    return this.#core.commands.list(guildId).map(({ body }) => body.name);
  }

  /** How often commands were written. */
  get commandWrites(): number {
    return this.#core.commands.writes;
  }

  /** A new person, member of a guild with roles by name. */
  user(name: string, { roles = [], guildId = this.guildId }: UserOptions = {}): Person {
    const user = this.#core.world.addUser(name);
    const ids = roles.map((role) => this.roleId(role, guildId));
    this.#core.world.join(this.#guildById(guildId), user, ids);
    return new Person(this.#core, this.#waiting, user);
  }

  /** What everybody sees in a channel, oldest first. */
  messages(channelId: string): Message[] {
    return [...this.channel(channelId).messages.values()].filter(
      ({ deleted, ephemeralFor }) => !deleted && ephemeralFor === null,
    );
  }

  /** The threads of a channel that are there, archived ones included. */
  threads(channelId: string): Channel[] {
    return threadsIn(this.#core.world, channelId);
  }

  /** A channel or thread by id, deleted ones included. */
  channel(id: string): Channel {
    const channel = this.#core.world.channels.get(id);
    if (channel === undefined) throw new Error(`There is no channel ${id}`);
    return channel;
  }

  /** Waits for a condition, and gives what it gave. Throws when the time (5 s) is over. */
  until<T>(condition: () => T | false | null | undefined, options: UntilOptions = {}): Promise<T> {
    return this.#waiting.until(condition, options, () => this.#problemText());
  }

  /** The newest message of a channel whose text holds a text or fits a pattern, when it is there. */
  messageWith(channelId: string, text: string | RegExp, options: UntilOptions = {}): Promise<Message> {
    const fits = (message: Message): boolean =>
      typeof text === "string" ? textOf(message).includes(text) : text.test(textOf(message));
    return this.until(() => this.messages(channelId).findLast(fits), {
      what: `a message with ${text} in #${this.channel(channelId).name}`,
      ...options,
    });
  }

  /** The newest thread of a channel, when it is there; with a pattern, the one whose name fits. */
  threadIn(channelId: string, name = /.*/, options: UntilOptions = {}): Promise<Channel> {
    const what = `a thread ${name} in #${this.channel(channelId).name}`;
    return this.until(() => this.threads(channelId).findLast((thread) => name.test(thread.name)), {
      what,
      ...options,
    });
  }

  /** Interactions that got no first answer, by what they are. */
  unanswered(): string[] {
    return this.#core.desk
      .all()
      .filter(({ acknowledged }) => acknowledged === null)
      .map(
        ({ type, user, payload }) =>
          `${user.name} type ${type}: ${JSON.stringify(payload.data).slice(0, 200)}`,
      );
  }

  addRole(person: Person, role: string, guildId = this.guildId): void {
    this.#member(person, guildId).roles.add(this.roleId(role, guildId));
  }

  removeRole(person: Person, role: string, guildId = this.guildId): void {
    this.#member(person, guildId).roles.delete(this.roleId(role, guildId));
  }

  /** Whether the bot may write to a person. */
  setDms(person: Person, open: boolean): void {
    person.user.dmsOpen = open;
  }

  /** Takes permissions in a channel from the bot, or from a role or person by id. */
  deny(channelId: string, permissions: readonly Permission[], who = this.applicationId): void {
    this.#overwrite(channelId, who, 0n, bitsOf(permissions));
  }

  /** Gives permissions in a channel, and takes back what was denied. */
  allow(channelId: string, permissions: readonly Permission[], who = this.applicationId): void {
    this.#overwrite(channelId, who, bitsOf(permissions), 0n);
  }

  /** Gives the bot permissions in the whole guild. */
  grantBot(permissions: readonly Permission[], guildId = this.guildId): void {
    const role = [...this.#guildById(guildId).roles.values()].find(({ managed }) => managed);
    if (role === undefined) return;
    role.permissions |= bitsOf(permissions);
    this.gateway.dispatch("GUILD_ROLE_UPDATE", { guild_id: guildId, role: roleJson(role, 1) });
  }

  deleteMessage(message: Message): void {
    message.deleted = true;
    this.#waiting.changed();
  }

  /** Deletes a channel or a thread. */
  deleteChannel(id: string): void {
    const channel = this.channel(id);
    if (channel.thread !== null) deleteThread(this.#core, channel);
    else {
      channel.deleted = true;
      for (const thread of this.threads(id)) thread.deleted = true;
      this.gateway.dispatch("CHANNEL_DELETE", channelJson(this.#core.world, channel));
    }
    this.#waiting.changed();
  }

  /** Archives a thread; a locked one can only be opened by those who manage threads. */
  archiveThread(id: string, { archived = true, locked = false } = {}): void {
    const { thread } = this.channel(id);
    if (thread !== null) thread.locked = locked;
    archive(this.#core, this.channel(id), archived);
  }

  /** Throws the bot out of a guild. */
  kickBot(guildId = this.guildId): void {
    this.#guildById(guildId).botIn = false;
    this.gateway.dispatch("GUILD_DELETE", { id: guildId });
  }

  /** Lets the bot into a guild again. */
  inviteBot(guildId = this.guildId): void {
    const guild = this.#guildById(guildId);
    guild.botIn = true;
    this.gateway.dispatch("GUILD_CREATE", guildJson(this.#core.world, guild));
  }

  /** What was asked on a route, named as faults name it: `POST /channels/:channel/messages`. */
  requestsOn(route: string): LoggedRequest[] {
    return this.requests.filter(({ method, path }) => matches(route, method, path));
  }

  /** Requests that were refused or broken, in order. */
  refusals(): LoggedRequest[] {
    return this.requests.filter(({ status }) => status === 0 || status >= 400);
  }

  /** How many requests got a 429. */
  get rateLimited(): number {
    return this.requests.filter(({ status }) => status === 429).length;
  }

  /** Throws every problem that there was. */
  assertNoProblems(): void {
    if (this.problems.length > 0) throw new Error(`The bot did wrong:${this.#problemText()}`);
  }

  /** Gives the problems so far, and forgets them. */
  takeProblems(): string[] {
    return this.problems.splice(0);
  }

  /** Cuts every connection and stops. */
  async stop(): Promise<void> {
    this.gateway.stop();
    await new Promise<void>((resolve) => {
      this.#http.close(() => resolve());
      this.#http.closeAllConnections();
    });
  }

  #problemText(): string {
    return this.problems.map((text) => `\n- ${text}`).join("");
  }

  #guildById(id: string): Guild {
    const guild = this.#core.world.guilds.get(id);
    if (guild === undefined) throw new Error(`There is no guild ${id}`);
    return guild;
  }

  #member(person: Person, guildId: string) {
    const member = this.#guildById(guildId).members.get(person.id);
    if (member === undefined) throw new Error(`${person.name} is no member`);
    return member;
  }

  #overwrite(channelId: string, who: string, allow: bigint, deny: bigint): void {
    const channel = this.channel(channelId);
    const isRole = this.#guildById(channel.guildId ?? "").roles.has(who);
    const overwrite = channel.overwrites.get(who) ?? { id: who, type: isRole ? 0 : 1, allow: 0n, deny: 0n };
    overwrite.allow = (overwrite.allow & ~deny) | allow;
    overwrite.deny = (overwrite.deny & ~allow) | deny;
    channel.overwrites.set(who, overwrite);
    this.gateway.dispatch("CHANNEL_UPDATE", channelJson(this.#core.world, channel));
  }
}

export interface UserOptions {
  /** Names of roles. */
  readonly roles?: readonly string[];
  readonly guildId?: string;
}
