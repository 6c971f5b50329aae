/** The worker of convert.ts: one document in, its plain text or the reason why not out. */
import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import { plainDocument } from "./content.ts";
import type { ConversionAnswer } from "./convert.ts";
import { UndecodableError } from "./decode.ts";

const request = z.object({
  bytes: z.instanceof(Uint8Array),
  type: z.enum(["pdf", "html"]),
  charset: z.string().nullable(),
});

async function answer(): Promise<ConversionAnswer> {
  const { bytes, type, charset } = request.parse(workerData);
  try {
    return await plainDocument(bytes, type, charset);
  } catch (error) {
    if (error instanceof UndecodableError) return { refused: error.message };
    // Deep nesting and absurd sizes end as a RangeError of the parser.
    if (error instanceof RangeError) return { refused: `the ${type.toUpperCase()} is damaged` };
    throw error;
  }
}

parentPort?.postMessage(await answer());
