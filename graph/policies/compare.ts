/** Compares two versions of a policy on the held-out environments: both play the same instances with the same draws. */
import type { PolicyRecord } from "../../store/records.ts";
import { interval } from "../comparison/interval.ts";
import { type EvaluateOptions, type Evaluation, evaluate } from "../evaluation/evaluate.ts";
import { embeddedProvider, loadEmbeddedPolicy } from "../models/embedded/policy-store.ts";
import { fractionInterval } from "../rewards/intervals.ts";
import type { Services } from "../services.ts";
import { type Apart, apart } from "./apart.ts";
import { policyOf } from "./look-up.ts";

export interface ComparedVersion {
  readonly version: string;
  readonly model: string;
  /** Fraction of the held-out environments that were won, in [0, 1], with its 95 % interval. */
  readonly success: number;
  readonly low: number;
  readonly high: number;
  readonly meanReturn: number;
  readonly episodes: number;
  /** Left out for our own reasons. */
  readonly failed: number;
}

/** b − a over the environments that both played; its 95 % interval is null under two. */
export interface PairedDifference {
  readonly mean: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly pairs: number;
}

export interface PolicyComparison {
  readonly setId: string;
  readonly seed: number;
  readonly a: ComparedVersion;
  readonly b: ComparedVersion;
  /** Of success and of return. */
  readonly difference: PairedDifference;
  readonly returnDifference: PairedDifference;
  /** How far the weights are apart; null unless both are versions of the embedded policy. */
  readonly apart: Apart | null;
}

export interface CompareOptions {
  /** Held-out environments to play. */
  readonly evaluations: number;
  /** What the draws of both are keyed by. */
  readonly seed: number;
  readonly limits: EvaluateOptions["limits"];
  readonly signal: AbortSignal;
}

/** Throws `input.not-found`, and what an evaluation throws (graph/evaluation/evaluate.ts). */
export async function comparePolicies(
  services: Services,
  [first, second]: readonly [string, string],
  { evaluations, seed, limits, signal }: CompareOptions,
): Promise<PolicyComparison> {
  const { store, config } = services;
  const records = [await policyOf(store, first), await policyOf(store, second)] as const;
  const sandbox = await services.sandbox();
  const played = async ({ provider, version }: PolicyRecord): Promise<Evaluation> =>
    evaluate(await services.model(provider, version), sandbox, {
      count: evaluations,
      seed,
      concurrency: config.models.concurrency,
      limits,
      signal,
    });
  const a = await played(records[0]);
  const b = await played(records[1]);
  return {
    setId: a.setId,
    seed,
    a: comparedOf(records[0], a),
    b: comparedOf(records[1], b),
    difference: pairedDifference(a, b, ({ success }) => (success ? 1 : 0)),
    returnDifference: pairedDifference(a, b, (play) => play.return ?? 0),
    apart: records.every(({ provider }) => provider === embeddedProvider)
      ? apart(
          (await loadEmbeddedPolicy(store, first)).weights,
          (await loadEmbeddedPolicy(store, second)).weights,
          limits.turnCap,
        )
      : null,
  };
}

function comparedOf({ version, provider }: PolicyRecord, evaluation: Evaluation): ComparedVersion {
  const { success, meanReturn, episodes, failed } = evaluation;
  return {
    version,
    model: provider,
    success,
    ...fractionInterval(success, episodes),
    meanReturn,
    episodes,
    failed,
  };
}

/** Environment by environment: a play that failed for our own reasons leaves its pair out. */
export function pairedDifference(
  a: Pick<Evaluation, "plays">,
  b: Pick<Evaluation, "plays">,
  worth: (play: Evaluation["plays"][number]) => number,
): PairedDifference {
  const counting = (plays: Evaluation["plays"]) => plays.filter((play) => play.return !== null);
  const others = new Map(counting(b.plays).map((play) => [play.index, worth(play)]));
  const differences = counting(a.plays).flatMap((play) => {
    const other = others.get(play.index);
    return other === undefined ? [] : [other - worth(play)];
  });
  if (differences.length === 0) return { mean: null, low: null, high: null, pairs: 0 };
  return { ...interval(differences), pairs: differences.length };
}
