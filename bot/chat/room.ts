/**
 * A room: where the lab's own messages go in a team's chat, as distinct from answers to commands. Discord is one
 * adapter. Nothing here names a platform; ids are its own texts.
 */
import type { Card } from "../cards/card.ts";

/** A message that stands in a channel or thread. */
export interface Posted {
  /** The channel's id, or the thread's: a thread is a channel of its own. */
  readonly channelId: string;
  readonly messageId: string;
}

export interface PostOptions {
  /** People to call to it, by id: the only mentions that a message can hold. */
  readonly mention?: readonly string[];
  /** Posts of one key that follow within minutes, e.g. after a lost answer, become one message. */
  readonly once?: string;
}

/**
 * Each call resolves when the platform has taken it. Throws ChatError: `chat.gone` when the message, thread or channel was
 * deleted or the bot was removed, `chat.forbidden` when a permission is missing (the sentence names it),
 * `chat.unavailable` when the platform did not answer through every retry.
 */
export interface Room {
  post(channelId: string, card: Card, options?: PostOptions): Promise<Posted>;
  edit(posted: Posted, card: Card): Promise<void>;
  remove(posted: Posted): Promise<void>;
  /**
   * Opens a thread in a channel, from a message in it if one is given, and resolves with its id. In a thread it resolves
   * with that thread's own id, since threads don't nest.
   */
  openThread(channelId: string, title: string, from?: Posted): Promise<string>;
  /** The channel of direct messages with a person. */
  direct(personId: string): Promise<string>;
  /** A text that takes people to the message, e.g. a link. */
  linkTo(posted: { readonly channelId: string; readonly messageId?: string }): string;
  /** A text that shows a moment in the reader's own time; `relative` counts down or up to it. Milliseconds since 1970. */
  moment(at: number, style?: "full" | "relative"): string;
}
