/** The seam's promises for environments that mean well: shapes, order and turns. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SandboxError } from "../../config/errors.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { answering, openOrThrow, shortLimits, sourceOf, startSandbox, unwrap } from "../attacks/attack.ts";
import { counter } from "../support/counter-environment.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox(shortLimits);
});

afterAll(async () => {
  await sandbox.close();
});

const open = (source: string) => sandbox.open(source, { language: "javascript" });

describe("what a loaded environment says of itself", () => {
  it.each([
    [
      "a game",
      counter,
      { className: "CounterEnv", kind: "game", maxTurns: 5, singleInstance: false, hasSolution: true },
    ],
    [
      "turns of the instance",
      "class AEnv { constructor() { this.maxTurns = 9; } reset() {} step() {} }",
      { className: "AEnv", kind: "game", maxTurns: 9, singleInstance: false, hasSolution: false },
    ],
    [
      "no turns",
      "class AEnv { static singleInstance = true; reset() {} step() {} }",
      { className: "AEnv", kind: "game", maxTurns: 25, singleInstance: true, hasSolution: false },
    ],
    [
      "turns that are none",
      "class AEnv { static maxTurns = 0; reset() {} step() {} }",
      { className: "AEnv", kind: "game", maxTurns: 25, singleInstance: false, hasSolution: false },
    ],
    [
      "tool use through a base of its own",
      "class ShopEnv extends ToolUseBaseEnv {} class CornerShopEnv extends ShopEnv { static maxTurns = 7.9; reset() {} }",
      {
        className: "CornerShopEnv",
        kind: "tool-use",
        maxTurns: 7,
        singleInstance: false,
        hasSolution: false,
      },
    ],
    [
      "a class expression",
      "const LampEnv = class { reset() {} step() {} };",
      { className: "LampEnv", kind: "game", maxTurns: 25, singleInstance: false, hasSolution: false },
    ],
    [
      "helpers beside it",
      "class Env { reset() {} step() {} } class Deck {} class DeckEnv extends Env {} const helper = () => 1;",
      { className: "DeckEnv", kind: "game", maxTurns: 25, singleInstance: false, hasSolution: false },
    ],
    [
      "a comment at the end",
      "class AEnv { reset() {} step() {} } // done",
      { className: "AEnv", kind: "game", maxTurns: 25, singleInstance: false, hasSolution: false },
    ],
  ])("%s", async (_name, source, shape) => {
    const handle = await openOrThrow(sandbox, source);
    expect(handle.shape).toEqual(shape);
    await handle.close();
  });

  it.each([
    ["no class", "const x = 1;", /no class whose name ends in Env/],
    ["another name", "class Game { reset() {} step() {} }", /no class whose name ends in Env/],
    ["no step", "class AEnv { reset() {} }", /no class whose name ends in Env/],
    ["a syntax error", "class AEnv { reset( {} }", /SyntaxError/],
    ["a module", "export class AEnv { reset() {} step() {} }", /SyntaxError/],
    [
      "a constructor that throws",
      "class AEnv { constructor() { throw new Error('no board'); } reset() {} step() {} }",
      /no board \(line 1\)/,
    ],
    [
      "an error at module level",
      "const a = 1;\n\nundefinedThing();\nclass AEnv { reset() {} step() {} }",
      /undefinedThing is not defined \(line 3\)/,
    ],
    ["nothing", "", /no class/],
    ["prose", "Here is your environment. It is great!", /SyntaxError/],
    ["huge prose", "lorem ipsum ".repeat(200_000), /SyntaxError/],
  ])("%s does not load, and is told why", async (_name, source, reason) => {
    const opened = await open(source);
    expect(opened).toMatchObject({ ok: false, failure: { verdict: "load-failed", call: "open", turn: 0 } });
    if (!opened.ok) expect(opened.failure.detail).toMatch(reason);
  });

  it("Python has no backend here", async () => {
    const attempt = sandbox.open("class AEnv: pass", { language: "python" });
    await expect(attempt).rejects.toThrow(SandboxError);
    await expect(attempt).rejects.toMatchObject({ code: "sandbox.no-language" });
  });
});

describe("an episode", () => {
  it("step by step", async () => {
    const handle = await openOrThrow(sandbox, counter);
    expect(await handle.reset(1)).toEqual({ ok: true, value: { observation: "at 1", info: { seed: 1 } } });
    expect(await handle.solution()).toEqual({ ok: true, value: ["up", "up"] });
    expect(await handle.tools()).toEqual({ ok: true, value: [] });
    expect(unwrap(await handle.step("up"))).toEqual({
      observation: "at 2",
      reward: 0,
      terminated: false,
      truncated: false,
      info: {},
    });
    expect(unwrap(await handle.step("up"))).toEqual({
      observation: "at 3",
      reward: 1,
      terminated: true,
      truncated: false,
      info: {},
    });
    await handle.close();
  });

  it("in one message, as far as it goes", async () => {
    const handle = await openOrThrow(sandbox, counter);
    const run = await handle.run(1, ["wait", "up", "up", "up", "up"], { solution: true, tools: true });
    expect(run.failure).toBeNull();
    expect(run.reset).toEqual({ observation: "at 1", info: { seed: 1 } });
    expect(run.solution).toEqual(["up", "up"]);
    expect(run.tools).toBeNull();
    expect(run.steps.map((step) => [step.observation, step.terminated])).toEqual([
      ["at 1", false],
      ["at 2", false],
      ["at 3", true],
    ]);
    expect((await handle.run(0, [])).solution).toBeNull();
    expect((await handle.run(0, Array(9).fill("wait"))).steps.at(-1)).toMatchObject({ truncated: true });
    await handle.close();
  });

  it("several in one message are as if each were asked for by itself", async () => {
    const handle = await openOrThrow(sandbox, counter);
    const scripts = [
      { seed: 0, actions: ["up", "up", "up"], solution: true },
      { seed: 2, actions: [] },
      { seed: 1, actions: ["wait"], tools: true },
    ];
    const together = await handle.runAll(scripts);
    const apart = [];
    for (const { seed, actions, ...options } of scripts) apart.push(await handle.run(seed, actions, options));
    expect(together).toEqual(apart);
    expect(await handle.runAll([])).toEqual([]);
    await handle.close();
  });

  it("a long run goes on over many parts and stays in order", async () => {
    const source = sourceOf({
      reset: "this.n = 0; return '';",
      step: `this.n += 1; ${answering("this.n + 'x'.repeat(5000)")}`,
    });
    const handle = await openOrThrow(sandbox, source);
    const run = await handle.run(1, Array(1_500).fill("a"));
    expect(run.failure).toBeNull();
    expect(run.steps.map((step) => Number.parseInt(step.observation, 10))).toEqual(
      Array.from({ length: 1_500 }, (_, i) => i + 1),
    );
    await handle.close();
  });

  it("calls run in the order they were made, whoever waits for them", async () => {
    const handle = await openOrThrow(
      sandbox,
      sourceOf({
        reset: "this.seen = []; return '';",
        step: `this.seen.push(action); ${answering("this.seen.join('')")}`,
      }),
    );
    const results = await Promise.all([
      handle.reset(1),
      ...[..."abcdefgh"].map((letter) => handle.step(letter)),
    ]);
    expect(unwrap(results.at(-1) as (typeof results)[0]).observation).toBe("abcdefgh");
    await handle.close();
  });

  it("actions of all kinds arrive as they are", async () => {
    const handle = await openOrThrow(sandbox, sourceOf({ step: answering("action") }));
    await handle.reset(1);
    const actions = [
      "",
      "\n\r\u2028\0",
      "🦀 ünï",
      "\\boxed{}",
      `"],["done"`,
      "x".repeat(60_000),
      "__proto__",
    ];
    for (const action of actions) expect(unwrap(await handle.step(action)).observation).toBe(action);
    expect((await handle.run(1, actions)).steps.map((step) => step.observation)).toEqual(actions);
    await handle.close();
  });
});
