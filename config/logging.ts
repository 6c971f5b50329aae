/**
 * The log: JSON lines in `spadework.log` of the data directory, always; warnings and worse on the console too, pretty
 * and one line each on a terminal. Secrets are taken out of every line, and stack traces stay in the file.
 */
import { closeSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type DestinationStream, type Logger, multistream, pino } from "pino";
import { z } from "zod";
import { makeDirectory } from "./directory.ts";
import { type Redact, secretFields } from "./redact.ts";
import type { Config } from "./schema.ts";

export const logFileName = "spadework.log";

/** A log file that has grown to this many bytes is put aside as `spadework.log.1` when a process opens it. */
const logFileBytes = 16 * 1024 * 1024;

/** Where lines for people go; a progress display puts them above its bars. */
export interface Console {
  readonly pretty: boolean;
  readonly color: boolean;
  /** `text` ends with a line break. */
  write(text: string): void;
}

export interface LoggingOptions {
  readonly dataDir: string;
  readonly level: Config["log"]["level"];
  readonly redact: Redact;
  readonly console: Console | null;
}

/** A line with this field set was shown to the person already, so the console leaves it out. */
export const alreadyShown = { shown: true } as const;

/**
 * Appends lines, opened by the first of them. Logging must never end a command: a line that can't be written (a
 * read-only directory, a full disk) is dropped, and the store says what is wrong.
 */
function fileStream(dataDir: string, redact: Redact): DestinationStream {
  let file: number | null = null;
  const open = (): number | null => {
    const path = join(dataDir, logFileName);
    try {
      makeDirectory(dataDir);
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > logFileBytes) renameSync(path, `${path}.1`);
      return openSync(path, "a", 0o600);
    } catch {
      return null;
    }
  };
  return {
    write(line) {
      file ??= open();
      if (file === null) return;
      try {
        writeSync(file, redact(line));
      } catch {
        closeSync(file);
        file = null;
      }
    },
  };
}

const consoleLine = z.looseObject({
  level: z.number(),
  time: z.string(),
  shown: z.boolean().optional(),
  msg: z.string().default(""),
  err: z.looseObject({ message: z.string() }).optional(),
});

function consoleStream(target: Console, redact: Redact): DestinationStream {
  let format: ((line: object) => string) | undefined;
  const pretty = (line: object): string => {
    if (format === undefined) {
      // Loaded by the first line for people: it costs 50 ms that most commands need not spend.
      const { prettyFactory }: typeof import("pino-pretty") = createRequire(import.meta.url)("pino-pretty");
      format = prettyFactory({
        colorize: target.color,
        translateTime: "SYS:HH:MM:ss",
        ignore: "pid,hostname",
      });
    }
    return format(line);
  };
  return {
    write(line) {
      const { shown, err, msg, ...rest } = consoleLine.parse(JSON.parse(redact(line)));
      if (shown === true) return;
      const said = err === undefined ? msg : `${msg}: ${err.message}`;
      // A person reads the sentence; the facts behind it are in the file.
      const { level, time } = rest;
      target.write(
        target.pretty ? pretty({ level, time, msg: said }) : `${JSON.stringify({ ...rest, msg: said })}\n`,
      );
    },
  };
}

/** The logger of a process. Nothing is opened before the first line. */
export function createLogger(options: LoggingOptions): Logger {
  if (options.level === "silent") return pino({ level: "silent" });
  const streams: { level: pino.Level; stream: DestinationStream }[] = [
    { level: options.level, stream: fileStream(options.dataDir, options.redact) },
  ];
  if (options.console !== null) {
    streams.push({ level: "warn", stream: consoleStream(options.console, options.redact) });
  }
  return pino(
    {
      level: options.level,
      base: { pid: process.pid },
      redact: { paths: secretFields, censor: "[redacted]" },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    multistream(streams),
  );
}
