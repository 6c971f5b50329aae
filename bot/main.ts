/** The entry point of `bin/spadework`: it knows the process and the composition, and hands both to the command line. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { composeServices } from "../config/compose.ts";
import { runCommandLine } from "./cli/run.ts";

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")));

const exitCode = await runCommandLine({
  words: process.argv.slice(2),
  version,
  directory: process.cwd(),
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  compose: composeServices,
});

// Idle connections to providers must not keep a finished command alive.
process.exit(exitCode);
