/**
 * The answer to one interaction: acknowledged within Discord's 3 seconds, filled in within the 15 minutes that its
 * token lasts, and posted as a message of the bot's own when it comes later or the reply is gone.
 */
import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  DiscordAPIError,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
  RESTJSONErrorCodes,
} from "discord.js";
import type { Logger } from "pino";
import { asSpadeworkError, type SpadeworkError } from "../../config/errors.ts";
import type { Redact } from "../../config/redact.ts";
import type { Card } from "../cards/card.ts";
import { errorCard } from "../cards/error-card.ts";
import type { Room } from "../chat/room.ts";
import type { Audience } from "../commands/command.ts";
import { editOf, type RenderedMessage, type RenderSurroundings, renderMessage } from "./render.ts";

export type Answerable =
  | ButtonInteraction
  | ChatInputCommandInteraction
  | MessageContextMenuCommandInteraction
  | ModalSubmitInteraction;

/** Discord says 15 minutes; the answer must also get there. */
const tokenMs = 14.5 * 60_000;

export interface ReplyTools {
  readonly surroundings: RenderSurroundings;
  readonly redact: Redact;
  readonly log: Logger;
  readonly room: Room;
  readonly now: () => number;
}

/** What Discord says when an acknowledgement can't count: it came too late, or another one came first. */
const lost: ReadonlyMap<number | string, string> = new Map<number | string, string>([
  [RESTJSONErrorCodes.UnknownInteraction, "an interaction came too late to answer; nothing was done"],
  [
    RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
    "an interaction was answered already, by another process or a lost answer; nothing was done",
  ],
]);

/** What Discord says when there is no reply (any more) to fill in. */
const gone: ReadonlySet<number | string> = new Set<number | string>([
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.UnknownWebhook,
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InvalidWebhookToken,
]);

export class Reply {
  readonly #interaction: Answerable;
  readonly #tools: ReplyTools;
  readonly #surroundings: RenderSurroundings;
  /** How the acknowledgement went: a reply of its own that is to be filled in, or the message that the button is on. */
  #acknowledged: "reply" | "update" | null = null;
  #audience: Audience = "caller";

  constructor(interaction: Answerable, tools: ReplyTools) {
    this.#interaction = interaction;
    this.#tools = tools;
    this.#surroundings = { ...tools.surroundings, fileBytes: interaction.attachmentSizeLimit };
  }

  /**
   * Acknowledges, so that the answer may take its time: a click without a trace, anything else with "is thinking".
   * False if Discord did not take it: then nobody would see an answer, and nothing must be done.
   */
  async acknowledge(audience: Audience): Promise<boolean> {
    const interaction = this.#interaction;
    this.#audience = audience;
    if (interaction.isButton() || (interaction.isModalSubmit() && interaction.isFromMessage())) {
      this.#acknowledged = "update";
      return this.#first(() => interaction.deferUpdate());
    }
    this.#acknowledged = "reply";
    return this.#first(() =>
      interaction.deferReply(audience === "caller" ? { flags: MessageFlags.Ephemeral } : {}),
    );
  }

  /** One first answer, whose failure is for the log. */
  async #first(send: () => Promise<unknown>): Promise<boolean> {
    try {
      await send();
      return true;
    } catch (error) {
      const code = error instanceof DiscordAPIError ? error.code : null;
      const known = code === null ? undefined : lost.get(code);
      const { log } = this.#tools;
      if (known === undefined)
        log.error({ err: error }, "an interaction could not be acknowledged; nothing was done");
      else log.warn({ err: error }, known);
      return false;
    }
  }

  /** Opens a form, which is an acknowledgement too. */
  async form(body: Parameters<ButtonInteraction["showModal"]>[0]): Promise<boolean> {
    const interaction = this.#interaction;
    if (interaction.isModalSubmit()) throw new Error("a form can't follow a form");
    return this.#first(() => interaction.showModal(body));
  }

  /** Tells the caller alone that nothing was done. As a first answer it takes the acknowledgement's place. */
  async refuse(thrown: unknown): Promise<void> {
    const error = this.#told(thrown);
    if (this.#acknowledged !== null) {
      // A reply that everybody sees already can only be filled in; after a click, a message of the caller's own comes.
      const audience = this.#acknowledged === "reply" ? this.#audience : "caller";
      return this.#put(errorCard(error, this.#tools.redact), audience, false);
    }
    const message = await renderMessage(errorCard(error, this.#tools.redact), this.#surroundings);
    await this.#first(() =>
      this.#interaction.reply({ ...message, flags: message.flags | MessageFlags.Ephemeral }),
    );
  }

  /** The answer. `replaces`: it takes the place of the message that the button is on. */
  answer(card: Card, replaces: boolean): Promise<void> {
    return this.#put(card, this.#audience, replaces);
  }

  #told(thrown: unknown): SpadeworkError {
    const error = asSpadeworkError(thrown);
    this.#tools.log[error.exit === 1 ? "error" : "info"]({ err: error }, error.message);
    return error;
  }

  async #put(given: Card, audience: Audience, replaces: boolean): Promise<void> {
    const { log, now } = this.#tools;
    const { card, message } = await this.#drawn(given);
    if (now() - this.#interaction.createdTimestamp < tokenMs) {
      try {
        return await this.#byToken(message, audience, replaces);
      } catch (error) {
        const code = error instanceof DiscordAPIError ? error.code : null;
        const isGone = code !== null && gone.has(code);
        log.warn(
          { err: error },
          isGone ? "the reply is gone; the answer is posted" : "an answer failed; it is posted",
        );
      }
    }
    await this.#byRoom(card, audience);
  }

  /** A card that can't be drawn, since a full disk keeps what its buttons stand for, makes way for one that says so. */
  async #drawn(card: Card): Promise<{ readonly card: Card; readonly message: RenderedMessage }> {
    try {
      return { card, message: await renderMessage(card, this.#surroundings) };
    } catch (thrown) {
      const failed = errorCard(this.#told(thrown), this.#tools.redact);
      return { card: failed, message: await renderMessage(failed, this.#surroundings) };
    }
  }

  async #byToken(message: RenderedMessage, audience: Audience, replaces: boolean): Promise<void> {
    const interaction = this.#interaction;
    if (this.#acknowledged === "reply" || replaces) {
      await interaction.editReply(editOf(message));
      return;
    }
    const flags = audience === "caller" ? message.flags | MessageFlags.Ephemeral : message.flags;
    await interaction.followUp({ ...message, flags });
  }

  /** What only the caller may see goes to them directly; nobody reads their reply over their shoulder there. */
  async #byRoom(card: Card, audience: Audience): Promise<void> {
    const { room, log } = this.#tools;
    const { user, channelId, id } = this.#interaction;
    try {
      const toPerson = audience === "caller" || channelId === null;
      const channel = toPerson ? await room.direct(user.id) : channelId;
      await room.post(channel, card, { mention: [user.id], once: id });
    } catch (error) {
      log.error({ err: error }, "an answer could not be posted either; its result is kept in the lab");
    }
  }
}
