/** A conversation in the terminal, or with lines from a pipe: prompts out, lines in, until Ctrl-D or the end. */
import { createInterface } from "node:readline/promises";
import { harmless } from "../cards/harmless.ts";
import type { Dialog } from "../commands/command.ts";
import type { InputStream, OutputStream } from "./streams.ts";

export interface DialogStreams {
  readonly input: InputStream;
  readonly output: OutputStream;
  /** Ctrl-C while a line is typed. */
  onInterrupt(): void;
}

/** A dialog that opens its input with the first question. */
export function createDialog({ input, output, onInterrupt }: DialogStreams): Dialog & { close(): void } {
  const terminal = input.isTTY === true && output.isTTY === true;
  let opened: { lines: AsyncIterator<string>; prompt(text: string): void; close(): void } | null = null;
  const open = (): NonNullable<typeof opened> => {
    const reader = createInterface({ input, output, terminal });
    reader.on("SIGINT", onInterrupt);
    return {
      lines: reader[Symbol.asyncIterator](),
      prompt: (text) => {
        // Without a terminal nobody reads a prompt, and it would only stand between the answers.
        if (!terminal) return;
        reader.setPrompt(text);
        reader.prompt();
      },
      close: () => reader.close(),
    };
  };
  return {
    canAnswer: terminal,
    say(text) {
      output.write(`${harmless(text)}\n`);
    },
    async ask(prompt) {
      opened ??= open();
      opened.prompt(prompt);
      const line = await opened.lines.next();
      return line.done === true ? null : line.value;
    },
    close() {
      opened?.close();
    },
  };
}
