/**
 * The arms of a comparison: what each one takes away from the full method, as options of a campaign. Episodes, turns
 * allowed and updates are the same in all of them.
 */
import type { CampaignOptions } from "../../store/campaign-records.ts";
import type { RoundOptions } from "../../store/records.ts";

export const armNames = [
  "full",
  "fixed-pool",
  "fixed-pool-hinted",
  "random-designer",
  "entropy-only",
  "no-memory",
  "no-grounding",
  "no-hint",
] as const;
export type ArmName = (typeof armNames)[number];

/** How large a comparison is; the same for every arm. */
export interface ComparisonSizes {
  readonly rounds: number;
  /** Environments of a round. */
  readonly envs: number;
  /** Plays of each environment in a round, both arms together. */
  readonly plays: number;
  /** How many of them are hinted, where an arm has hints. */
  readonly hintedPlays: number;
  /** Rounds between two points of the learning curves. */
  readonly evaluateEvery: number;
  /** Held-out environments of a point. */
  readonly evaluations: number;
}

/** What one arm does otherwise than the full method. */
interface ArmDefinition {
  readonly what: string;
  readonly round?: Partial<RoundOptions>;
  readonly campaign?: Partial<CampaignOptions>;
  /** The designer begins with equal chances for every choice, instead of what it knows of skills and difficulties. */
  readonly uniformDesigner?: true;
  readonly hints: boolean;
  /** Whether it plays a pool, of which three sizes are tried. */
  readonly pool: boolean;
}

export const arms: Readonly<Record<ArmName, ArmDefinition>> = {
  full: { what: "the whole method: trained designer, memory, documents, hints", hints: true, pool: false },
  "fixed-pool": {
    what: "environments designed once by the untrained designer, plain plays alone; the best of three pool sizes",
    campaign: { groups: "plain", designer: "frozen" },
    hints: false,
    pool: true,
  },
  "fixed-pool-hinted": {
    what: "the same with hinted plays and cross-arm groups; the best of three pool sizes",
    campaign: { designer: "frozen" },
    hints: true,
    pool: true,
  },
  "random-designer": {
    what: "new environments every round by a designer that chooses at random and never learns",
    campaign: { designer: "frozen" },
    round: { memory: false },
    uniformDesigner: true,
    hints: true,
    pool: false,
  },
  "entropy-only": {
    what: "a designer without memory that is trained by an entropy bonus alone, with no reward",
    campaign: { designer: "entropy-only" },
    round: { memory: false },
    hints: true,
    pool: false,
  },
  "no-memory": {
    what: "the designer is shown nothing of earlier environments",
    round: { memory: false },
    hints: true,
    pool: false,
  },
  "no-grounding": {
    what: "designs are grounded on no document",
    round: { grounding: false },
    hints: true,
    pool: false,
  },
  "no-hint": {
    what: "no hinted plays: the designer is rewarded for the solve rate, groups are plain",
    campaign: { groups: "plain" },
    round: { reward: "solve_rate" },
    hints: false,
    pool: false,
  },
};

/** One campaign of a comparison. */
export interface ComparisonRun {
  readonly arm: ArmName;
  /** Environments of its fixed pool; 0 for arms that have none. */
  readonly poolSize: number;
  readonly seed: number;
}

/**
 * Pool sizes that are tried: a tenth, a third and all of the environments that the full method designs in its rounds.
 * The smallest still fills a round.
 */
export function poolSizes({ rounds, envs }: ComparisonSizes): readonly number[] {
  const all = rounds * envs;
  return [...new Set([0.1, 1 / 3, 1].map((share) => Math.max(envs, Math.round(share * all))))];
}

/** Every campaign of a comparison, in the order in which they are started: seed by seed, so that an early look is fair. */
export function runsOf(
  names: readonly ArmName[],
  seeds: readonly number[],
  sizes: ComparisonSizes,
): ComparisonRun[] {
  return seeds.flatMap((seed) =>
    names.flatMap((arm) =>
      arms[arm].pool
        ? poolSizes(sizes).map((poolSize) => ({ arm, poolSize, seed }))
        : [{ arm, poolSize: 0, seed }],
    ),
  );
}

/** Names a run in files and messages, e.g. `fixed-pool-160-s3`. */
export function runName({ arm, poolSize, seed }: ComparisonRun): string {
  return `${arm}${poolSize > 0 ? `-${poolSize}` : ""}-s${seed}`;
}

/** The campaign of one run. */
export function campaignOf({ arm, poolSize, seed }: ComparisonRun, sizes: ComparisonSizes): CampaignOptions {
  const { hints, round, campaign } = arms[arm];
  const { rounds, envs, plays, hintedPlays, evaluateEvery, evaluations } = sizes;
  return {
    rounds,
    every: 1,
    trainer: "embedded",
    groups: "cross-arm",
    designer: "reward",
    evaluateEvery,
    evaluations,
    poolSize,
    ...campaign,
    round: {
      mode: "self-play",
      envs,
      plays: hints ? plays - hintedPlays : plays,
      ...(hints ? { hintedPlays } : { hints: false }),
      // What rejected designs would have played goes to the others: every round has as many episodes.
      fill: true,
      // The embedded designer's environments reset wholly: a test plays them both ways.
      sharedIsolates: true,
      playsPerSeed: 1,
      kind: "mixed",
      skill: null,
      difficulty: null,
      language: "javascript",
      model: "embedded",
      brief: null,
      documentIds: [],
      pool: [],
      preset: null,
      reward: "regret",
      seed,
      approve: false,
      repairs: 2,
      turnCap: 25,
      contextTokens: 32_768,
      temperature: 0.6,
      maxOutputTokens: 8_192,
      ...round,
    },
  };
}
