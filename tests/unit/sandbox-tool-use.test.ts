/** ToolUseBaseEnv, as an environment that extends it and a caller that plays it see it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EnvironmentHandle, Sandbox, Step } from "../../sandbox/sandbox.ts";
import { openOrThrow, shortLimits, startSandbox, unwrap } from "../attacks/attack.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox(shortLimits);
});

afterAll(async () => {
  await sandbox.close();
});

const shop = (more = "", expected = "42") => `class ShopEnv extends ToolUseBaseEnv {
  static maxTurns = 6;
  reset(seed) { this.expectedAnswer = ${expected}; this.sold = []; return { observation: "Welcome.", info: {} }; }
  tools() {
    return [
      { name: "price", description: "The price of a thing.", parameters: { type: "object", properties: { thing: { type: "string" } } } },
      { name: "sell", description: "Sells a thing.", parameters: { type: "object" } },
      { name: "broken", description: "Throws.", parameters: {} },
    ];
  }
  tool_price(args) { return args.thing === undefined ? "nothing has no price" : { thing: args.thing, price: 42 }; }
  tool_sell(args) { this.sold.push(args.thing); return this.sold; }
  tool_broken() { throw new Error("the till is stuck"); }
  tool_hidden() { return "secret"; }
  solution() { return ['<tool_call>{"name": "price", "arguments": {"thing": "rope"}}</tool_call>', "<answer>42</answer>"]; }
  ${more}
}`;

const call = (name: string, given: unknown = {}) =>
  `<tool_call>${JSON.stringify({ name, arguments: given })}</tool_call>`;

async function play(source: string, actions: readonly string[]): Promise<Step[]> {
  const handle: EnvironmentHandle = await openOrThrow(sandbox, source);
  const run = await handle.run(1, actions);
  expect(run.failure).toBeNull();
  unwrap(await handle.reset(1));
  for (const [i, action] of actions.slice(0, run.steps.length).entries()) {
    expect(unwrap(await handle.step(action))).toEqual(run.steps[i]);
  }
  await handle.close();
  return [...run.steps];
}

describe("calls", () => {
  it("tools are listed, run, and answer with text or JSON", async () => {
    const handle = await openOrThrow(sandbox, shop());
    expect(handle.shape).toMatchObject({ kind: "tool-use", className: "ShopEnv", maxTurns: 6 });
    const tools = unwrap(await handle.tools());
    expect(tools.map((tool) => tool.name)).toEqual(["price", "sell", "broken"]);
    expect(tools[0]).toEqual({
      name: "price",
      description: "The price of a thing.",
      parameters: { type: "object", properties: { thing: { type: "string" } } },
    });
    expect((await handle.run(1, [], { tools: true })).tools).toEqual(tools);
    await handle.close();
    const steps = await play(shop(), [
      call("price", { thing: "rope" }),
      call("price"),
      call("sell", { thing: "lamp" }),
    ]);
    expect(steps.map((step) => step.observation)).toEqual([
      '{"thing":"rope","price":42}',
      "nothing has no price",
      '["lamp"]',
    ]);
    expect(steps.every((step) => step.reward === 0 && !step.terminated && !step.truncated)).toBe(true);
  });

  it("an unknown or unlisted tool names the known ones; one that throws tells its error", async () => {
    const steps = await play(shop(), [
      call("fly"),
      call("hidden"),
      call("broken"),
      call("__proto__"),
      call("constructor"),
    ]);
    for (const step of [steps[0], steps[1], steps[3], steps[4]]) {
      expect(step).toMatchObject({
        observation: expect.stringContaining("price, sell, broken"),
        reward: 0,
        terminated: false,
      });
    }
    expect(steps[2]).toMatchObject({ observation: "Error: the till is stuck", reward: 0, terminated: false });
  });

  it.each([
    ["prose", "I think it is 42."],
    ["nothing", ""],
    ["no JSON", "<tool_call>price(rope)</tool_call>"],
    ["an open tag", '<tool_call>{"name": "price"}'],
    ["no name", '<tool_call>{"arguments": {}}</tool_call>'],
    ["null", "<tool_call>null</tool_call>"],
    ["a list of arguments", '<tool_call>{"name": "price", "arguments": ["rope"]}</tool_call>'],
    ["arguments as text", '<tool_call>{"name": "price", "arguments": "rope"}</tool_call>'],
  ])("%s is a format error that costs 0.1", async (_name, action) => {
    const [step] = await play(shop(), [action]);
    expect(step).toMatchObject({ reward: -0.1, terminated: false, truncated: false });
    expect(step?.observation).toMatch(/^Format error/);
  });

  it("a call without arguments has none, and the last of several counts", async () => {
    const steps = await play(shop(), [
      '<tool_call>{"name": "price"}</tool_call>',
      `${call("sell")} no, ${call("price", { thing: "oar" })}`,
    ]);
    expect(steps.map((step) => step.observation)).toEqual([
      "nothing has no price",
      '{"thing":"oar","price":42}',
    ]);
  });
});

describe("answers", () => {
  it.each([
    ["42", "42", 1],
    ["42", " 42.005 ", 1],
    ["42", "$42.00", 1],
    ["42", "42.02", 0],
    ["1234567", "1,234,567", 1],
    ["'Rope and Lamp'", "rope  and lamp", 1],
    ["'rope'", "lamp", 0],
    ["null", "null", 0],
    ["['a', 'b']", '["a","b"]', 1],
    ["true", "True", 1],
    ["'12 ropes'", "12", 0],
    ["'-0.5'", "-.5", 1],
  ])("expected %s, given %s", async (expected, given, reward) => {
    const [step] = await play(shop("", expected), [`<answer>${given}</answer>`]);
    expect(step).toMatchObject({
      reward,
      terminated: true,
      truncated: false,
      info: { correct: reward === 1 },
    });
  });

  it("checkAnswer may say more", async () => {
    const source = shop(
      "checkAnswer(answer) { return answer.startsWith('about') && this.sold.length === 1; }",
    );
    expect((await play(source, [call("sell"), "<answer>about 42</answer>"])).at(-1)).toMatchObject({
      reward: 1,
      terminated: true,
    });
    expect((await play(source, ["<answer>about 42</answer>"])).at(-1)).toMatchObject({
      reward: 0,
      terminated: true,
    });
  });

  it("solution() wins", async () => {
    const handle = await openOrThrow(sandbox, shop());
    const { solution } = await handle.run(1, [], { solution: true });
    expect((await handle.run(1, solution ?? [])).steps.at(-1)).toMatchObject({ reward: 1, terminated: true });
    await handle.close();
  });
});

describe("turns", () => {
  it("run out by truncation, which reveals the solution; a reset starts them afresh", async () => {
    const handle = await openOrThrow(sandbox, shop());
    for (const seed of [1, 2]) {
      const { steps } = await handle.run(seed, Array(9).fill(call("price", { thing: "rope" })));
      expect(steps).toHaveLength(6);
      expect(steps[4]).toMatchObject({ truncated: false });
      expect(steps[5]).toMatchObject({ truncated: true, terminated: false, reward: 0 });
      expect(steps[5]?.observation).toContain("<answer>42</answer>");
    }
    const late = await handle.run(1, [...Array<string>(5).fill(call("price")), "<answer>42</answer>"]);
    expect(late.steps.at(-1)).toMatchObject({ reward: 1, terminated: true, truncated: false });
    await handle.close();
  });
});

describe("games of several messages", () => {
  const source = `class DeskEnv extends ToolUseBaseEnv {
    static maxTurns = 10;
    reset() {
      this._state = { opened: false, paid: 0 };
      this._user_messages = ["Open the desk.", "Pay three.", "What did you pay?"];
      this._message_criteria = [(state) => state.opened, (state) => state.paid === 3];
      this.expectedAnswer = 3;
      return { observation: this._user_messages[0], info: {} };
    }
    tools() { return [{ name: "open", description: "Opens.", parameters: {} }, { name: "pay", description: "Pays.", parameters: {} }]; }
    tool_open() { this._state.opened = true; return "open"; }
    tool_pay(args) { this._state.paid += args.amount; return "paid"; }
  }`;

  it("go from message to message, and say which step is open", async () => {
    const steps = await play(source, [
      "<answer>done</answer>",
      call("open"),
      "<answer>done</answer>",
      call("pay", { amount: 2 }),
      "<answer>done</answer>",
      call("pay", { amount: 1 }),
      "<answer>done</answer>",
      "<answer>3</answer>",
    ]);
    expect(steps.map((step) => step.observation)).toEqual([
      "Step 1 of 3 is still open: Open the desk.",
      "open",
      "Pay three.",
      "paid",
      "Step 2 of 3 is still open: Pay three.",
      "paid",
      "What did you pay?",
      "The answer is right.",
    ]);
    expect(steps.at(-1)).toMatchObject({ reward: 1, terminated: true });
    expect(steps.slice(0, -1).every((step) => !step.terminated && step.reward === 0)).toBe(true);
  });

  it("without an expected answer the last criterion is enough, and a reset starts at the first message", async () => {
    const short = source.replace("this.expectedAnswer = 3;", "").replace(', "What did you pay?"', "");
    const handle = await openOrThrow(sandbox, short);
    for (const seed of [1, 2]) {
      const { steps } = await handle.run(seed, [
        call("open"),
        "<answer>1</answer>",
        call("pay", { amount: 3 }),
        "<answer>2</answer>",
      ]);
      expect(steps.at(-1)).toMatchObject({ observation: "Every step is done.", reward: 1, terminated: true });
    }
    await handle.close();
  });
});
