/** One command at work: its settings, log, display and services, from the first to the last moment. */
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import { asSpadeworkError, InputError, RoundError, type SpadeworkError } from "../../config/errors.ts";
import { type Environment, loadConfig } from "../../config/load.ts";
import { alreadyShown, createLogger, logFileName } from "../../config/logging.ts";
import { createRedact } from "../../config/redact.ts";
import type { Config } from "../../config/schema.ts";
import type { Listener } from "../../graph/events.ts";
import type { Services } from "../../graph/services.ts";
import type { Caller } from "../caller.ts";
import type { CommandContext } from "../commands/command.ts";
import { createDialog } from "./dialog.ts";
import { createDisplay, type Display } from "./display.ts";
import { watchInterrupts } from "./interrupts.ts";
import { hasColor, type Output } from "./output.ts";
import type { Request } from "./program.ts";
import type { InputStream, OutputStream } from "./streams.ts";

/** What the process gives the command line. */
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

export type RunRequest = Extract<Request, { type: "run" }>;

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

function interrupted({ roundId, campaignId }: ReturnType<Display["worksOn"]>): SpadeworkError {
  if (campaignId !== null) {
    return new RoundError("round.interrupted", `Campaign ${campaignId} was interrupted.`, {
      data: { campaignId },
    });
  }
  if (roundId === null) return new InputError("input.interrupted", "The command was interrupted.");
  return new RoundError("round.interrupted", `Round ${roundId} was interrupted.`, { data: { roundId } });
}

/** Runs a command to its end: loads the settings, opens what it needs, answers, and closes everything again. */
export async function runRequest(
  request: RunRequest,
  surroundings: Surroundings,
  environment: Environment,
  output: Output,
): Promise<number> {
  const { directory, stdin, stdout, stderr } = surroundings;
  const flags = { dataDir: request.data };
  const config = await loadConfig({ directory, environment, flags });
  const logPath = join(config.dataDir, logFileName);
  const display = createDisplay(stderr, environment);
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
    output.error(error, logPath);
    process.exit(error.exit);
  };
  process.on("uncaughtException", crashed);
  const stopNow = (): never => {
    display.stop();
    output.error(interrupted(display.worksOn()), logPath);
    process.exit(130);
  };
  const interrupts = watchInterrupts({
    onDrain: () => display.say("Finishing the episodes in flight. Press Ctrl-C once more to stop at once.\n"),
    onStop: stopNow,
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
    team: null,
    place: null,
    serving: {
      environment,
      open: (listener) => surroundings.compose(config, { log, emit: listener }),
      say: (line) => display.say(`${line}\n`),
      terminal: {
        stdin,
        stdout: request.json ? stderr : stdout,
        stderr,
        redact: createRedact(environment),
        stopNow,
      },
    },
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
    output.error(error, logPath);
    return error.exit;
  } finally {
    dialog.close();
    await closeQuietly(services, log);
    interrupts.stop();
    process.off("uncaughtException", crashed);
  }
}

/** What can't be closed is for the log: the answer stands. What never opened was told already. */
async function closeQuietly(services: Promise<Services> | null, log: Logger): Promise<void> {
  const opened = services === null ? null : await services.catch(() => null);
  try {
    await opened?.close();
  } catch (error) {
    log.error({ err: error, ...alreadyShown }, "closing failed");
  }
}
