/** A round's result as a chart. */
import type { EnvironmentResult, RoundResult } from "../../graph/result.ts";
import type { ChartArm, RoundChart } from "../cards/chart.ts";
import { counted, score } from "../cards/numbers.ts";

type Arm = EnvironmentResult["plain"];

const armOf = ({ meanReturn, stderr }: Arm): ChartArm => ({ mean: meanReturn, stderr });

/** Share of plays with a positive return, of those that count; null if none do. */
function winRateOf({ returns }: Arm): number | null {
  const counting = returns.filter((one) => one !== null);
  return counting.length === 0 ? null : counting.filter((one) => one > 0).length / counting.length;
}

/** Null where there is nothing to draw: no environment of the round was played. */
export function roundChart({ roundId, environments }: RoundResult): RoundChart | null {
  const played = environments.filter(({ plain }) => plain.meanReturn !== null);
  if (played.length === 0) return null;
  const said = played.map(
    ({ name, plain, hinted, regret }) =>
      `${name}: plain ${score(plain.meanReturn)}, hinted ${score(hinted.meanReturn)}, regret ${score(regret)}`,
  );
  return {
    type: "round",
    title: `Round ${roundId}: ${counted(played.length, "environment")} played`,
    alt: said.join("; "),
    environments: played.map((environment) => ({
      name: environment.name,
      plain: armOf(environment.plain),
      hinted: armOf(environment.hinted),
      hintedHuman: environment.hintedHuman === null ? null : armOf(environment.hintedHuman),
      regret: { mean: environment.regret, stderr: environment.regretStderr },
      winRate: winRateOf(environment.plain),
    })),
  };
}
