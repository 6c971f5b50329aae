/** A desk: one of the things that a team's chat takes care of by itself, e.g. rounds, plays, approvals. */
import type { CampaignEvent, RoundEvent } from "../../graph/events.ts";

export interface Desk {
  /** What happens in rounds of this process. It returns at once. */
  listen?(event: RoundEvent): void;
  /** What happens in campaigns of this process. It returns at once. */
  hear?(event: CampaignEvent): void;
  /** Takes up what was going on when the process ended. */
  resume?(): Promise<void>;
  /** Finishes what is in flight, so that the next process can take it up. */
  close?(): Promise<void>;
}
