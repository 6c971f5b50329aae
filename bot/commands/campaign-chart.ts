/** `campaign chart`: a campaign's curves as a picture in a file. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import { card, field, fields, text } from "../cards/card.ts";
import { counted } from "../cards/numbers.ts";
import { defineCommand } from "./command.ts";
import { campaignArgument, campaignOf } from "./shared.ts";

/** A picture's form is what its file's name ends in. */
const picture = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .regex(/\.(png|svg)$/i);

async function written(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new InputError("input.bad-option", `The chart could not be written to ${path}: ${why}`, { cause });
  }
}

export const campaignChartCommand = defineCommand({
  name: "campaign chart",
  summary: "Draw a campaign: learning curve, designer's rewards, entropy and clip fraction, versions",
  examples: ["campaign chart c1 --out c1.png"],
  role: "viewer",
  surfaces: ["command-line", "terminal"],
  options: {
    id: campaignArgument,
    out: {
      kind: "text",
      summary: "the picture's file, ending in .png or .svg",
      schema: picture.optional(),
      placeholder: "FILE",
      fallback: "CAMPAIGN.png",
    },
  },
  async run({ id, out = `${id}.png` }, _caller, context) {
    const { store } = await context.services();
    const record = await campaignOf(store, id);
    const { campaignChart } = await import("../charts/campaign-chart.ts");
    const chart = await campaignChart(record, store);
    if (chart === null) {
      throw new InputError("input.conflict", `No round and no evaluation of campaign ${id} is over yet.`);
    }
    const [{ drawSvg, pngOf }, { specOf }] = await Promise.all([
      import("../charts/draw.ts"),
      import("../charts/spec.ts"),
    ]);
    const svg = await drawSvg(specOf(chart));
    const path = resolve(out);
    await written(path, /\.svg$/i.test(path) ? svg : pngOf(svg));
    return {
      card: card(`Chart of campaign ${id}`, {
        blocks: [
          text(chart.alt),
          fields(
            field("written to", path),
            field(
              "shows",
              `${counted(chart.rounds.length, "round")}, ${counted(chart.evaluations.length, "evaluation")}`,
            ),
          ),
        ],
      }),
      json: { campaignId: id, path, chart },
    };
  },
});
