/** Draws a Vega-Lite specification as a picture. It takes the thread it runs on for a good while: chat leaves it to the worker. */
import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import { parse, type Spec, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { fontFamily } from "./look.ts";

/** The renderer ships no font, and without one text vanishes silently; the system's would differ from machine to machine. */
export const fontFiles: readonly string[] = [
  "400Regular/Inter_400Regular.ttf",
  "700Bold/Inter_700Bold.ttf",
].map((file) => fileURLToPath(import.meta.resolve(`@expo-google-fonts/inter/${file}`)));

/** Pixels per unit of the picture, so that phones show it sharp. */
const zoom = 2;

/** The picture as SVG. It names its font, which whoever shows it may not have. */
export async function drawSvg(spec: TopLevelSpec): Promise<string> {
  const compiled: Spec = compile(spec).spec;
  const view = new View(parse(compiled), { renderer: "none" });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

/** The picture's bytes. The same specification gives the same bytes. */
export async function drawPng(spec: TopLevelSpec, fonts: readonly string[] = fontFiles): Promise<Uint8Array> {
  return pngOf(await drawSvg(spec), fonts);
}

/** An SVG's picture as PNG. */
export function pngOf(svg: string, fonts: readonly string[] = fontFiles): Uint8Array {
  const font = { loadSystemFonts: false, fontFiles: [...fonts], defaultFontFamily: fontFamily };
  return new Resvg(svg, { font, fitTo: { mode: "zoom", value: zoom } }).render().asPng();
}
