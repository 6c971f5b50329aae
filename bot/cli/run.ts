/** One command line from its words to its exit code: parse, run, answer, close. */
import { userInfo } from "node:os";
import type { Logger } from "pino";
import { asSpadeworkError, InputError, RoundError, type SpadeworkError } from "../../config/errors.ts";
import { type Environment, loadConfig, readEnvironment } from "../../config/load.ts";
import { alreadyShown, createLogger } from "../../config/logging.ts";
import { createRedact } from "../../config/redact.ts";
import type { Config } from "../../config/schema.ts";
import type { Listener, RoundEvent } from "../../graph/events.ts";
import type { Services } from "../../graph/services.ts";
import type { Caller } from "../caller.ts";
import { commands } from "../commands/all.ts";
import type { CommandContext } from "../commands/command.ts";
import { createDialog } from "./dialog.ts";
import { watchInterrupts } from "./interrupts.ts";
import { createOutput, hasColor, type Output, watchStreams, widthOf } from "./output.ts";
import { namesNoCommand, parseCommandLine, type Request } from "./program.ts";
import { createProgress, type Progress } from "./progress.ts";
import type { InputStream, OutputStream } from "./streams.ts";

export interface Surroundings {
  /** The words after `spadework`. */
  readonly words: readonly string[];
  readonly version: string;
  readonly directory: string;
  /** The variables of the process; those of `.env` are added where they are not set. */
  readonly environment: Record<string, string | undefined>;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  compose(config: Config, options: { readonly log: Logger; readonly emit: Listener }): Promise<Services>;
}

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
  if (request.type === "run") return runRequest(request, surroundings, environment, output);
  output.plain(request.text);
  return 0;
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

/** The person at the keyboard: on their own machine they may do everything. */
export function commandLineCaller(): Caller {
  let name: string;
  try {
    name = userInfo().username;
  } catch {
    // A container's user need not have a name.
    name = `uid-${process.getuid?.() ?? 0}`;
  }
  return { id: name, name, role: "admin", surface: "command-line" };
}

type RunRequest = Extract<Request, { type: "run" }>;

/** The display of progress, made when the first thing needs it. */
function lazyProgress({ stderr }: Surroundings, environment: Environment) {
  let progress: Progress | null = null;
  let roundId: string | null = null;
  return {
    /** The last round that was worked on. */
    roundId: () => roundId,
    async open(): Promise<void> {
      progress ??= await createProgress(
        {
          isTerminal: stderr.isTTY === true && environment.TERM !== "dumb",
          width: widthOf(stderr, environment),
          write: (text) => void stderr.write(text),
          stream: stderr,
        },
        () => performance.now(),
      );
    },
    listen(event: RoundEvent): void {
      roundId = event.roundId;
      progress?.listen(event);
    },
    say(text: string): void {
      if (progress === null) stderr.write(text);
      else progress.say(text);
    },
    stop(): void {
      progress?.stop();
      progress = null;
    },
  };
}

function interrupted(roundId: string | null): SpadeworkError {
  if (roundId === null) return new InputError("input.interrupted", "The command was interrupted.");
  return new RoundError("round.interrupted", `Round ${roundId} was interrupted.`, { data: { roundId } });
}

async function runRequest(
  request: RunRequest,
  surroundings: Surroundings,
  environment: Environment,
  output: Output,
): Promise<number> {
  const { directory, stdin, stdout, stderr } = surroundings;
  const flags = { dataDir: request.data };
  const config = await loadConfig({ directory, environment, flags });
  const display = lazyProgress(surroundings, environment);
  const log: Logger = createLogger({
    dataDir: config.dataDir,
    level: config.log.level,
    redact: createRedact(environment),
    console: {
      pretty: stderr.isTTY === true,
      color: hasColor(stderr, environment),
      write: (text) => display.say(text),
    },
  });
  // What no one caught must not end in a stack trace on the person's screen.
  const crashed = (thrown: unknown): never => {
    display.stop();
    const error = asSpadeworkError(thrown);
    log.fatal({ err: error, ...alreadyShown }, error.message);
    output.error(error, config.dataDir);
    process.exit(error.exit);
  };
  process.on("uncaughtException", crashed);
  const interrupts = watchInterrupts({
    onDrain: () => display.say("Finishing the episodes in flight. Press Ctrl-C once more to stop at once.\n"),
    onStop: () => {
      display.stop();
      output.error(interrupted(display.roundId()), config.dataDir);
      process.exit(130);
    },
  });
  const dialog = createDialog({
    input: stdin,
    output: request.json ? stderr : stdout,
    onInterrupt: interrupts.interrupt,
  });
  let services: Promise<Services> | null = null;
  const context: CommandContext = {
    log,
    dialog,
    config: async (preset = null) =>
      preset === null ? config : loadConfig({ directory, environment, flags, preset }),
    services: () => {
      services ??= display
        .open()
        .then(() => surroundings.compose(config, { log, emit: (event) => display.listen(event) }));
      return services;
    },
    drainable: () => interrupts.drainable(),
  };
  try {
    const answer = await request.command.run(request.options, commandLineCaller(), context);
    display.stop();
    await output.answer(answer);
    return answer.exit ?? 0;
  } catch (thrown) {
    display.stop();
    const error = asSpadeworkError(thrown);
    // A mistyped option is no fault of the lab; the log keeps it all the same.
    log[error.exit === 1 ? "error" : "info"]({ err: error, ...alreadyShown }, error.message);
    output.error(error, config.dataDir);
    return error.exit;
  } finally {
    dialog.close();
    await closeQuietly(services, log);
    interrupts.stop();
    process.off("uncaughtException", crashed);
  }
}

/** What can't be closed is for the log: the answer stands. */
async function closeQuietly(services: Promise<Services> | null, log: Logger): Promise<void> {
  try {
    const opened = services === null ? null : await services;
    await opened?.close();
  } catch (error) {
    log.error({ err: error, ...alreadyShown }, "closing failed");
  }
}
