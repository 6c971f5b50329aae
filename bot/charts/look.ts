/** How every chart looks: its font, its white ground (chat is light or dark), its title. */
import type { TopLevelSpec } from "vega-lite";
import { harmless, oneLine, shorten } from "../cards/harmless.ts";

export const fontFamily = "Inter";
/** Of a panel, in units of the picture. */
export const width = 560;

/** Of the arms, the same in every chart. */
export const armColors = { plain: "#4c78a8", hinted: "#f58518", "person's hint": "#54a24b" } as const;

/** What all specifications begin with. */
export function framed(title: string, subtitle: string) {
  return {
    background: "#ffffff",
    padding: 16,
    title: { text: lineOf(title, 80), subtitle, anchor: "start" },
    config: {
      font: fontFamily,
      axis: { labelFontSize: 12, titleFontSize: 12, labelLimit: 240 },
      legend: { labelFontSize: 12 },
      title: { fontSize: 16, subtitleFontSize: 12 },
    },
  } as const satisfies Partial<TopLevelSpec>;
}

/** A text that somebody else wrote, as one line that can do no harm. */
export function lineOf(text: string, characters: number): string {
  return shorten(oneLine(harmless(text)), characters);
}
