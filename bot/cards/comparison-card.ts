/** A comparison's result as a card. */
import { isClear } from "../../graph/comparison/page.ts";
import type { ComparisonResult } from "../../graph/comparison/result.ts";
import { type Card, card, field, fields, table, text } from "./card.ts";
import { unknown } from "./numbers.ts";

/** A fraction in per cent, with half the width of its interval where there is one. */
function points(mean: number, ci95: readonly [number, number] | null): string {
  const half = ci95 === null ? "" : ` ± ${((100 * (ci95[1] - ci95[0])) / 2).toFixed(1)}`;
  return `${(100 * mean).toFixed(1)}${half}`;
}

/** `written`: the files with the page, the curves and the chart. */
export function comparisonCard(result: ComparisonResult, written: readonly string[]): Card {
  const number = { align: "right", squeezeTo: 5 } as const;
  const rows = result.arms.map(({ arm, poolSize, heldOut, episodes }) => {
    const difference = result.differences.find(({ minus }) => minus === arm);
    return {
      cells: [
        poolSize > 0 ? `${arm} (${poolSize})` : arm,
        points(heldOut.mean, heldOut.ci95),
        difference === undefined ? unknown : points(difference.mean, difference.ci95),
        difference === undefined ? unknown : isClear(difference) ? "yes" : "no",
        Math.round(episodes).toLocaleString("en"),
      ],
    };
  });
  return card("Comparison", {
    tone: "good",
    blocks: [
      fields(
        field("seeds", `${result.seeds.length} (${result.seeds[0]} to ${result.seeds.at(-1)})`),
        field("rounds", String(result.rounds)),
        field("held-out environments", result.setId),
      ),
      table(
        [
          { title: "arm", plain: true },
          { title: "held-out, %", ...number },
          { title: "full − arm", ...number },
          { title: "excludes 0" },
          { title: "episodes", ...number },
        ],
        rows,
      ),
      text(
        "Success on the held-out environments after the last round, with 95 % intervals; differences are paired by seed.",
      ),
      text(`Written: ${written.join(", ")}.`),
    ],
  });
}
