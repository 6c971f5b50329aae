/** The thread that draws: takes charts, answers with pictures. Started by the painter. */
import { parentPort } from "node:worker_threads";
import type { Chart } from "../cards/chart.ts";
import { drawPng } from "./draw.ts";
import { specOf } from "./spec.ts";

parentPort?.on("message", async ({ id, chart }: { readonly id: number; readonly chart: Chart }) => {
  try {
    parentPort?.postMessage({ id, png: await drawPng(specOf(chart)) });
  } catch (error) {
    parentPort?.postMessage({ id, problem: error instanceof Error ? error.message : String(error) });
  }
});
