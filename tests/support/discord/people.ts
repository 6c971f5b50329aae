/** People: what a person does in Discord's client, with what that client checks before it sends anything. */
import { Answer } from "./answer.ts";
import type { GivenFile } from "./cdn.ts";
import { findCommand, findMenu, type GivenOptions, refuseOptions } from "./client-checks.ts";
import { add, emptyMessage } from "./compose.ts";
import type { Core } from "./core.ts";
import { type Interaction, interactionType } from "./interactions.ts";
import { type Modal, type ModalValues, modalData } from "./modals.ts";
import { commandData, frame, resolvedIds } from "./payloads.ts";
import { kind } from "./rules-messages.ts";
import { type Control, controlsOf, textOf } from "./text.ts";
import { present, type Waiting } from "./waiting.ts";
import { type Json, messageJson } from "./wire.ts";
import type { Channel, Message, User } from "./world.ts";

export interface ActOptions {
  /** What the promise waits for. Default `answered`; `none` gives the answer at once, as it comes to be. */
  readonly wait?: "answered" | "acknowledged" | "none";
  /** Milliseconds. Default 5000. */
  readonly timeoutMs?: number;
  /** Time that passes before the bot gets the event (milliseconds): over 3000 and it is too late to answer. */
  readonly lateMs?: number;
}

export interface ClickOptions extends ActOptions {
  /** Clicks although the component is disabled, absent, or the message is gone, as from a client that lags behind. */
  readonly force?: boolean;
}

export class Person {
  readonly user: User;
  readonly #core: Core;
  readonly #waiting: Waiting;

  constructor(core: Core, waiting: Waiting, user: User) {
    this.#core = core;
    this.#waiting = waiting;
    this.user = user;
  }

  get id(): string {
    return this.user.id;
  }

  get name(): string {
    return this.user.name;
  }

  /** The id of the DM with the bot. */
  get dm(): string {
    return this.#core.world.dmWith(this.user).id;
  }

  /** Sends a slash command: `command(channel, "env show", { id: "e1" })`. Files go where their option is. */
  async command(
    channelId: string,
    typed: string,
    options: GivenOptions = {},
    act: ActOptions = {},
  ): Promise<Answer> {
    const channel = this.#channel(channelId);
    const found = findCommand(this.#commands(channel), typed, this.#permissions(channel));
    refuseOptions(typed, found.options, options);
    const data = commandData(this.#core, channel, found, options, null);
    return this.#act(`/${typed}`, channel, { type: interactionType.command, data }, act);
  }

  /** Types into an option that completes; `focused` is the last one given unless it is named. */
  async autocomplete(
    channelId: string,
    typed: string,
    options: GivenOptions,
    act: ActOptions & { readonly focused?: string } = {},
  ): Promise<Answer> {
    const channel = this.#channel(channelId);
    const found = findCommand(this.#commands(channel), typed, this.#permissions(channel));
    refuseOptions(typed, found.options, options, true);
    const focused = act.focused ?? Object.keys(options).at(-1);
    const option = found.options.find(({ name }) => name === focused);
    if (option === undefined || option.autocomplete !== true) {
      throw new Error(`/${typed} ${focused}: the option completes nothing`);
    }
    const data = commandData(this.#core, channel, found, options, option.name);
    const rest = { type: interactionType.autocomplete, data, completes: option.type };
    return this.#act(`the completion of /${typed} ${focused}`, channel, rest, act);
  }

  /** Picks an entry of a message's menu. */
  async contextMenu(name: string, given: Message | null | undefined, act: ActOptions = {}): Promise<Answer> {
    const message = present(given, `message with the menu ${name}`);
    const channel = this.#channel(message.channelId);
    this.#refuseUnseen(message);
    const command = findMenu(this.#commands(channel), name, this.#permissions(channel));
    const data = {
      id: command.id,
      name,
      type: 3,
      ...(command.guildId === null ? {} : { guild_id: command.guildId }),
      target_id: message.id,
      resolved: { messages: { [message.id]: messageJson(this.#core.world, message) } },
    };
    return this.#act(`the menu ${name}`, channel, { type: interactionType.command, data }, act);
  }

  /** Clicks a button, named by its custom id or its label. */
  async click(
    given: Message | null | undefined,
    which: string,
    { force = false, ...act }: ClickOptions = {},
  ): Promise<Answer> {
    const message = present(given, `message with the button ${which}`);
    const control = this.#control(message, which, force);
    const data = { custom_id: control?.customId ?? which, component_type: control?.type ?? kind.button };
    return this.#use(message, `the button ${which}`, data, act);
  }

  /** Clicks twice before the bot can answer: two events, each with its own answer. */
  async clickTwice(
    message: Message | null | undefined,
    which: string,
    act: ClickOptions = {},
  ): Promise<[Answer, Answer]> {
    return Promise.all([this.click(message, which, act), this.click(message, which, act)]);
  }

  /** Picks values in a select, named by its custom id or its placeholder; ids for people, roles and channels. */
  async select(
    given: Message | null | undefined,
    which: string,
    values: readonly string[],
    { force = false, ...act }: ClickOptions = {},
  ): Promise<Answer> {
    const message = present(given, `message with the select ${which}`);
    const control = this.#control(message, which, force);
    const component = control?.component;
    const known = component?.options?.map(({ value }) => value);
    const stranger = known === undefined ? undefined : values.find((value) => !known.includes(value));
    if (stranger !== undefined && !force)
      throw new Error(`${which} has no ${stranger}; it has: ${known?.join(", ")}`);
    const [fewest, most] = [component?.min_values ?? 1, component?.max_values ?? 1];
    if ((values.length < fewest || values.length > most) && !force) {
      throw new Error(`${which} takes ${fewest} to ${most} values`);
    }
    const data: Json = {
      custom_id: control?.customId ?? which,
      component_type: control?.type ?? kind.stringSelect,
      values,
      ...(control !== null && control.type !== kind.stringSelect
        ? { resolved: resolvedIds(this.#core, this.#channel(message.channelId), values) }
        : {}),
    };
    return this.#use(message, `the select ${which}`, data, act);
  }

  /** Fills a modal in and sends it; fields are named by custom id or label. */
  async submit(given: Modal | null | undefined, values: ModalValues, act: ActOptions = {}): Promise<Answer> {
    const modal = present(given, "modal");
    const channel = this.#channel(modal.channelId);
    const data = modalData(this.#core, channel, modal, values);
    const { source } = modal;
    return this.#act(`the modal ${modal.title}`, channel, { type: interactionType.modal, data, source }, act);
  }

  /** Writes a message of their own. */
  say(channelId: string, content: string, files: readonly GivenFile[] = []): Message {
    const channel = this.#channel(channelId);
    const message: Message = { ...emptyMessage(this.#core, channel, null, null), author: this.user, content };
    message.attachments = files.map((file) => this.#core.cdn.keepGiven(channelId, file));
    add(channel, message);
    this.#core.changed();
    return message;
  }

  /** What they see in a channel, oldest first: everybody's messages and those that only they see. */
  sees(channelId: string): Message[] {
    return [...this.#channel(channelId).messages.values()].filter((message) => this.#isSeen(message));
  }

  /** Everything they read in a channel, as one text. */
  reads(channelId: string): string {
    return this.sees(channelId).map(textOf).join("\n");
  }

  #isSeen({ deleted, ephemeralFor }: Message): boolean {
    return !deleted && (ephemeralFor === null || ephemeralFor === this.id);
  }

  #refuseUnseen(message: Message): void {
    if (!this.#isSeen(message)) throw new Error(`${this.name} doesn't see that message (any more)`);
  }

  #channel(id: string): Channel {
    const channel = this.#core.world.channels.get(id);
    if (channel === undefined || channel.deleted) throw new Error(`There is no channel ${id} (any more)`);
    const isOthers = channel.recipient !== null && channel.recipient.id !== this.id;
    const isHidden = channel.type === 12 && channel.thread?.members.has(this.id) !== true;
    if (isOthers || isHidden || !this.#core.world.can(channel, this.id, "ViewChannel")) {
      throw new Error(`${this.name} doesn't see the channel ${channel.name}`);
    }
    return channel;
  }

  #permissions(channel: Channel): bigint {
    return this.#core.world.permissionsIn(channel, this.id);
  }

  #commands(channel: Channel) {
    const { world, commands } = this.#core;
    if (channel.guildId !== null && world.guilds.get(channel.guildId)?.botIn !== true) return [];
    return commands.visibleIn(channel.guildId);
  }

  #control(message: Message, which: string, force: boolean): Control | null {
    const controls = controlsOf(message);
    const control = controls.find(({ customId, label }) => customId === which || label === which);
    if (force) return control ?? null;
    this.#refuseUnseen(message);
    if (control === undefined) {
      const labels = controls.map(({ label, customId }) => label || customId).join(", ");
      throw new Error(`The message has no ${which}; it has: ${labels || "nothing to click"}`);
    }
    if (control.disabled) throw new Error(`${which} is disabled`);
    if (control.component.style === 5) throw new Error(`${which} is a link, which the bot never hears of`);
    return control;
  }

  #use(message: Message, what: string, data: Json, act: ActOptions): Promise<Answer> {
    const channel = this.#channel(message.channelId);
    return this.#act(what, channel, { type: interactionType.component, data, source: message }, act);
  }

  async #act(
    what: string,
    channel: Channel,
    done: Pick<Interaction, "type"> &
      Partial<Pick<Interaction, "source" | "completes">> & { readonly data: Json },
    { wait = "answered", timeoutMs, lateMs = 0 }: ActOptions,
  ): Promise<Answer> {
    const { type, data, source = null, completes = null } = done;
    const message = source === null ? {} : { message: messageJson(this.#core.world, source) };
    const interaction = this.#core.desk.open({
      type,
      user: this.user,
      channelId: channel.id,
      source,
      completes,
      payload: frame(this.#core, type, this.user, channel, { data, ...message }),
    });
    interaction.skippedMs = lateMs;
    const answer = new Answer(this.#core, this.#waiting, interaction, `${what} of ${this.name}`);
    answer.replay();
    const options = timeoutMs === undefined ? {} : { timeoutMs };
    if (wait === "acknowledged") await answer.acknowledged(options);
    else if (wait === "answered") await answer.answered(options);
    return answer;
  }
}
