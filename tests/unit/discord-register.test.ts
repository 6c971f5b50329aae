import { describe, expect, it } from "vitest";
import { z } from "zod";
import { commands } from "../../bot/commands/all.ts";
import { type Command, defineCommand } from "../../bot/commands/command.ts";
import { isRequired, optionName, optionsOn } from "../../bot/commands/option.ts";
import { menuEntries } from "../../bot/discord/menu.ts";
import { applicationCommands, isOnDiscord } from "../../bot/discord/register.ts";
import { commandSetFaults } from "../support/discord/rules-commands.ts";
import { loadSchemas } from "../support/discord/schemas.ts";
import { type CommandBody, type CommandOption, commandShape } from "../support/discord/shapes.ts";

const schemas = await loadSchemas();

function registered(given: readonly Command[], scope: "global" | "guild" = "guild"): CommandBody[] {
  return applicationCommands(given, menuEntries, scope).map((body) => commandShape.parse(body));
}

/** The options of a command as Discord has them. */
function optionsOf(bodies: readonly CommandBody[], name: string): CommandOption[] {
  const [word, second] = name.split(" ");
  const body = bodies.find((one) => one.name === word && (one.type ?? 1) === 1);
  if (body === undefined) throw new Error(`${name} is not registered`);
  if (second === undefined) return body.options ?? [];
  const sub = (body.options ?? []).find((one) => one.name === second);
  if (sub === undefined) throw new Error(`${name} is not registered`);
  return sub.options ?? [];
}

const fake = (over: Partial<Command> & Pick<Command, "name">): Command => ({
  ...defineCommand({
    name: over.name,
    summary: "does something",
    role: "viewer",
    options: {},
    run: () => Promise.reject(new Error("not run")),
  }),
  ...over,
});

const many = ["a", "b"] as const;

describe("the lab's commands", () => {
  it.each(["global", "guild"] as const)("are ones that Discord takes, %s", (scope) => {
    const bodies = applicationCommands(commands, menuEntries, scope);
    expect(commandSetFaults(registered(commands, scope))).toEqual([]);
    for (const body of bodies)
      expect({ [body.name]: schemas("ApplicationCommandUpdateRequest", body) }).toEqual({ [body.name]: [] });
  });

  it("are all there, and no others", () => {
    const bodies = registered(commands);
    for (const command of commands) {
      if (isOnDiscord(command)) expect(() => optionsOf(bodies, command.name)).not.toThrow();
      else expect(() => optionsOf(bodies, command.name)).toThrow();
    }
    const slash = commands.filter(isOnDiscord).map(({ name }) => name.split(" ")[0]);
    expect(new Set(bodies.filter(({ type }) => (type ?? 1) === 1).map(({ name }) => name))).toEqual(
      new Set(slash),
    );
  });

  it("have the options of every surface under the same names, required where they must be given", () => {
    const bodies = registered(commands);
    for (const command of commands.filter(isOnDiscord)) {
      const found = optionsOf(bodies, command.name);
      const known = optionsOn(command.options, "discord");
      expect(new Set(found.map(({ name }) => name))).toEqual(new Set(known.map(([key]) => optionName(key))));
      for (const [key, option] of known) {
        const one = found.find(({ name }) => name === optionName(key));
        expect([command.name, key, one?.required ?? false]).toEqual([
          command.name,
          key,
          isRequired(option) && option.asked !== true,
        ]);
      }
    }
  });

  it("leave permissions to the lab", () => {
    for (const body of registered(commands, "global")) {
      expect(body.default_member_permissions).toBeUndefined();
      expect(body.contexts).toEqual([0, 1]);
    }
    for (const body of registered(commands, "guild")) expect(body.contexts).toBeUndefined();
  });
});

describe("an option", () => {
  const bodies = registered([
    fake({ name: "status" }),
    fake({
      name: "try it",
      options: {
        plays: { kind: "whole-number", summary: "plays", schema: z.number().int().min(1).max(64).optional() },
        seed: { kind: "whole-number", summary: "seed", schema: z.number().int().default(3) },
        wait: { kind: "switch", summary: "wait", schema: z.boolean().default(false) },
        reward: { kind: "choice", summary: "reward", schema: z.enum(many).optional() },
        tags: { kind: "choice", summary: "tags", schema: z.array(z.enum(many)).optional(), many: true },
        letter: {
          kind: "choice",
          summary: "letter",
          schema: z.enum(Array.from({ length: 26 }, (_, at) => `l${at}`)).optional(),
        },
        brief: { kind: "long-text", summary: "brief", schema: z.string().max(10_000).optional() },
        note: { kind: "text", summary: "note", schema: z.string().trim().max(50) },
        file: { kind: "file", summary: "the file", schema: z.unknown() },
        playsPerSeed: { kind: "environment", summary: "x".repeat(200), schema: z.string(), fallback: "none" },
        local: { kind: "text", summary: "local", schema: z.string().optional(), surfaces: ["command-line"] },
        asked: { kind: "text", summary: "", schema: z.string(), asked: true },
      },
    }),
  ]);
  const found = optionsOf(bodies, "try it");
  const one = (name: string) => found.find((option) => option.name === name);

  it.each([
    ["plays", { type: 4, min_value: 1, max_value: 64, required: false }],
    ["seed", { type: 4, required: false }],
    ["wait", { type: 5 }],
    [
      "reward",
      {
        type: 3,
        choices: [
          { name: "a", value: "a" },
          { name: "b", value: "b" },
        ],
      },
    ],
    ["tags", { type: 3, autocomplete: true, description: "Tags, separated by commas" }],
    ["letter", { type: 3, autocomplete: true }],
    ["brief", { type: 3, max_length: 6_000 }],
    ["note", { type: 3, max_length: 50, required: true }],
    ["file", { type: 11 }],
    ["plays-per-seed", { type: 3, autocomplete: true, required: true }],
    ["asked", { type: 3, required: false, description: "Asked" }],
  ])("%s is asked for in Discord's own way", (name, wanted) => {
    expect(one(name)).toMatchObject(wanted);
  });

  it("has no bounds that say nothing, and is not there where it does not exist", () => {
    expect(one("seed")).not.toHaveProperty("min_value");
    expect(one("seed")).not.toHaveProperty("max_value");
    expect(one("local")).toBeUndefined();
    expect(one("plays-per-seed")?.description).toHaveLength(100);
  });

  it("comes first where it is required", () => {
    const required = found.map((option) => option.required === true);
    expect(required.indexOf(false)).toBeGreaterThan(0);
    expect(required.lastIndexOf(true)).toBeLessThan(required.indexOf(false));
  });
});

describe("registering", () => {
  it("leaves out what is hidden or elsewhere, and menus without their command", () => {
    const bodies = registered([
      fake({ name: "status" }),
      fake({ name: "play step", hidden: true }),
      fake({ name: "serve", surfaces: ["command-line"] }),
      fake({ name: "hint add" }),
    ]);
    expect(bodies.map(({ name }) => name)).toEqual(["status", "hint", "Use as hint"]);
  });

  it("refuses a word that is a command and a group at once", () => {
    expect(() => registered([fake({ name: "env" }), fake({ name: "env show" })])).toThrow(/"env"/);
  });
});
