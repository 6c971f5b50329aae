/** The Vega-Lite specification of any chart. */
import type { TopLevelSpec } from "vega-lite";
import type { Chart } from "../cards/chart.ts";
import { campaignSpec } from "./campaign-spec.ts";
import { comparisonSpec } from "./comparison-spec.ts";
import { roundSpec } from "./round-spec.ts";

export function specOf(chart: Chart): TopLevelSpec {
  switch (chart.type) {
    case "round":
      return roundSpec(chart);
    case "campaign":
      return campaignSpec(chart);
    case "comparison":
      return comparisonSpec(chart);
  }
}
