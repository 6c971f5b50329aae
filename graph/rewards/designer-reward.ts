/** The designer's reward u: what an environment was worth as a lesson, in five variants (arXiv 2608.19197). */
import type { RewardVariant } from "../../config/words.ts";
import type { EnvironmentRecord, EpisodeRecord } from "../../store/records.ts";
import { clamp } from "./returns.ts";
import { armStatistics, average, type Play, pairedRegret, winRate } from "./statistics.ts";

/**
 * What became of the hint: `kept` and played; `refused` when the rewritten hint still leaked or could not be used;
 * `absent` when none was ever asked for (rounds without hints).
 */
export type HintOutcome = "kept" | "refused" | "absent";

export interface RewardInput {
  readonly variant: RewardVariant;
  /** Whether the designer's first answer passed admission; if not, u = 0, repaired or not. */
  readonly firstAnswerAdmitted: boolean;
  readonly hint: HintOutcome;
  /** Whether a call of the environment hung or ran out of time while it was played; see `hasHang`. */
  readonly hung: boolean;
  /** Plain plays of the whole regeneration window, oldest round first, by index within a round. */
  readonly plain: readonly Play[];
  /** Hinted plays of the whole window, in the same order. */
  readonly hinted: readonly Play[];
  /** The skill's slow average before these plays entered it; null if it has none. For `learning_potential`. */
  readonly slowAverage: number | null;
}

/** What a hang or a time-out counts instead of a regret. */
const hangPenalty = -0.5;
/** The regret at which the blend's second term is full. */
const fullRegret = 0.15;

/**
 * u of one environment. Null if it can't be said, because no play (for `regret` and `blend`: no pair of plays) has a
 * return; such a design trains nobody.
 */
export function designerReward(input: RewardInput): number | null {
  if (!input.firstAnswerAdmitted) return 0;
  const variant = input.variant;
  // A hang outweighs a missing hint: the fault is the program's, whoever would have been helped.
  if (variant === "regret" && input.hung) return hangPenalty;
  if (input.hint === "refused") return 0;
  switch (variant) {
    case "regret":
      return regretTerm(input, input.plain, input.hinted);
    case "learning_potential":
      return learningPotential(input.plain, input.slowAverage);
    case "micro_lp":
      return microLearningProgress(input.plain);
    case "blend":
      return blend(input);
    case "solve_rate":
      return solveRate(input.plain);
  }
}

/** Whether an episode ended because the environment hung or timed out (verdicts of the sandbox). */
export function hasHang(episodes: readonly Pick<EpisodeRecord, "failure">[]): boolean {
  return episodes.some(
    ({ failure }) =>
      failure !== null && !failure.ours && (failure.code === "timed-out" || failure.code === "host-died"),
  );
}

/** What became of an environment's hint, from its record. */
export function hintOutcome(environment: Pick<EnvironmentRecord, "hintId" | "designer">): HintOutcome {
  if (environment.hintId !== null) return "kept";
  return environment.designer.hintConversationId === undefined ? "absent" : "refused";
}

/** 1 on [0.4, 0.6], falling linearly to 0 over 0.25 on each side. */
export function plateau(rate: number): number {
  const outside = Math.max(0.4 - rate, rate - 0.6, 0);
  return clamp(1 - outside / 0.25, 0, 1);
}

/** max(0, R_hint − R_nohint) over pairs; 0 without a hint. */
function regretTerm(input: RewardInput, plain: readonly Play[], hinted: readonly Play[]): number | null {
  if (input.hint === "absent") return 0;
  const { regret } = pairedRegret(hinted, plain);
  return regret === null ? null : Math.max(0, regret);
}

/** |mean r − slow average of the skill|; 0 while the skill has no average to differ from. */
function learningPotential(plain: readonly Play[], slowAverage: number | null): number | null {
  const { meanReturn } = armStatistics(plain);
  if (meanReturn === null) return null;
  return slowAverage === null ? 0 : Math.abs(meanReturn - slowAverage);
}

/** max(0, mean of the later half − mean of the earlier half); the middle one of an odd number counts for neither. */
function microLearningProgress(plain: readonly Play[]): number | null {
  const returns = plain.flatMap((play) => (play.return === null ? [] : [play.return]));
  if (returns.length === 0) return null;
  const half = Math.floor(returns.length / 2);
  if (half === 0) return 0;
  return Math.max(0, average(returns.slice(-half)) - average(returns.slice(0, half)));
}

function solveRate(plain: readonly Play[]): number | null {
  const rate = winRate(armStatistics(plain).meanReturn);
  return rate === null ? null : plateau(rate);
}

/**
 * 0.6 · plateau(win rate) + 0.4 · clip(regret / 0.15, 0, 1). The win rate is that of all plays, the regret that of the
 * window's first round alone, where both arms saw the same policy.
 */
function blend(input: RewardInput): number | null {
  const rate = solveRate(input.plain);
  const first = (input.plain[0] ?? input.hinted[0])?.roundId;
  const ofFirst = (plays: readonly Play[]): Play[] => plays.filter((play) => play.roundId === first);
  const regret = input.hung ? hangPenalty : regretTerm(input, ofFirst(input.plain), ofFirst(input.hinted));
  if (rate === null || regret === null) return null;
  return 0.6 * rate + 0.4 * clamp(regret / fullRegret, 0, 1);
}
