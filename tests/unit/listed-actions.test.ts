/** The actions that observations list: which become buttons, and which texts are left alone. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listedActions } from "../../bot/chat/play-actions.ts";
import { configSchema } from "../../config/schema.ts";
import { mechanicNamed } from "../../graph/models/embedded/mechanics/mechanics.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Observation, Sandbox, ToolDefinition } from "../../sandbox/sandbox.ts";
import { good } from "../support/environments/read.ts";
import { silent } from "../support/services.ts";
import { designBy } from "./embedded-designer-designs.ts";

const actionsIn = (
  observation: string,
  info: Observation["info"] = {},
  tools: readonly ToolDefinition[] = [],
): string[] => listedActions(observation, info, tools).map(({ action }) => action);

describe("actions that an observation lists", () => {
  it.each([
    ["Commands: north | south | take lamp", ["north", "south", "take lamp"]],
    ["It is dark.\nActions: Stay, go up or wait. Format: \\boxed{command}.", ["Stay", "go up", "wait"]],
    ["Available actions: `look`; `open door`", ["look", "open door"]],
    ["Your legal moves are: N, S, E", ["N", "S", "E"]],
    ["Choose one:\n1) open the red door\n2) listen\n\nTurns: 3", ["1", "2"]],
    [
      "Commands:\n- look: just to look.\n- go <place>: go; <place> one of: attic, yard.",
      ["look", "go attic", "go yard"],
    ],
    [
      "Commands:\n* set <n>: a wheel; <n> from 2 to 6 in steps of 2.\n* stop: ends it.",
      ["stop", "set 2", "set 4", "set 6"],
    ],
    ["Commands: a, a, b", ["a", "b"]],
    ["Commands: old | gone\nLater.\nCommands: new | here", ["new", "here"]],
  ])("%j", (observation, actions) => {
    expect(actionsIn(observation)).toEqual(actions);
  });

  it.each([
    ["no list", "You see a door. Say open to open it."],
    ["one command with a blank", "Commands: take <number>. Format: \\boxed{take 2}."],
    ["a blank in capitals", "Command: take N, for example take 2."],
    [
      "a sentence",
      "Actions: they have consequences that nobody in the whole village ever foresaw, and so on.",
    ],
    ["more than buttons can hold", `Commands: ${Array.from({ length: 40 }, (_, i) => `go ${i}`).join(", ")}`],
    ["a blank whose values are too many", "Commands:\n- guess <number>: name one; <number> from 1 to 64."],
    ["a blank of several parts", "Commands:\n- try <code>: try it; <code> is 4 of: red, blue."],
  ])("leaves %s alone", (_, observation) => {
    expect(actionsIn(observation)).toEqual([]);
  });

  it("are those of info before those of the text", () => {
    const text = "Commands: a | b";
    expect(actionsIn(text, { legal_actions: ["up", "down"], turn: 3 })).toEqual(["up", "down"]);
    expect(actionsIn(text, { availableCommands: [1, 2] })).toEqual(["1", "2"]);
    expect(actionsIn(text, { actions: "up" })).toEqual(["a", "b"]);
    expect(actionsIn(text, { actions: [{ name: "up" }] })).toEqual(["a", "b"]);
    expect(actionsIn(text, { actions: Array.from({ length: 99 }, (_, i) => i) })).toEqual([]);
  });

  it("are tools that take nothing, or one value of a few", () => {
    const tool = (name: string, properties: ToolDefinition["parameters"]): ToolDefinition => ({
      name,
      description: "",
      parameters: { type: "object", properties },
    });
    const tools = [
      tool("get_page", { page: { type: "integer", minimum: 1, maximum: 2 } }),
      tool("sign_in", { badge: { type: "string" } }),
      tool("fix", { unit: { type: "string", enum: ["a", "b"] } }),
      tool("move", { from: { enum: ["a"] }, to: { enum: ["b"] } }),
      tool("list_rooms", {}),
    ];
    const listed = listedActions("Commands: not | these", {}, tools);
    expect(listed.map(({ action }) => action)).toEqual([
      "list_rooms",
      'get_page {"page":1}',
      'get_page {"page":2}',
      'fix {"unit":"a"}',
      'fix {"unit":"b"}',
    ]);
    expect(listed[1]?.label).toBe("get_page 1");
  });

  it("have labels that fit a button, and actions that were not cut", () => {
    const long = "x".repeat(200);
    const listed = listedActions(`Choose one:\n1) open ${long}\n2) stay`, { choices: [] }, []);
    expect(listed.map(({ action }) => action)).toEqual(["1", "2"]);
    expect([...(listed[0]?.label ?? "")].length).toBeLessThanOrEqual(80);
    expect(actionsIn("", { actions: ["", " ", "\u200b", "\n", "up"] })).toEqual(["up"]);
    expect(listedActions("", { actions: [long, "up"] }, []).map(({ action }) => action)).toEqual(["up"]);
  });
});

describe("actions of real environments", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createSandbox(configSchema.parse({ sandbox: { hosts: 1 } }).sandbox, silent);
  });
  afterAll(() => sandbox.close());

  async function firstActions(source: string): Promise<string[]> {
    const opened = await sandbox.open(source, { language: "javascript" });
    if (!opened.ok) throw new Error(opened.failure.detail);
    const first = await opened.value.reset(3);
    const tools = await opened.value.tools();
    if (!first.ok || !tools.ok) throw new Error("it does not begin");
    await opened.value.close();
    return actionsIn(first.value.observation, first.value.info, tools.value);
  }

  it.each([
    ["caravan-trade", ["buy", "sell", "wait"]],
    ["old-cellar", ["go north", "go south", "go east", "go west", "take key", "unlock gate"]],
    ["tale-of-doors", ["1", "2", "3", "4", "5"]],
    ["vault-dial", ["listen", "press", "open"]],
    ["lamp-board", []],
    ["nim-keeper", []],
    ["number-hunt", []],
    ["sea-grid", []],
    ["word-gallows", []],
    ["garden-messages", ["look"]],
  ])("%s", async (name, actions) => {
    expect(await firstActions(good(name))).toEqual(actions);
  });

  it.each([
    ["trading", ["look", "buy", "wait", "sell"]],
    ["signal-box", ["stretch", "ring", "pull sails", "pull market", "pull harbor"]],
    ["interval-search", ["stretch"]],
    ["ledger", ["list_rooms", 'get_page {"page":1}', 'get_page {"page":2}']],
  ])("%s of the embedded designer", async (name, actions) => {
    const mechanic = mechanicNamed(name);
    if (mechanic === null) throw new Error(name);
    expect(await firstActions(mechanic.write(designBy({ mechanic, size: 4, key: 1 })))).toEqual(actions);
  });
});
