/** Draws a Vega-Lite specification as a PNG. It takes the thread it runs on for a good while: only the worker imports it. */
import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import { parse, type Spec, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { fontFamily } from "./round-spec.ts";

/** The renderer ships no font, and without one text vanishes silently; the system's would differ from machine to machine. */
export const fontFiles: readonly string[] = [
  "400Regular/Inter_400Regular.ttf",
  "700Bold/Inter_700Bold.ttf",
].map((file) => fileURLToPath(import.meta.resolve(`@expo-google-fonts/inter/${file}`)));

/** Pixels per unit of the picture, so that phones show it sharp. */
const zoom = 2;

/** The picture's bytes. The same specification gives the same bytes. */
export async function drawPng(spec: TopLevelSpec, fonts: readonly string[] = fontFiles): Promise<Uint8Array> {
  const compiled: Spec = compile(spec).spec;
  const view = new View(parse(compiled), { renderer: "none" });
  try {
    const svg = await view.toSVG();
    const font = { loadSystemFonts: false, fontFiles: [...fonts], defaultFontFamily: fontFamily };
    return new Resvg(svg, { font, fitTo: { mode: "zoom", value: zoom } }).render().asPng();
  } finally {
    view.finalize();
  }
}
