/** What the end of a round tells those who watch: pure, from its result and from the rounds before it. */
import type { Config } from "../../config/schema.ts";
import type { RoundResult } from "../../graph/result.ts";
import { counted, score } from "../cards/numbers.ts";
import type { Told } from "./alert.ts";

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** Mean regret over a round's environments; null if none has one. */
export function meanRegret({ environments }: Pick<RoundResult, "environments">): number | null {
  return mean(environments.map(({ regret }) => regret));
}

/** Mean plain return over a round's environments; null if none was played. */
export function meanPlainReturn({ environments }: Pick<RoundResult, "environments">): number | null {
  return mean(environments.map(({ plain }) => plain.meanReturn));
}

function endOf(result: RoundResult): Told | null {
  const { roundId, status, environments, totals } = result;
  if (status === "finished") {
    const admitted = environments.filter((one) => one.status !== "rejected").length;
    const text = `Round ${roundId} is finished: ${admitted} of ${counted(environments.length, "environment")} played, ${counted(totals.episodes, "episode")}, mean regret ${score(meanRegret(result))}.`;
    return { key: `round-finished:${roundId}`, event: "round-finished", text, roundId };
  }
  if (status !== "failed" && status !== "cancelled") return null;
  const why = result.error === null ? "" : `: ${result.error.message}`;
  const text = `Round ${roundId} ${status === "failed" ? "failed" : "was cancelled"}${why}`;
  // A failed round may be resumed, and fail again later: that is told anew.
  const key = `round-failed:${roundId}:${totals.episodes}`;
  return { key, event: "round-failed", text: text.endsWith(".") ? text : `${text}.`, roundId };
}

/**
 * The alerts of a round that ended. `recent` are the latest finished self-play rounds, newest first, this one included
 * if it is one.
 */
export function roundAlerts(
  result: RoundResult,
  recent: readonly RoundResult[],
  { frontierRegret, frontierRounds, easyReturn, hardReturn, gateFailureRate }: Config["watch"],
): readonly Told[] {
  const { roundId, environments } = result;
  const end = endOf(result);
  const alerts: Told[] = end === null ? [] : [end];
  if (result.status !== "finished") return alerts;
  const plain = meanPlainReturn(result);
  if (plain !== null && plain >= easyReturn) {
    const text = `Round ${roundId} was too easy: mean plain return ${score(plain)}, at least ${score(easyReturn)}.`;
    alerts.push({ key: `too-easy:${roundId}`, event: "too-easy", text, roundId });
  }
  if (plain !== null && plain <= hardReturn) {
    const text = `Round ${roundId} was too hard: mean plain return ${score(plain)}, at most ${score(hardReturn)}.`;
    alerts.push({ key: `too-hard:${roundId}`, event: "too-hard", text, roundId });
  }
  if (result.mode !== "self-play") return alerts;
  const rejected = environments.filter(({ status }) => status === "rejected").length;
  if (rejected > 0 && rejected / environments.length >= gateFailureRate) {
    const text = `${rejected} of ${counted(environments.length, "design")} of round ${roundId} were rejected.`;
    alerts.push({ key: `gate-failures:${roundId}`, event: "gate-failures", text, roundId });
  }
  const last = recent.slice(0, frontierRounds).map(meanRegret);
  if (last.length === frontierRounds && last.every((regret) => regret !== null && regret < frontierRegret)) {
    const text = `The frontier is lost: mean regret under ${score(frontierRegret)} for ${counted(frontierRounds, "round")}, now ${score(last[0] ?? null)} in ${roundId}.`;
    // One alert until regret is back: rounds that go on like this say nothing new.
    alerts.push({ key: "frontier-lost", event: "frontier-lost", text, roundId, resolves: true });
  }
  return alerts;
}
