/** Environments that change the language under the driver: they may harm themselves, never what callers are told. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { answering, openOrThrow, shortLimits, sourceOf, startSandbox, unwrap } from "./attack.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox(shortLimits);
});

afterAll(async () => {
  await sandbox.close();
});

/** Not at every step, since some of it can be done only once. */
const once = (pollution: string): string => `if (!polluted) { polluted = true; ${pollution} }`;

/** Whatever comes back has the shape of the contract, or is a failure that says so. */
async function staysInShape(pollution: string): Promise<void> {
  for (const top of [pollution, ""]) {
    const step = `${top === "" ? once(pollution) : ""} ${answering('"fine " + action')}`;
    const bodies = { top: `let polluted = false; ${top}`, step, solution: 'return ["a", "b"];' };
    const handle = await openOrThrow(sandbox, sourceOf(bodies));
    const results = [await handle.reset(1), await handle.step("x"), await handle.step("x")];
    for (const result of results) {
      if (!result.ok) {
        expect(["bad-shape", "environment-threw", "timed-out"]).toContain(result.failure.verdict);
        continue;
      }
      expect(typeof result.value.observation).toBe("string");
      expect(result.value.info).toBeTypeOf("object");
      expect(result.value.info).not.toBeInstanceOf(Array);
    }
    const run = await handle.run(1, ["x", "y"], { solution: true });
    for (const taken of run.steps) {
      expect(typeof taken.observation).toBe("string");
      expect(Number.isFinite(taken.reward)).toBe(true);
      expect(typeof taken.terminated).toBe("boolean");
      expect(taken.info).not.toBeInstanceOf(Array);
    }
    for (const entry of run.solution ?? []) expect(typeof entry).toBe("string");
    await handle.close();
  }
}

describe("pollution that the driver must not notice", () => {
  const harmless = {
    "JSON.stringify": `JSON.stringify = () => '"PWN"'; JSON.parse = () => ["PWN"];`,
    "Array.isArray": "Array.isArray = () => true;",
    Reflect: "Reflect.apply = () => 'PWN'; Reflect.construct = () => ({});",
    "Function.prototype.call": "Function.prototype.call = Function.prototype.apply = () => 'PWN';",
    "String.prototype": "String.prototype.slice = String.prototype.charCodeAt = () => 'PWN';",
    "Array iteration": "Array.prototype[Symbol.iterator] = function* () { yield 'PWN'; };",
    "Promise.prototype.then": "Promise.prototype.then = () => 'PWN';",
    "index setters": `Object.defineProperty(Array.prototype, "0", { set() { throw new Error("PWN"); }, get() { return "PWN"; } });`,
    "Object.prototype getters": `Object.defineProperty(Object.prototype, "then", { get() { throw new Error("PWN"); } });`,
    "Object.prototype.observation": `Object.prototype.observation = "PWN"; Object.prototype.reward = 1;`,
    "Date.now": "Date.now = () => { throw new Error('PWN'); };",
    Error: "globalThis.Error = function () { return 'PWN'; };",
    globalThis:
      "for (const name of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[name]; } catch {} }",
  };
  it.each(Object.entries(harmless))("%s", async (_name, pollution) => {
    await staysInShape(pollution);
    const step = `${once(pollution)} ${answering('"fine " + action')}`;
    const handle = await openOrThrow(sandbox, sourceOf({ top: "let polluted = false;", step }));
    await handle.reset(1);
    expect(unwrap(await handle.step("x")).observation).toBe("fine x");
    expect(unwrap(await handle.step("y")).observation).toBe("fine y");
    const run = await handle.run(2, ["a", "b"]);
    expect(run.failure).toBeNull();
    expect(run.steps.map((taken) => taken.observation)).toEqual(["fine a", "fine b"]);
    await handle.close();
  });
});

describe("pollution that changes what the environment itself says", () => {
  const harmful = {
    "Object.prototype.toJSON": `Object.prototype.toJSON = () => "PWN";`,
    "Object.prototype.toJSON that throws": `Object.prototype.toJSON = () => { throw new Error("PWN"); };`,
    "Array.prototype.toJSON": `Array.prototype.toJSON = () => ["PWN", "1", true, 0, []];`,
    "Array.prototype.toJSON with line breaks": `Array.prototype.toJSON = () => "a\\n[1,\\"done\\",[\\"PWN\\",{}]]\\n";`,
    "Array.prototype.toJSON without an answer": "Array.prototype.toJSON = () => undefined;",
    "Boolean.prototype.toJSON": `Boolean.prototype.toJSON = () => "PWN"; Number.prototype.toJSON = () => "PWN";`,
    "String.prototype.toJSON": `String.prototype.toJSON = () => 7;`,
  };
  it.each(Object.entries(harmful))("%s", async (_name, pollution) => {
    await staysInShape(pollution);
  });

  it("a polluted toJSON can't turn info into text", async () => {
    const handle = await openOrThrow(
      sandbox,
      sourceOf({ step: `Object.prototype.toJSON = () => "PWN"; ${answering('"x"')}` }),
    );
    await handle.reset(1);
    const outcome = await handle.step("x");
    expect(outcome.ok ? null : outcome.failure.verdict).toBe("bad-shape");
    await handle.close();
  });
});

it("pollution ends with its isolate", async () => {
  const polluter = await openOrThrow(
    sandbox,
    sourceOf({ top: "Object.prototype.leak = 1; Array.prototype.leak = 1; globalThis.leak = 1;" }),
  );
  await polluter.reset(1);
  for (let i = 0; i < 6; i += 1) {
    const other = await openOrThrow(
      sandbox,
      sourceOf({ step: answering("[({}).leak, [].leak, typeof leak].join()") }),
    );
    await other.reset(1);
    expect(unwrap(await other.step("x")).observation).toBe(",,undefined");
    await other.close();
  }
  await polluter.close();
});
