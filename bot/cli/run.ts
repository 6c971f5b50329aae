/** One command line from its words to its exit code: parsed, run, answered and written out. */
import { asSpadeworkError } from "../../config/errors.ts";
import { type Environment, readEnvironment } from "../../config/load.ts";
import { createRedact } from "../../config/redact.ts";
import { commands } from "../commands/all.ts";
import { createOutput, type Output, watchStreams, widthOf } from "./output.ts";
import { namesNoCommand, parseCommandLine, type Request } from "./program.ts";
import type { Surroundings } from "./session.ts";

/** The command that runs when none is named. */
const defaultCommand = "serve";

/** Runs one command line. Resolves with its exit code when everything is written and closed. */
export async function runCommandLine(surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings;
  const streams = watchStreams([stdout, stderr]);
  const plain = outputFor(surroundings, surroundings.environment);
  let code: number;
  try {
    code = await runWords(surroundings);
  } catch (thrown) {
    // What goes wrong before there are settings has no log to go to.
    const error = asSpadeworkError(thrown);
    plain.error(error, null);
    code = error.exit;
  }
  await plain.flush();
  const lost = streams.failure();
  if (lost === null) return code;
  stderr.write(`spadework: ${lost.message}\n  ${lost.fix}\n`);
  return lost.exit;
}

async function runWords(surroundings: Surroundings): Promise<number> {
  const environment = readEnvironment(surroundings.directory, surroundings.environment);
  // Model adapters read their keys where their libraries do, in the process's own variables.
  for (const [name, value] of Object.entries(environment)) surroundings.environment[name] ??= value;
  const output = outputFor(surroundings, environment);
  const request = requestOf(surroundings, environment);
  if (request.type === "show") {
    output.plain(request.text);
    return 0;
  }
  // Loaded here, so that help needs neither log nor terminal.
  const { runRequest } = await import("./session.ts");
  return runRequest(request, surroundings, environment, output);
}

function outputFor(surroundings: Surroundings, environment: Environment): Output {
  return createOutput({
    stdout: surroundings.stdout,
    stderr: surroundings.stderr,
    environment,
    json: surroundings.words.includes("--json"),
    redact: createRedact(environment),
    commands,
  });
}

function requestOf({ words, version, stdout }: Surroundings, environment: Environment): Request {
  const meant = namesNoCommand(words) ? [...words, defaultCommand] : words;
  return parseCommandLine(meant, commands, { version, width: widthOf(stdout, environment) });
}
