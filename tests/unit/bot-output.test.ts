import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { card } from "../../bot/cards/card.ts";
import { createOutput } from "../../bot/cli/output.ts";
import type { Answer } from "../../bot/commands/command.ts";

class Caught extends Writable {
  text = "";
  readonly isTTY: boolean;
  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}

const nasty = "\u001b[2J\u009b31m\u202egnol\u007f\n";

async function written(answer: Answer, { json, isTTY }: { json: boolean; isTTY: boolean }): Promise<string> {
  const stdout = new Caught(isTTY);
  const output = createOutput({
    stdout,
    stderr: new Caught(isTTY),
    environment: { NO_COLOR: "1" },
    json,
    redact: (text) => text,
    commands: [],
  });
  await output.answer(answer);
  return stdout.text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/;

describe("what a command prints", () => {
  const answer: Answer = { card: card("Source", { blocks: [] }), json: { source: nasty }, raw: nasty };

  it("is a source byte for byte where it goes to a file, and harmless on a terminal", async () => {
    expect(await written(answer, { json: false, isTTY: false })).toBe(nasty);
    expect(await written(answer, { json: false, isTTY: true })).not.toMatch(steering);
  });

  it.each([true, false])(
    "is JSON that says the same and steers no terminal (terminal: %s)",
    async (isTTY) => {
      const shown = await written(answer, { json: true, isTTY });
      expect(JSON.parse(shown)).toEqual({ source: nasty });
      expect(shown).not.toMatch(steering);
    },
  );
});
