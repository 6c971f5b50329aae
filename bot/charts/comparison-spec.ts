/** What the picture of a comparison shows, as a Vega-Lite specification: a curve an arm, with its interval shaded. */
import type { TopLevelSpec } from "vega-lite";
import type { ComparisonChart } from "../cards/chart.ts";
import { framed, lineOf } from "./look.ts";

/** Told apart by people who see few colours too, as far as so many can be; the first is the strongest. More arms share some. */
const colors = [
  "#000000",
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#cc79a7",
  "#e69f00",
  "#56b4e9",
  "#8c564b",
  "#7f7f7f",
  "#bcbd22",
];
/** The specification of a comparison's picture. */
export function comparisonSpec({ title, measure, arms }: ComparisonChart): TopLevelSpec {
  const names = arms.map(({ arm }) => lineOf(arm, 40));
  const values = arms.flatMap(({ points }, at) =>
    points.map((point) => ({ ...point, arm: names[at] ?? "" })),
  );
  const last = Math.max(1, ...values.map(({ after }) => after));
  const color = {
    field: "arm",
    type: "nominal",
    sort: names,
    scale: { domain: names, range: names.map((_, at) => colors[at % colors.length] ?? "#000000") },
    legend: { title: null, orient: "right", labelLimit: 240, symbolOpacity: 1 },
  } as const;
  const x = {
    field: "after",
    type: "quantitative",
    title: "rounds trained on",
    scale: { domainMin: 0, domainMax: last, nice: false },
    axis: { tickMinStep: 1, format: "d", grid: false },
  } as const;
  const scale = { zero: false, nice: true } as const;
  return {
    ...framed(title, "mean over seeds; shaded: 95 % interval"),
    width: 620,
    height: 380,
    layer: [
      {
        data: { values },
        mark: { type: "area", opacity: 0.13 },
        encoding: {
          x,
          y: { field: "low", type: "quantitative", title: lineOf(measure, 60), scale },
          y2: { field: "high" },
          color,
        },
      },
      {
        data: { values },
        mark: { type: "line", strokeWidth: 2.2, point: { filled: true, size: 28 } },
        encoding: {
          x,
          y: { field: "mean", type: "quantitative", scale },
          color,
        },
      },
    ],
  };
}
