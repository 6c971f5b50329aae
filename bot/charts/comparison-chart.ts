/** Arms that were compared, as a chart, and drawn as pictures for a page. */
import type { ComparisonArm, ComparisonChart } from "../cards/chart.ts";

export interface Compared {
  /** In the order of the legend. */
  readonly arms: readonly ComparisonArm[];
  readonly title?: string;
  /** What the curves show. */
  readonly measure?: string;
}

export function comparisonData({
  arms,
  title = "Learning curves of the arms",
  measure = "held-out success",
}: Compared): ComparisonChart {
  const said = arms.map(({ arm, points }) => {
    const last = points.at(-1);
    if (last === undefined) return `${arm}: nothing measured`;
    const [low, mean, high] = [last.low, last.mean, last.high].map((value) => value.toFixed(3));
    return `${arm} ${mean} [${low}, ${high}] after ${last.after} rounds`;
  });
  return { type: "comparison", title, measure, alt: `${title}, ${measure}: ${said.join("; ")}`, arms };
}

/**
 * The pictures of a comparison, drawn on this thread (half a second): for command lines, not for a bot that others wait
 * for. Means and intervals in the unit that is to be shown.
 */
export async function comparisonChart(
  compared: Compared,
): Promise<{ readonly svg: string; readonly png: Uint8Array }> {
  const [{ drawSvg, pngOf }, { comparisonSpec }] = await Promise.all([
    import("./draw.ts"),
    import("./comparison-spec.ts"),
  ]);
  const svg = await drawSvg(comparisonSpec(comparisonData(compared)));
  return { svg, png: pngOf(svg) };
}
