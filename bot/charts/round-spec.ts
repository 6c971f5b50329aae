/** What the picture of a round shows, as a Vega-Lite specification: returns by arm, regret, and a histogram of win rates. */
import type { TopLevelSpec } from "vega-lite";
import type { ChartArm, ChartEnvironment, RoundChart } from "../cards/chart.ts";
import { armColors, framed, lineOf, width } from "./look.ts";

/** Environments that have a line of their own; of more, the picture would be too tall to look at. */
export const mostEnvironments = 40;

const nameCharacters = 28;
type Arm = keyof typeof armColors;

interface ArmPoint {
  readonly environment: string;
  readonly arm: Arm;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** A mean with its standard error on both sides; nothing where nothing was played. */
function pointOf(
  environment: string,
  arm: Arm,
  { mean, stderr }: ChartArm,
  bound: number,
): readonly ArmPoint[] {
  if (mean === null) return [];
  const error = stderr ?? 0;
  return [
    {
      environment,
      arm,
      mean,
      low: Math.max(-bound, mean - error),
      high: Math.min(bound, mean + error),
    },
  ];
}

/** Names are what environments are told apart by on the axis, so equal ones are numbered. */
function labelled(
  environments: readonly ChartEnvironment[],
): readonly (ChartEnvironment & { label: string })[] {
  const seen = new Map<string, number>();
  return environments.map((environment) => {
    const name = lineOf(environment.name, nameCharacters);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { ...environment, label: count === 1 ? name : `${name} (${count})` };
  });
}

/** The specification of a chart's picture. */
export function roundSpec(chart: RoundChart): TopLevelSpec {
  const shown = labelled(chart.environments.slice(0, mostEnvironments));
  const left = chart.environments.length - shown.length;
  const order = shown.map(({ label }) => label);
  const returns = shown.flatMap((environment) => [
    ...pointOf(environment.label, "plain", environment.plain, 1),
    ...pointOf(environment.label, "hinted", environment.hinted, 1),
    ...(environment.hintedHuman === null
      ? []
      : pointOf(environment.label, "person's hint", environment.hintedHuman, 1)),
  ]);
  const arms = (["plain", "hinted", "person's hint"] as const).filter((arm) =>
    returns.some((point) => point.arm === arm),
  );
  const regrets = shown.flatMap((environment) => pointOf(environment.label, "plain", environment.regret, 2));
  // So that no regret at all is still drawn on an axis.
  const regretDomain = [
    Math.min(-0.1, ...regrets.map(({ low }) => low)),
    Math.max(0.1, ...regrets.map(({ high }) => high)),
  ];
  const winRates = shown.flatMap(({ winRate }) => (winRate === null ? [] : [{ winRate }]));
  const y = { field: "environment", type: "nominal", sort: order, title: null } as const;
  const yOffset = { field: "arm", type: "nominal", sort: arms } as const;
  const color = {
    field: "arm",
    type: "nominal",
    sort: arms,
    title: null,
    scale: { domain: arms, range: arms.map((arm) => armColors[arm]) },
    legend: { orient: "top" },
  } as const;
  return {
    ...framed(
      chart.title,
      left > 0 ? `${left} more environments are not shown` : "error bars: one standard error",
    ),
    vconcat: [
      {
        width,
        height: { step: arms.length > 2 ? 10 : 13 },
        data: { values: returns },
        layer: [
          {
            mark: { type: "rule", strokeWidth: 2 },
            encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" }, y, yOffset, color },
          },
          {
            mark: { type: "point", filled: true, size: 70, opacity: 1 },
            encoding: {
              x: { field: "mean", type: "quantitative", title: "mean return", scale: { domain: [-1, 1] } },
              y,
              yOffset,
              color,
            },
          },
        ],
      },
      {
        width,
        height: { step: 22 },
        data: { values: regrets },
        layer: [
          {
            mark: { type: "bar", color: "#b9b9c6", height: 12 },
            encoding: {
              x: {
                field: "mean",
                type: "quantitative",
                title: "regret (hinted − plain)",
                scale: { domain: regretDomain },
              },
              y,
            },
          },
          {
            mark: { type: "point", filled: true, size: 40, opacity: 1, color: "#333333" },
            encoding: { x: { field: "mean", type: "quantitative" }, y },
          },
          {
            mark: { type: "rule", strokeWidth: 2, color: "#333333" },
            encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" }, y },
          },
        ],
      },
      {
        width,
        height: 90,
        data: { values: winRates },
        mark: { type: "bar", color: "#72b7b2" },
        encoding: {
          x: {
            field: "winRate",
            type: "quantitative",
            bin: { extent: [0, 1], step: 0.1 },
            title: "win rate of plain plays",
          },
          y: {
            aggregate: "count",
            type: "quantitative",
            title: "environments",
            axis: { tickMinStep: 1, format: "d" },
          },
        },
      },
    ],
  };
}
