/** Runs a command line inside the test's own process, with streams of the test's: quick, for whatever needs no process. */
import { tmpdir } from "node:os";
import { PassThrough } from "node:stream";
import { runCommandLine } from "../../bot/cli/run.ts";
import { composeServices } from "../../config/compose.ts";
import type { Ended } from "./command-line.ts";

export interface InsideOptions {
  readonly directory?: string;
  readonly environment?: Record<string, string | undefined>;
  readonly input?: string;
}

function caught(): { readonly stream: PassThrough; text(): string } {
  const stream = new PassThrough();
  let text = "";
  stream.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  return { stream, text: () => text };
}

export async function runInside(words: readonly string[], options: InsideOptions = {}): Promise<Ended> {
  const stdout = caught();
  const stderr = caught();
  const stdin = new PassThrough();
  stdin.end(options.input ?? "");
  const code = await runCommandLine({
    words,
    version: "0.0.0",
    directory: options.directory ?? tmpdir(),
    environment: options.environment ?? {},
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    compose: composeServices,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}
