/** What the command line writes: cards or one JSON document on stdout, progress and errors on stderr. */
import { createColors } from "picocolors";
import { SpadeworkError } from "../../config/errors.ts";
import type { Redact } from "../../config/redact.ts";
import { harmless, harmlessJson, oneLine } from "../cards/harmless.ts";
import type { Answer, Command } from "../commands/command.ts";
import type { OutputStream } from "./streams.ts";

export interface OutputOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly json: boolean;
  readonly redact: Redact;
  readonly commands: readonly Command[];
  /** How people here go on with a round or a campaign; by default as on the command line. */
  readonly resumeLine?: ResumeLine;
}

/** Characters of a line where nobody can say how wide the screen is. */
const defaultWidth = 100;
const leastWidth = 60;

/** Characters that a line of a stream may have. */
export function widthOf(stream: OutputStream, environment: OutputOptions["environment"]): number {
  const told = stream.isTTY === true ? (stream.columns ?? 0) : Number(environment.COLUMNS);
  return Number.isInteger(told) && told > 0 ? Math.max(leastWidth, told) : defaultWidth;
}

/** Colours belong on a terminal whose owner did not turn them off (no-color.org). */
export function hasColor(stream: OutputStream, environment: OutputOptions["environment"]): boolean {
  return stream.isTTY === true && !environment.NO_COLOR && environment.TERM !== "dumb";
}

export interface Output {
  answer(answer: Answer): Promise<void>;
  /** One or two lines; the stack trace is in the log. `logPath` is null as long as there is no log. */
  error(error: SpadeworkError, logPath: string | null): void;
  /** A text as it is, e.g. help. */
  plain(text: string): void;
  /** Resolves when everything has left the process. */
  flush(): Promise<void>;
}

type ResumeLine = (command: "resume" | "campaign resume", id: string) => string;

const resumeLine: ResumeLine = (command, id) => `spadework ${command} ${id}`;

/** What to do, with the line that does it where there is one. */
function fixOf({ code, fix, data }: SpadeworkError, resume = resumeLine): string {
  if (code === "round.interrupted" && typeof data.campaignId === "string") {
    return `Go on with it: ${resume("campaign resume", data.campaignId)}`;
  }
  if (code === "round.interrupted" && typeof data.roundId === "string") {
    return `Go on with it: ${resume("resume", data.roundId)}`;
  }
  return fix;
}

/** The document of an error; `data` is there where the error has any. */
export function errorDocument(error: SpadeworkError, redact: Redact): unknown {
  const { code, message, data } = error;
  const facts = Object.keys(data).length === 0 ? {} : { data };
  return { error: { code, message: redact(message), fix: fixOf(error), ...facts } };
}

export function createOutput(options: OutputOptions): Output {
  const { stdout, stderr, environment, json, redact } = options;
  const width = widthOf(stdout, environment);
  const writeJson = (value: unknown): void => {
    stdout.write(`${harmlessJson(JSON.stringify(value, null, stdout.isTTY ? 2 : 0))}\n`);
  };
  return {
    async answer(answer) {
      if (json) writeJson(answer.json);
      else if (answer.raw !== undefined) {
        // A file or a pipe gets every byte as it is; a terminal would obey some of them.
        const shown = stdout.isTTY === true ? harmless(answer.raw) : answer.raw;
        stdout.write(shown === "" || shown.endsWith("\n") ? shown : `${shown}\n`);
      } else {
        const { renderCard } = await import("./render.ts");
        stdout.write(
          renderCard(answer.card, {
            width,
            color: hasColor(stdout, environment),
            commands: options.commands,
          }),
        );
      }
    },
    error(error, logPath) {
      if (json) return writeJson(errorDocument(error, redact));
      const colors = createColors(hasColor(stderr, environment));
      const log = error.code === "internal.bug" && logPath !== null ? ` It is ${logPath}.` : "";
      const what = `spadework: ${oneLine(harmless(redact(error.message)))}`;
      stderr.write(`${colors.red(what)}\n  ${fixOf(error, options.resumeLine)}${log}\n`);
    },
    plain(text) {
      if (json) writeJson({ text });
      else stdout.write(text);
    },
    async flush() {
      // A write that failed says so in the next turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all(
        [stdout, stderr].map(
          (stream) =>
            new Promise<void>((resolve) => {
              if (stream.destroyed || stream.writableLength === 0) resolve();
              else stream.write("", () => resolve());
            }),
        ),
      );
    },
  };
}

/**
 * Listens to the errors of the streams. A reader that has gone (`| head`) is no fault: what is left to say is dropped
 * quietly. Anything else is kept, for the command to end with.
 */
export function watchStreams(streams: readonly OutputStream[]): { failure(): SpadeworkError | null } {
  let failed: SpadeworkError | null = null;
  for (const stream of streams) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") return;
      failed = new SpadeworkError("internal.output", `The output can't be written: ${error.message}.`, {
        cause: error,
      });
    });
  }
  return { failure: () => failed };
}
