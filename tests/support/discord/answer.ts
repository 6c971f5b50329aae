/** Answer: what came of one thing that a person did, read as it is now. */
import type { Core } from "./core.ts";
import type { Choice, Interaction } from "./interactions.ts";
import { type Modal, modalOf } from "./modals.ts";
import { textOf } from "./text.ts";
import type { UntilOptions, Waiting } from "./waiting.ts";
import type { Message } from "./world.ts";

const deferredUpdate = 6;

export class Answer {
  readonly interaction: Interaction;
  readonly #core: Core;
  readonly #waiting: Waiting;
  readonly #what: string;

  constructor(core: Core, waiting: Waiting, interaction: Interaction, what: string) {
    this.interaction = interaction;
    this.#core = core;
    this.#waiting = waiting;
    this.#what = what;
  }

  /** Milliseconds from the event to the first answer; null when there is none yet. */
  get acknowledgedMs(): number | null {
    return this.interaction.acknowledged?.ms ?? null;
  }

  /** The callback's type: 4 reply, 5 deferred, 6 deferred update, 7 update, 8 choices, 9 modal; null without any. */
  get answeredWith(): number | null {
    return this.interaction.acknowledged?.type ?? null;
  }

  /** The reply, or the message that was updated, as people see it now; null when there is none (any more). */
  get reply(): Message | null {
    const { original } = this.interaction;
    return original === null || original.deleted ? null : original;
  }

  /** The newest message that it brought: the last follow-up, else the reply; null when there is none. */
  get shown(): Message | null {
    return this.followUps.at(-1) ?? this.reply;
  }

  /** All that a person reads in the reply and the follow-ups. */
  get text(): string {
    return [this.reply, ...this.followUps].map(textOf).join("\n").trim();
  }

  get followUps(): readonly Message[] {
    return this.interaction.followUps.filter(({ deleted }) => !deleted);
  }

  /** Whether only the person sees the reply. */
  get isEphemeral(): boolean {
    return (this.reply?.ephemeralFor ?? null) !== null;
  }

  /** The modal that was opened; null when none was. */
  get modal(): Modal | null {
    const { modal, channelId, source } = this.interaction;
    return modal === null ? null : modalOf(modal, channelId, source);
  }

  /** The choices of a completion; null when it was not answered. */
  get choices(): readonly Choice[] | null {
    return this.interaction.choices;
  }

  /** Lets time pass for this interaction alone (milliseconds): its token lasts 15 minutes. */
  skip(ms: number): void {
    this.interaction.skippedMs += ms;
  }

  /** Sends the same event once more, as Discord does now and then. */
  replay(): void {
    this.interaction.sent += 1;
    this.interaction.waited ||= this.#core.gateway.connected === 0;
    this.#core.gateway.dispatch("INTERACTION_CREATE", this.interaction.payload);
  }

  /** Waits for the first answer, a deferral included. */
  async acknowledged(options: UntilOptions = {}): Promise<this> {
    const what = `the bot to acknowledge ${this.#what}`;
    await this.#waiting.until(
      () => this.interaction.acknowledged !== null,
      { what, ...options },
      this.#story,
    );
    return this;
  }

  /**
   * Waits for an answer with content. A deferral counts once its reply was filled in or deleted, or a follow-up came; a
   * deferred update once the message was edited by the token, or a follow-up came. A click that only leads to messages
   * of the bot's own needs `wait: "acknowledged"` and `until`.
   */
  async answered(options: UntilOptions = {}): Promise<this> {
    const what = `the bot to answer ${this.#what}`;
    const { interaction } = this;
    await this.#waiting.until(
      () => {
        const { acknowledged, original, followUps, edits } = interaction;
        if (acknowledged === null) return false;
        if (acknowledged.type === deferredUpdate)
          return edits > 0 || followUps.length > 0 || original?.deleted;
        return original === null || original.deleted || !original.loading || followUps.length > 0;
      },
      { what, ...options },
      this.#story,
    );
    return this;
  }

  #story = (): string =>
    ` (acknowledged: ${this.interaction.acknowledged?.type ?? "no"}, clients connected: ${this.#core.gateway.connected})`;
}
