import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Caller } from "../../bot/caller.ts";
import { card } from "../../bot/cards/card.ts";
import { commands } from "../../bot/commands/all.ts";
import { type CommandContext, defineCommand } from "../../bot/commands/command.ts";
import { givenFile } from "../../bot/commands/given-file.ts";
import { isRequired, type OptionDefinition, optionName, parseOptions } from "../../bot/commands/option.ts";
import { SpadeworkError } from "../../config/errors.ts";
import { suggest } from "../../config/suggest.ts";

const options = {
  envs: { kind: "whole-number", summary: "designs", schema: z.number().int().min(1).max(9).optional() },
  playsPerSeed: { kind: "whole-number", summary: "plays", schema: z.number().int().default(1) },
  kind: { kind: "choice", summary: "kinds", schema: z.enum(["game", "tool-use"]).optional() },
  brief: { kind: "long-text", summary: "words", schema: z.string().trim().min(1).max(99).optional() },
  pool: { kind: "environment", summary: "ids", schema: z.array(z.string()).optional(), many: true },
  docs: { kind: "path-or-link", summary: "docs", schema: z.array(z.string()).optional(), many: true },
  kinds: {
    kind: "choice",
    summary: "several",
    schema: z.array(z.enum(["game", "tool-use"])).optional(),
    many: true,
  },
  quiet: {
    kind: "text",
    summary: "hours",
    schema: z
      .string()
      .regex(/^[12]?\d-[12]?\d$/)
      .describe("two hours, e.g. 22-7")
      .optional(),
  },
  file: {
    kind: "file",
    summary: "a file",
    schema: givenFile.optional(),
    argument: true,
    placeholder: "FILE",
  },
} as const satisfies Record<string, OptionDefinition>;

function refusal(raw: Record<string, unknown>, surface: Caller["surface"] = "command-line"): string {
  try {
    parseOptions(options, raw, surface);
  } catch (error) {
    if (error instanceof SpadeworkError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "nothing was refused";
}

describe("options", () => {
  it("take texts of a command line and typed values of a chat alike", () => {
    const typed = { envs: 3, kind: "tool-use", pool: ["a"] };
    const texts = { envs: " 3", kind: "Tool Use", pool: ["a"] };
    expect(parseOptions(options, typed, "discord")).toEqual(parseOptions(options, texts, "command-line"));
    expect(parseOptions(options, {}, "discord")).toMatchObject({ envs: undefined, playsPerSeed: 1 });
  });

  it.each([
    [{ envs: "0" }, '--envs is "0"; it takes a whole number from 1 to 9.'],
    [{ envs: "two" }, '--envs is "two"; it takes a whole number from 1 to 9.'],
    [{ envs: "1.5" }, '--envs is "1.5"; it takes a whole number from 1 to 9.'],
    [{ envs: "0x3" }, '--envs is "0x3"; it takes a whole number from 1 to 9.'],
    [{ playsPerSeed: "" }, '--plays-per-seed is ""; it takes a whole number.'],
    [{ kind: "gam" }, '--kind is "gam"; it takes one of game, tool-use. Did you mean "game"?'],
    [{ envz: "3" }, 'There is no option "envz". Did you mean "envs"?'],
    [{ brief: " " }, '--brief is " "; it takes a text of 1 to 99 characters.'],
    [{ pool: ["r1-1", 1] }, '--pool is "1"; it takes the id of an environment.'],
    [{ kinds: ["game", "gam"] }, '--kinds is "gam"; it takes one of game, tool-use.'],
    [{ quiet: "25-99" }, '--quiet is "25-99"; it takes two hours, e.g. 22-7.'],
  ])("refuse %j by name", (raw, message) => {
    expect(refusal(raw)).toBe(`input.bad-option ${message}`);
  });

  it("name themselves as the surface does", () => {
    expect(refusal({ playsPerSeed: "x" }, "discord")).toContain("plays-per-seed is");
    expect(refusal({ playsPerSeed: "x" }, "discord")).not.toContain("--");
  });

  it("read files by path at the keyboard only", () => {
    const path = join(tmpdir(), `spadework-option-${process.pid}.txt`);
    writeFileSync(path, "content");
    expect(parseOptions(options, { file: path }, "command-line").file?.text).toBe("content");
    expect(refusal({ file: path }, "discord")).toContain("input.bad-option");
    expect(refusal({ docs: ["/etc/passwd"] }, "discord")).toContain('docs is "/etc/passwd"; it takes a link');
    expect(parseOptions(options, { docs: ["https://a.example/b"] }, "discord").docs).toHaveLength(1);
    expect(refusal({ file: "/nonexistent/x" })).toBe(
      'input.no-such-file There is no file "/nonexistent/x" that can be read.',
    );
    expect(refusal({ file: tmpdir() })).toContain("is a folder, not a file");
    expect(refusal({ file: "/dev/zero" })).toContain("is too large");
  });
});

describe("a command", () => {
  const viewer: Caller = { id: "1", name: "ada", role: "viewer", surface: "discord" };
  const context: CommandContext = {
    config: () => Promise.reject(new Error("not needed")),
    services: () => Promise.reject(new Error("not needed")),
    log: pino({ level: "silent" }),
    drainable: () => new AbortController().signal,
    dialog: null,
    team: null,
    place: null,
  };
  const command = defineCommand({
    name: "burn",
    summary: "burns",
    role: "researcher",
    options: { envs: options.envs },
    run: async ({ envs }) => ({ card: card("done", { blocks: [] }), json: { envs } }),
  });

  it("checks the role before anything else", async () => {
    await expect(command.run({ envs: "bad" }, viewer, context)).rejects.toMatchObject({
      code: "input.not-allowed",
      message: 'ada may not use "burn": it needs the role researcher, and theirs is viewer.',
    });
    for (const role of ["researcher", "admin"] as const) {
      expect((await command.run({ envs: "2" }, { ...viewer, role }, context)).json).toEqual({ envs: 2 });
    }
  });
});

describe("every command", () => {
  it("has a name of its own of one or two words", () => {
    expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length);
    for (const { name } of commands) expect(name).toMatch(/^[a-z]+( [a-z]+(-[a-z]+)?)?$/);
  });

  it.each(commands.map((command) => [command.name, command] as const))(
    "%s can be offered by a chat: names, summaries and order of its options",
    (_name, command) => {
      expect(command.summary.length).toBeGreaterThan(0);
      expect(command.summary.length).toBeLessThanOrEqual(100);
      const entries = Object.entries(command.options);
      for (const [key, option] of entries) {
        expect(optionName(key)).toMatch(/^[a-z][a-z-]{0,31}$/);
        expect(option.summary.length).toBeLessThanOrEqual(100);
      }
      // A chat takes no required option after an optional one, and neither does a command line's argument list.
      const required = entries.map(([, option]) => isRequired(option));
      expect(required).toEqual([...required].sort((a, b) => Number(b) - Number(a)));
    },
  );
});

describe("suggestions", () => {
  it.each([
    ["plais", "plays"],
    ["pasly", null],
    ["PLAYS", "plays"],
    ["palys", "plays"],
    ["", null],
    ["envss", "envs"],
  ])("%j → %j", (given, meant) => {
    expect(suggest(given, ["plays", "envs", "kind"])).toBe(meant);
  });
});
