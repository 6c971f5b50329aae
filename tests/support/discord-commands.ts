/** Commands for tests of how Discord gives and answers them: each does one thing that a real one does now and then. */
import { z } from "zod";
import type { Caller } from "../../bot/caller.ts";
import { type Button, card, text } from "../../bot/cards/card.ts";
import { type Command, defineCommand } from "../../bot/commands/command.ts";
import { givenFile } from "../../bot/commands/given-file.ts";

/** What the commands did, in order: `press 1 by ada`. */
export interface Deeds {
  readonly list: string[];
  /** What `slow` waits for. */
  gate: PromiseWithResolvers<void>;
}

export function createDeeds(): Deeds {
  return { list: [], gate: Promise.withResolvers<void>() };
}

const said = (content: string, buttons: readonly Button[] = []) => ({
  card: card("Done", { blocks: [text(content)], buttons }),
  json: {},
});

const button = (label: string, command: string, more: Partial<Button> = {}): Button => ({
  label,
  command,
  options: {},
  ...more,
});

export function testCommands(deeds: Deeds): readonly Command[] {
  const note = (what: string, caller: Caller): string => {
    const deed = `${what} by ${caller.name}`;
    deeds.list.push(deed);
    return deed;
  };
  const panel = defineCommand({
    name: "panel",
    summary: "Shows buttons",
    role: "viewer",
    options: {},
    run: async (_options, caller) =>
      said(note("panel", caller), [
        button("Press", "press", { options: { number: 1 } }),
        button("Replace", "replace"),
        button("Whisper", "whisper"),
        button("Fail", "fail"),
        button("Retire", "retire"),
        button("Fill in", "fill", {
          options: { text: "as it was" },
          ask: ["text", "choice", "many", "yes", "files"],
        }),
        button("Slow", "slow"),
        button("Long", "press", { options: { number: 2, note: "n".repeat(300) } }),
      ]),
  });
  const press = defineCommand({
    name: "press",
    summary: "Notes a number",
    role: "viewer",
    hidden: true,
    options: {
      number: { kind: "whole-number", summary: "a number", schema: z.number().int() },
      note: { kind: "text", summary: "a note", schema: z.string().optional() },
    },
    run: async ({ number, note: given }, caller) =>
      said(note(`press ${number} ${given?.length ?? 0}`, caller)),
  });
  const replace = defineCommand({
    name: "replace",
    summary: "Takes its message's place",
    role: "viewer",
    options: {},
    run: async (_options, caller) => ({ ...said(note("replace", caller)), replaces: true }),
  });
  const whisper = defineCommand({
    name: "whisper",
    summary: "Answers its caller alone",
    role: "viewer",
    audience: "caller",
    options: {},
    run: async (_options, caller) => said(note("whisper", caller)),
  });
  const fail = defineCommand({
    name: "fail",
    summary: "Fails",
    role: "viewer",
    options: {},
    run: async () => {
      throw new TypeError("undefined is not a function\n    at secret-place.ts:1:1");
    },
  });
  const retire = defineCommand({
    name: "retire",
    summary: "Takes an admin",
    role: "admin",
    options: { reason: { kind: "text", summary: "why", schema: z.string().optional() } },
    run: async (_options, caller) => said(note("retire", caller)),
  });
  const fill = defineCommand({
    name: "fill",
    summary: "Takes a form with every kind of field that there is",
    role: "researcher",
    options: {
      text: { kind: "long-text", summary: "a long text", schema: z.string().max(2_000), asked: true },
      choice: {
        kind: "choice",
        summary: "one of three",
        schema: z.enum(["a", "b", "c"]).optional(),
        asked: true,
      },
      many: { kind: "environment", summary: "ids", schema: z.array(z.string()).optional(), many: true },
      yes: { kind: "switch", summary: "yes or no", schema: z.boolean().default(false) },
      files: {
        kind: "file",
        summary: "files",
        schema: z.array(givenFile).optional(),
        many: true,
        asked: true,
      },
      number: { kind: "whole-number", summary: "a number", schema: z.number().int().optional() },
    },
    run: async (values, caller) => {
      const files = values.files?.map(({ name, text: content }) => `${name}=${content}`).join("+");
      return said(note(JSON.stringify({ ...values, files: files ?? null }), caller));
    },
  });
  const slow = defineCommand({
    name: "slow",
    summary: "Takes its time",
    role: "viewer",
    options: {},
    run: async (_options, caller) => {
      note("slow", caller);
      await deeds.gate.promise;
      return said("slow is over");
    },
  });
  return [panel, press, replace, whisper, fail, retire, fill, slow];
}
