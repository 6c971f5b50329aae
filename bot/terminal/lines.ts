/** Lines that somebody types or a pipe brings, one at a time; with completion and history on a terminal. */
import { createInterface } from "node:readline/promises";
import type { InputStream, OutputStream } from "../cli/streams.ts";
import type { Completion } from "./complete-line.ts";

export interface LineOptions {
  readonly input: InputStream;
  readonly output: OutputStream;
  /** Newest first. */
  readonly history: readonly string[];
  complete(line: string): Promise<Completion>;
  /** Ctrl-C, with what stands on the line. */
  onInterrupt(line: string): void;
}

export interface Lines {
  readonly terminal: boolean;
  /** The next line; null when there are no more. */
  next(prompt: string): Promise<string | null>;
  /** Writes the prompt anew, with an empty line. */
  again(): void;
  close(): void;
}

const mostHistory = 1_000;

export function createLines({ input, output, history, complete, onInterrupt }: LineOptions): Lines {
  const terminal = input.isTTY === true && output.isTTY === true;
  const reader = createInterface({
    input,
    output,
    terminal,
    history: [...history],
    historySize: mostHistory,
    removeHistoryDuplicates: true,
    completer: async (line: string): Promise<[string[], string]> => {
      const [candidates, word] = await complete(line).catch((): Completion => [[], line]);
      return [[...candidates], word];
    },
  });
  // What is typed while a command works is not lost.
  const waiting: string[] = [];
  let wanted: ((line: string | null) => void) | null = null;
  let ended = false;
  const give = (line: string | null): void => {
    const take = wanted;
    wanted = null;
    take?.(line);
  };
  reader.on("line", (line) => {
    if (wanted === null) waiting.push(line);
    else give(line);
  });
  reader.on("close", () => {
    ended = true;
    give(null);
  });
  reader.on("SIGINT", () => onInterrupt(reader.line));
  return {
    terminal,
    next(prompt) {
      const line = waiting.shift();
      if (line !== undefined) return Promise.resolve(line);
      if (ended) return Promise.resolve(null);
      if (terminal) {
        reader.setPrompt(prompt);
        reader.prompt();
      }
      return new Promise((resolve) => {
        wanted = resolve;
      });
    },
    again() {
      if (!terminal) return;
      output.write("\n");
      reader.write(null, { ctrl: true, name: "u" });
      reader.prompt();
    },
    close() {
      reader.close();
    },
  };
}
