/** Charts as numbers: what a card hands to whoever draws pictures. Everything in them can be sent to another thread. */

interface Described {
  /** What it shows, in words: for those who can't see it, and for terminals. */
  readonly alt: string;
  readonly title: string;
}

/** Numbers to be drawn: chat shows a picture, a terminal its `alt`. */
export type Chart = RoundChart | CampaignChart | ComparisonChart;

/** A round, environment by environment. */
export interface RoundChart extends Described {
  readonly type: "round";
  readonly environments: readonly ChartEnvironment[];
}

export interface ChartArm {
  /** In [−1, 1]; null where nothing was played. */
  readonly mean: number | null;
  readonly stderr: number | null;
}

export interface ChartEnvironment {
  readonly name: string;
  readonly plain: ChartArm;
  readonly hinted: ChartArm;
  /** The arm that a person's hint got; null where there is none. */
  readonly hintedHuman: ChartArm | null;
  readonly regret: ChartArm;
  /** Share of plain plays with a positive return, in [0, 1]; null where nothing was played. */
  readonly winRate: number | null;
}

/** A campaign, round by round. Rounds are counted from 1; `after` counts the rounds that came before. */
export interface CampaignChart extends Described {
  readonly type: "campaign";
  /** Success on the held-out environments, in [0, 1], with its 95 % interval. */
  readonly evaluations: readonly {
    readonly after: number;
    readonly success: number;
    readonly low: number;
    readonly high: number;
  }[];
  /** Every round that is over. Means over its environments; null where nothing was played. */
  readonly rounds: readonly {
    readonly round: number;
    readonly plain: number | null;
    readonly hinted: number | null;
  }[];
  /** The designer's mean reward by skill. */
  readonly rewards: readonly { readonly round: number; readonly skill: string; readonly reward: number }[];
  /** Entropies in nats, clip fraction in [0, 1]. */
  readonly updates: readonly {
    readonly round: number;
    readonly agentEntropy: number | null;
    readonly designerEntropy: number | null;
    readonly clipFraction: number | null;
  }[];
  /** How many of the campaign's updates are in the weights after each round; the first is before round 1. */
  readonly versions: readonly {
    readonly after: number;
    readonly version: string;
    readonly updates: number;
    /** What happened since the entry before: an update; a rollback; a version that somebody else made; nothing. */
    readonly by: "update" | "rollback" | "somebody" | "nothing";
  }[];
}

/** Campaigns of several arms beside each other: a mean over seeds and its 95 % interval. */
export interface ComparisonChart extends Described {
  readonly type: "comparison";
  /** What the curves show, as the axis says it. */
  readonly measure: string;
  readonly arms: readonly ComparisonArm[];
}

export interface ComparisonArm {
  readonly arm: string;
  /** `after`: rounds that were trained on. */
  readonly points: readonly {
    readonly after: number;
    readonly mean: number;
    readonly low: number;
    readonly high: number;
  }[];
}
