/**
 * What happens in rounds and campaigns, as a stream that people can watch. Events carry ids and small numbers; who shows them
 * coalesces them. They are told, never asked: no event changes what a round does.
 */
import type { Arm, RoundStatus } from "../config/words.ts";
import type { CampaignStatus } from "../store/campaign-records.ts";

export const stages = [
  "ground",
  "design",
  "admit",
  "hint",
  "approve",
  "play",
  "score",
  "remember",
  "learn",
  "report",
] as const;
export type Stage = (typeof stages)[number];

export type RoundEvent =
  | {
      readonly type: "round-started";
      readonly roundId: string;
      readonly resumed: boolean;
      readonly seed: number;
      readonly model: string;
    }
  /** `done` of `total` units of a stage: designs, gates, hints, episodes. Sent at the start (done 0) and at each unit. */
  | {
      readonly type: "stage";
      readonly roundId: string;
      readonly stage: Stage;
      readonly done: number;
      readonly total: number;
    }
  | {
      readonly type: "designed";
      readonly roundId: string;
      readonly environmentId: string;
      readonly name: string;
      readonly attempt: number;
    }
  | {
      readonly type: "judged";
      readonly roundId: string;
      readonly environmentId: string;
      readonly admitted: boolean;
      readonly failedGates: readonly string[];
      readonly attempt: number;
    }
  | {
      readonly type: "hinted";
      readonly roundId: string;
      readonly environmentId: string;
      readonly kept: boolean;
    }
  | { readonly type: "approval-asked"; readonly roundId: string; readonly environmentId: string }
  | {
      readonly type: "approval-decided";
      readonly roundId: string;
      readonly environmentId: string;
      readonly status: "approved" | "rejected";
    }
  | {
      readonly type: "episode";
      readonly roundId: string;
      readonly episodeId: string;
      readonly environmentId: string;
      readonly arm: Arm;
      readonly index: number;
      readonly return: number | null;
      readonly turns: number;
    }
  | {
      readonly type: "scored";
      readonly roundId: string;
      readonly environmentId: string;
      readonly regret: number | null;
      readonly designerReward: number | null;
    }
  /** The round has used so much of its budget: told once for each mark that it passes. */
  | { readonly type: "budget"; readonly roundId: string; readonly percent: 50 | 80 | 100 }
  | { readonly type: "warning"; readonly roundId: string; readonly message: string }
  | { readonly type: "round-ended"; readonly roundId: string; readonly status: RoundStatus };

/** A campaign begins a step, or stops being worked on. What it has done is in its record. */
export interface CampaignEvent {
  readonly type: "campaign";
  readonly campaignId: string;
  readonly doing: "design-pool" | "round" | "update" | "evaluate" | "stopping";
  readonly status: CampaignStatus;
  /** Rounds that are played and trained on, of how many. */
  readonly done: number;
  readonly total: number;
  /** The last round's numbers; null before the first. */
  readonly plainReturn: number | null;
  readonly regret: number | null;
  /** Fraction of held-out environments that were won in the last evaluation; null before the first. */
  readonly heldOut: number | null;
  /** Warnings that are open. */
  readonly warnings: readonly { readonly kind: string; readonly message: string }[];
}

export type LabEvent = RoundEvent | CampaignEvent;
export type Listener = (event: LabEvent) => void;
