/** Answers that are too large, no numbers, cyclic, or shaped like something else. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FailureVerdict, Sandbox } from "../../sandbox/sandbox.ts";
import {
  answering,
  expectFailure,
  failureOfRun,
  firstFailure,
  openOrThrow,
  shortLimits,
  sourceOf,
  startSandbox,
  unwrap,
} from "./attack.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox(shortLimits);
});

afterAll(async () => {
  await sandbox.close();
});

const step = (fields: string): string =>
  `return { ...{ observation: "o", reward: 0, terminated: false, truncated: false, info: {} }, ...${fields} };`;

const refused: readonly (readonly [string, string, FailureVerdict])[] = [
  ["an observation over the limit", step("{ observation: 'x'.repeat(65537) }"), "too-large"],
  ["an observation over the limit in bytes", step("{ observation: 'é'.repeat(32769) }"), "too-large"],
  ["an info over the limit", step("{ info: { text: 'x'.repeat(65536) } }"), "too-large"],
  [
    "an info of many keys",
    step("{ info: Object.fromEntries(Array.from({ length: 20000 }, (_, i) => ['k' + i, i])) }"),
    "too-large",
  ],
  ["a NaN reward", step("{ reward: NaN }"), "bad-shape"],
  ["an infinite reward", step("{ reward: -Infinity }"), "bad-shape"],
  ["a reward as text", step("{ reward: '1' }"), "bad-shape"],
  ["a reward as BigInt", step("{ reward: 1n }"), "bad-shape"],
  ["a reward as object", step("{ reward: { valueOf() { return 1; } } }"), "bad-shape"],
  ["no observation", step("{ observation: undefined }"), "bad-shape"],
  ["an observation that is no text", step("{ observation: { toString() { return 'o'; } } }"), "bad-shape"],
  ["a String object as observation", step("{ observation: new String('o') }"), "bad-shape"],
  ["terminated as number", step("{ terminated: 1 }"), "bad-shape"],
  ["no truncated", step("{ truncated: undefined }"), "bad-shape"],
  ["no info", step("{ info: undefined }"), "bad-shape"],
  ["info as list", step("{ info: [] }"), "bad-shape"],
  ["info as text", step("{ info: 'PWN' }"), "bad-shape"],
  ["a cyclic info", "const info = {}; info.self = info; return ['o', 0, false, false, info];", "bad-shape"],
  ["a BigInt in info", step("{ info: { big: 1n } }"), "bad-shape"],
  [
    "an info that nests too deep",
    "let info = {}; for (let i = 0; i < 500; i += 1) info = { info }; return ['o', 0, false, false, info];",
    "bad-shape",
  ],
  ["an info with a toJSON that is no object", step("{ info: { toJSON() { return 'PWN'; } } }"), "bad-shape"],
  ["an info whose getter throws", step("{ info: { get a() { throw new Error('a'); } } }"), "bad-shape"],
  ["nothing", "", "bad-shape"],
  ["null", "return null;", "bad-shape"],
  ["a number", "return 7;", "bad-shape"],
  ["a function", "return () => 1;", "bad-shape"],
  ["a promise", "return Promise.resolve(['o', 0, false, false, {}]);", "bad-shape"],
  ["an empty list", "return [];", "bad-shape"],
  ["a short list", "return ['o', 0, false];", "bad-shape"],
  [
    "a Proxy that throws",
    "return new Proxy({}, { get() { throw new Error('trap'); } });",
    "environment-threw",
  ],
  [
    "an answer whose getter throws",
    "return { get reward() { throw new Error('getter'); }, observation: 'o' };",
    "environment-threw",
  ],
];

describe("refused", () => {
  it.each(refused)("%s", async (_name, body, verdict) => {
    expectFailure(await firstFailure(sandbox, sourceOf({ step: body })), "step", [verdict]);
    expectFailure(await failureOfRun(sandbox, sourceOf({ step: body })), "step", [verdict]);
  });

  it("a failed step does not end the environment", async () => {
    const source = sourceOf({ step: `if (action === "bad") return 7; ${answering("action")}` });
    const handle = await openOrThrow(sandbox, source);
    await handle.reset(1);
    expect((await handle.step("bad")).ok).toBe(false);
    expect(unwrap(await handle.step("good")).observation).toBe("good");
    await handle.close();
  });

  it.each([
    ["solution as number", { solution: "return 5;" }, "solution", "bad-shape"],
    ["solution with a hole", { solution: "return ['a', , 'b'];" }, "solution", "bad-shape"],
    ["solution without end", { solution: "return Array(20000).fill('a');" }, "solution", "too-large"],
    ["solution too long", { solution: "return ['a'.repeat(70000)];" }, "solution", "too-large"],
    ["tools as text", { tools: "return 'tools';" }, "tools", "bad-shape"],
    [
      "a tool without a name",
      { tools: "return [{ description: 'd', parameters: {} }];" },
      "tools",
      "bad-shape",
    ],
    [
      "a tool without parameters",
      { tools: "return [{ name: 'n', description: 'd' }];" },
      "tools",
      "bad-shape",
    ],
    [
      "a tool with huge parameters",
      { tools: "return [{ name: 'n', description: 'd', parameters: { a: 'x'.repeat(70000) } }];" },
      "tools",
      "too-large",
    ],
  ] as const)("%s", async (_name, bodies, call, verdict) => {
    expectFailure(await firstFailure(sandbox, sourceOf(bodies)), call, [verdict]);
    expectFailure(await failureOfRun(sandbox, sourceOf(bodies)), call, [verdict]);
  });
});

describe("accepted", () => {
  const good = {
    observation: "o",
    reward: 0.5,
    terminated: false,
    truncated: false,
    info: { a: [1, null, "x"] },
  };
  it.each([
    [
      "an object",
      "return { observation: 'o', reward: 0.5, terminated: false, truncated: false, info: { a: [1, null, 'x'] } };",
    ],
    ["a list in the order of Python's tuple", "return ['o', 0.5, false, false, { a: [1, null, 'x'] }];"],
    ["a Proxy around a list", "return new Proxy(['o', 0.5, false, false, { a: [1, null, 'x'] }], {});"],
    [
      "getters that change their answer",
      "let n = 0; return { get observation() { n += 1; return n === 1 ? 'o' : 7; }, reward: 0.5, terminated: false, truncated: false, info: { a: [1, null, 'x'] } };",
    ],
  ])("%s", async (_name, body) => {
    const handle = await openOrThrow(sandbox, sourceOf({ step: body }));
    await handle.reset(1);
    expect(unwrap(await handle.step("x"))).toEqual(good);
    expect((await handle.run(1, ["x"])).steps).toEqual([good]);
    await handle.close();
  });

  it("texts that are not well formed come back repaired", async () => {
    const handle = await openOrThrow(sandbox, sourceOf({ step: answering("'a\\ud800b'") }));
    await handle.reset(1);
    expect(unwrap(await handle.step("x")).observation).toBe("a\ufffdb");
    await handle.close();
  });

  it("an observation of exactly the limit", async () => {
    const handle = await openOrThrow(sandbox, sourceOf({ step: answering("'é'.repeat(32768)") }));
    await handle.reset(1);
    expect(unwrap(await handle.step("x")).observation.length).toBe(32_768);
    await handle.close();
  });
});

it("a run that would flood the caller is cut off with what came before", async () => {
  const handle = await openOrThrow(sandbox, sourceOf({ step: answering("'x'.repeat(60000)") }));
  const run = await handle.run(
    1,
    Array.from({ length: 1_000 }, () => "x"),
  );
  expect(run.failure?.verdict).toBe("too-large");
  expect(run.steps.length).toBeGreaterThan(100);
  expect(run.steps.length).toBeLessThan(400);
  await handle.close();
});
