/**
 * What a chat gives commands beyond a single answer: rounds that go on in the background, plays turn by turn, and the
 * place where the command was given. The command line has none of it: there a command is its own process.
 */
import type { Caller } from "../caller.ts";
import type { Card } from "../cards/card.ts";

/** Where a command was given. */
export interface Place {
  readonly channelId: string;
  /** False in direct messages. */
  readonly shared: boolean;
}

/** What the lab says when a round is over, beside the round's own result. */
export type RoundPurpose =
  | "round"
  /** A one-environment round to a brief: its end shows the environment itself. */
  | "request";

export interface Whereabouts {
  /** A text that takes people to where it is shown; null if it is shown nowhere. */
  readonly link: string | null;
  /** Rounds that have their turn before it; null unless it waits for its turn. */
  readonly ahead: number | null;
}

export interface Team {
  /**
   * Works on a stored round in the background and shows its progress in the given place. Resolves at once with what to
   * answer. A round that is worked on already is shown, not begun twice.
   */
  startRound(roundId: string, caller: Caller, place: Place, purpose?: RoundPurpose): Promise<Card>;
  /** Works on a stored campaign in the background and shows its progress in the given place, as `startRound` does. */
  startCampaign(campaignId: string, caller: Caller, place: Place): Promise<Card>;
  /** Where a round is shown, and whether it waits for its turn. */
  whereabouts(roundId: string): Promise<Whereabouts>;
  /** A text that takes people to a channel. */
  linkTo(channelId: string): string;
  /** How people see a moment, in milliseconds since 1970; `relative` counts down or up to it. */
  moment(at: number, style: "full" | "relative"): string;
  /** Opens a play in the given place. Resolves with its first card, on which its steps are buttons. */
  startPlay(options: PlayOptions, caller: Caller, place: Place): Promise<Card>;
  /** One step of a play. `turn` guards against late and double clicks: it is the number of turns taken when the button was drawn. */
  playStep(sessionId: string, step: PlayStep, caller: Caller): Promise<Card>;
}

export interface PlayOptions {
  readonly environmentId: string;
  readonly seed: number;
  /** Whether everybody in the place sees it. */
  readonly shared: boolean;
}

export type PlayStep =
  | { readonly type: "act"; readonly turn: number; readonly action: string }
  | { readonly type: "hint" }
  | { readonly type: "give-up" };
