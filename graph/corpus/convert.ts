/**
 * Documents turned into plain text where they can do no harm: PDF and HTML in a worker with limits of time and memory,
 * for a file made with malice keeps their parsers busy for minutes. Plain text needs no parser and stays here.
 */
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { type ContentType, type PlainDocument, plainDocument } from "./content.ts";
import { UndecodableError } from "./decode.ts";

/** What a conversion may take. */
export interface ConversionLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

const defaults: ConversionLimits = { timeoutMs: 60_000, memoryMb: 1_024 };

/** What goes to the worker. */
export interface ConversionRequest {
  readonly bytes: Uint8Array;
  readonly type: "pdf" | "html";
  readonly charset: string | null;
}

/** What the worker answers. */
export const conversionAnswer = z.union([
  z.object({ title: z.string().nullable(), text: z.string(), note: z.string().nullable() }),
  z.object({ refused: z.string() }),
]);
export type ConversionAnswer = z.infer<typeof conversionAnswer>;

/** As `plainDocument`, within limits; passing one is an UndecodableError too. */
export async function convert(
  bytes: Uint8Array,
  type: Exclude<ContentType, "jsonl">,
  charset: string | null,
  limits: ConversionLimits = defaults,
): Promise<PlainDocument> {
  if (type === "text" || type === "markdown") return plainDocument(bytes, type, charset);
  const answer = conversionAnswer.parse(await inWorker({ bytes, type, charset }, limits));
  if ("refused" in answer) throw new UndecodableError(answer.refused);
  return answer;
}

async function inWorker(request: ConversionRequest, limits: ConversionLimits): Promise<unknown> {
  const worker = new Worker(new URL("./convert-worker.ts", import.meta.url), {
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
    // The parsers' own warnings are of no use to a person, and stdout may be holding a JSON document.
    stdout: true,
    stderr: true,
    env: {},
    execArgv: [],
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", (error) => reject(failureOf(error)));
      worker.once("exit", () => reject(new UndecodableError("its reader broke down")));
      timer = setTimeout(
        () => reject(new UndecodableError(`it takes more than ${limits.timeoutMs / 1_000} s to read`)),
        limits.timeoutMs,
      );
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

function failureOf(error: unknown): UndecodableError {
  const code = error instanceof Error && "code" in error ? error.code : null;
  const what =
    code === "ERR_WORKER_OUT_OF_MEMORY" ? "it takes too much memory to read" : "its reader broke down";
  return new UndecodableError(what, { cause: error });
}
