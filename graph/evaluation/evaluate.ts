/**
 * Evaluation: each held-out environment is played once without a hint, and the fraction that is won says how good a
 * policy is. The plays leave nothing behind: no episode is stored, and nobody learns from them.
 */
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { EpisodeRecord } from "../../store/records.ts";
import { inParallel } from "../in-parallel.ts";
import type { Model } from "../models/model.ts";
import { Outage } from "../outage.ts";
import { type Player, playEpisode } from "../play.ts";
import { isSuccess } from "../rewards/returns.ts";
import { type HeldOut, type HeldOutSet, heldOutSet, spread } from "./held-out-set.ts";

export interface EvaluateOptions {
  /** Default: the committed set. */
  readonly set?: HeldOutSet;
  /** Environments to play, at least 1; a fixed, evenly spread part of the set. Default: all. */
  readonly count?: number;
  /** What the player's draws are keyed by. The environments and their instances are the set's, whatever it is. */
  readonly seed: number;
  /** Model calls at once, at least 1; it has no bearing on the result. */
  readonly concurrency: number;
  readonly limits: Player["limits"];
  readonly signal: AbortSignal;
}

/** What came of one environment. */
export interface HeldOutPlay {
  /** Its place in the set. */
  readonly index: number;
  readonly mechanic: string;
  /** In [−1, 1]; null if the play was lost for a reason of ours. */
  readonly return: number | null;
  readonly success: boolean;
  readonly turns: number;
}

export interface MechanicResult {
  readonly mechanic: string;
  /** Fraction of its plays that were won, in [0, 1]. */
  readonly success: number;
  readonly meanReturn: number;
  readonly episodes: number;
}

export interface Evaluation {
  /** Which set was played (graph/evaluation/held-out-set.ts). */
  readonly setId: string;
  /** The version of the weights that played, where the model tells. */
  readonly policyVersion: string | null;
  /** Fraction of the episodes that terminated with return 1, in [0, 1]. */
  readonly success: number;
  /** In [−1, 1]. */
  readonly meanReturn: number;
  /** Plays that count. */
  readonly episodes: number;
  /** Plays left out because they failed for a reason of ours. */
  readonly failed: number;
  /** In the order of the set; mechanics without a play that counts are left out. */
  readonly perMechanic: readonly MechanicResult[];
  /** Every play, in the order of the set, so that two evaluations can be compared environment by environment. */
  readonly plays: readonly HeldOutPlay[];
}

/**
 * Plays held-out environments, once each, in the plain arm. The same weights and seed give the same result, however
 * many are played at once. Throws the signal's reason when aborted, the provider's error where no call could succeed
 * or calls fail in a row, and `sandbox.unavailable` where the sandbox does.
 */
export async function evaluate(
  model: Model,
  sandbox: Pick<Sandbox, "open">,
  { set = heldOutSet(), count = set.environments.length, seed, concurrency, limits, signal }: EvaluateOptions,
): Promise<Evaluation> {
  const environments = spread(set.environments, count);
  const plays: (HeldOutPlay & Pick<EpisodeRecord, "failure">)[] = [];
  const versions = new Set(model.policyVersion === undefined ? [] : [model.policyVersion]);
  const outage = new Outage<(typeof plays)[number]>(async (play) => {
    plays.push(play);
  }, 0);
  const playOne = async ({ index, mechanic, source, kind, seed: instance }: HeldOut): Promise<void> => {
    const { ending, cause } = await playEpisode(
      {
        source,
        language: "javascript",
        kind,
        seed: instance,
        hint: null,
        key: [seed, "held-out", index],
      },
      { model, sandbox, limits, signal },
    );
    if (ending.policyVersion !== null) versions.add(ending.policyVersion);
    const { return: earned, turns, failure } = ending;
    const success = isSuccess(ending);
    await outage.take({ index, mechanic, return: earned, success, turns, failure }, cause);
  };
  // Twice as many as model calls, so that one is loaded while another speaks.
  await inParallel(environments, { limit: 2 * concurrency, signal, draining: () => false }, playOne);
  await outage.end();
  const [policyVersion = null, ...others] = versions;
  return summary(set, plays, others.length === 0 ? policyVersion : null);
}

function summary(set: HeldOutSet, played: readonly HeldOutPlay[], policyVersion: string | null): Evaluation {
  const plays = played
    .map(({ index, mechanic, return: earned, success, turns }) => ({
      index,
      mechanic,
      return: earned,
      success,
      turns,
    }))
    .sort((a, b) => a.index - b.index);
  const byMechanic = Map.groupBy(plays, ({ mechanic }) => mechanic);
  const perMechanic = [...byMechanic].map(([mechanic, own]) => ({ mechanic, ...meansOf(own) }));
  const all = meansOf(plays);
  return {
    setId: set.id,
    policyVersion,
    ...all,
    failed: plays.length - all.episodes,
    perMechanic: perMechanic.filter(({ episodes }) => episodes > 0),
    plays,
  };
}

/** Over the plays that count; zeros where there is none. */
function meansOf(plays: readonly HeldOutPlay[]): Pick<MechanicResult, "success" | "meanReturn" | "episodes"> {
  const returns = plays.flatMap((play) => play.return ?? []);
  const episodes = returns.length;
  const most = Math.max(1, episodes);
  return {
    success: plays.filter(({ success }) => success).length / most,
    meanReturn: returns.reduce((sum, one) => sum + one, 0) / most,
    episodes,
  };
}
