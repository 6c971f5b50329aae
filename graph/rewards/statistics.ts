/** Statistics of an environment's plays: means and standard errors of each arm, and the paired regret between two. */
import type { ArmStatistics, EnvironmentScore, EpisodeRecord } from "../../store/records.ts";
import { clamp } from "./returns.ts";

/** What of an episode the statistics need. Play i of every arm of a round resets with the same seed. */
export type Play = Pick<EpisodeRecord, "roundId" | "index" | "seed" | "return">;

/** A mean with its standard error; either is null where there is too little to say it. */
export interface Estimate {
  readonly mean: number | null;
  readonly stderr: number | null;
}

/** Values that share a cluster are not independent of each other. */
export interface ClusteredValue {
  readonly value: number;
  readonly cluster: string | number;
}

/**
 * The mean of `values` and its standard error, clustered: with m the mean, n values and G clusters,
 * se² = G / (G − 1) · Σ_g (Σ_{i in g} (x_i − m))² / n² (the cluster-robust variance of a mean). With one value a
 * cluster this is the sample standard deviation over √n. The mean is null without values, the standard error under
 * two clusters.
 */
export function clusteredEstimate(values: readonly ClusteredValue[]): Estimate {
  if (values.length === 0) return { mean: null, stderr: null };
  const mean = average(values.map((entry) => entry.value));
  const sums = new Map<string | number, number>();
  for (const { value, cluster } of values) sums.set(cluster, (sums.get(cluster) ?? 0) + value - mean);
  if (sums.size < 2) return { mean, stderr: null };
  let squares = 0;
  for (const sum of sums.values()) squares += sum * sum;
  return { mean, stderr: Math.sqrt((sums.size / (sums.size - 1)) * squares) / values.length };
}

/**
 * One arm, from its episodes of one round or of several. `returns` has the plays in order, round after round as first
 * met and by index within a round; a play that failed for our own reasons, or that is missing before a later one, is
 * null there. `plays` counts those with a return and `failed` those that failed for our own reasons. Plays that share
 * a seed form a cluster of the standard error, which is null under two plays or when all share one seed.
 */
export function armStatistics(plays: readonly Play[]): ArmStatistics {
  const scored = plays.flatMap((play) =>
    play.return === null ? [] : [{ value: play.return, cluster: play.seed }],
  );
  const { mean, stderr } = clusteredEstimate(scored);
  return {
    plays: scored.length,
    meanReturn: mean,
    stderr,
    returns: returnsInOrder(plays),
    failed: plays.length - scored.length,
  };
}

/** A regret with its standard error and the number of pairs behind it. */
export interface Regret {
  /** Mean hinted return − mean plain return over the pairs, in [−2, 2]; null without pairs. */
  readonly regret: number | null;
  readonly stderr: number | null;
  readonly pairs: number;
}

/**
 * The regret of an environment: the mean of the paired differences hinted − plain. Two plays are a pair if they have
 * round, index and seed in common and both have a return. The standard error is that of the differences, clustered by
 * seed; null under two pairs or when all share one seed. Where a round plays fewer hinted plays than plain ones, most
 * plain plays have no partner: there it is the difference of the two arms' means.
 */
export function pairedRegret(hinted: readonly Play[], plain: readonly Play[]): Regret {
  const partner = new Map(plain.map((play) => [pairKey(play), play.return]));
  const differences: ClusteredValue[] = [];
  for (const play of hinted) {
    const other = partner.get(pairKey(play));
    if (play.return === null || other === undefined || other === null) continue;
    differences.push({ value: play.return - other, cluster: play.seed });
  }
  const pairs = differences.length;
  // Rounds without a hinted arm say nothing of regret: their plain plays may be another version's.
  const rounds = new Set(hinted.map(({ roundId }) => roundId));
  const beside = plain.filter(({ roundId }) => rounds.has(roundId));
  if (pairs > 0 && hinted.length < beside.length) {
    return { ...differenceOfMeans(armStatistics(hinted), armStatistics(beside)), pairs };
  }
  const { mean, stderr } = clusteredEstimate(differences);
  return { regret: mean, stderr, pairs };
}

/** Of two arms as if they shared no play: the standard errors add up as √(a² + b²). */
function differenceOfMeans(
  first: ArmStatistics,
  second: ArmStatistics,
): { readonly regret: number | null; readonly stderr: number | null } {
  const { meanReturn: a, stderr: ofA } = first;
  const { meanReturn: b, stderr: ofB } = second;
  return {
    regret: a === null || b === null ? null : a - b,
    stderr: ofA === null || ofB === null ? null : Math.hypot(ofA, ofB),
  };
}

/**
 * What a person's hint is worth beside the designer's: mean hinted-human return − mean hinted return, over pairs as in
 * `pairedRegret`. Where the two arms share no play, it is the difference of their means and the standard errors add up as
 * those of independent plays, √(a² + b²).
 */
export function humanLift(hintedHuman: readonly Play[], hinted: readonly Play[]): Estimate {
  const { regret: mean, stderr, pairs } = pairedRegret(hintedHuman, hinted);
  if (pairs > 0) return { mean, stderr };
  const apart = differenceOfMeans(armStatistics(hintedHuman), armStatistics(hinted));
  return { mean: apart.regret, stderr: apart.regret === null ? null : apart.stderr };
}

/** Win rate: the mean plain return clamped to [0, 1]; null if no play was scored. */
export function winRate(meanPlainReturn: number | null): number | null {
  return meanPlainReturn === null ? null : clamp(meanPlainReturn, 0, 1);
}

/**
 * The whole score of an environment from its episodes, arm by arm; what the designer earned is null and added by the
 * caller. `hintedHuman` is null, as are its regrets, when the environment has no hint of a person.
 */
export function scoreOf(arms: {
  readonly plain: readonly Play[];
  readonly hinted: readonly Play[];
  readonly hintedHuman: readonly Play[] | null;
}): EnvironmentScore {
  const plain = armStatistics(arms.plain);
  const regret = pairedRegret(arms.hinted, arms.plain);
  const human = arms.hintedHuman === null ? null : pairedRegret(arms.hintedHuman, arms.plain);
  return {
    plain,
    hinted: armStatistics(arms.hinted),
    hintedHuman: arms.hintedHuman === null ? null : armStatistics(arms.hintedHuman),
    regret: regret.regret,
    regretStderr: regret.stderr,
    humanRegret: human?.regret ?? null,
    humanRegretStderr: human?.stderr ?? null,
    winRate: winRate(plain.meanReturn),
    designerReward: null,
    designerAdvantage: null,
  };
}

/** The arithmetic mean; throws a RangeError on an empty list. */
export function average(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("the mean of nothing");
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function pairKey(play: Play): string {
  return JSON.stringify([play.roundId, play.index, play.seed]);
}

function returnsInOrder(plays: readonly Play[]): (number | null)[] {
  const rounds = new Map<string, (number | null)[]>();
  for (const play of plays) {
    const returns = rounds.get(play.roundId) ?? [];
    while (returns.length < play.index) returns.push(null);
    returns[play.index] = play.return;
    rounds.set(play.roundId, returns);
  }
  return [...rounds.values()].flat();
}
