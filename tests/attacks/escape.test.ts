/** Environments that look for a way out: to the process, the machine, the network, or their own machinery. */
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { answering, openOrThrow, shortLimits, sourceOf, startSandbox, unwrap } from "./attack.ts";

const secret = "attack-test-secret-7f3a";
let sandbox: Sandbox;
let listener: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  process.env.SPADEWORK_ATTACK_SECRET = secret;
  listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
  sandbox = await startSandbox(shortLimits);
});

afterAll(async () => {
  await sandbox.close();
  await new Promise((resolve) => listener.close(resolve));
  delete process.env.SPADEWORK_ATTACK_SECRET;
  expect(connections).toBe(0);
});

/** What a body of `step` answers, in both ways of asking. */
async function tell(step: string, top = ""): Promise<string> {
  const handle = await openOrThrow(sandbox, sourceOf({ top, step }));
  await handle.reset(1);
  const single = await handle.step("x");
  const run = await handle.run(1, ["x"]);
  await handle.close();
  const told = single.ok ? single.value.observation : single.failure.detail;
  expect(run.steps[0]?.observation ?? run.failure?.detail).toBe(told);
  return told;
}

describe("names of the machine", () => {
  const names = [
    "process",
    "require",
    "module",
    "exports",
    "Buffer",
    "global",
    "fetch",
    "XMLHttpRequest",
    "WebSocket",
    "Worker",
    "setTimeout",
    "setInterval",
    "setImmediate",
    "queueMicrotask",
    "structuredClone",
    "performance",
    "navigator",
    "importScripts",
    "postMessage",
    "console",
    "WebAssembly",
    "SharedArrayBuffer",
    "Atomics",
    "Intl",
    "Temporal",
    "WeakRef",
    "FinalizationRegistry",
    "ivm",
    "prelude",
    "gc",
    "Deno",
    "Bun",
    "crypto",
    "BroadcastChannel",
  ];
  it("none exists", async () => {
    const told = await tell(answering(`[${names.map((name) => `typeof ${name}`).join(",")}].join()`));
    expect(new Set(told.split(","))).toEqual(new Set(["undefined"]));
  });

  it("a walk of everything that globalThis reaches finds nothing of theirs and no driver", async () => {
    const told = await tell(
      answering("walk()"),
      `function walk() {
        const seen = new Set();
        const found = [];
        const visit = (value, path) => {
          if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
          seen.add(value);
          for (const key of Reflect.ownKeys(value)) {
            const name = String(key);
            if (/process|require|ivm|isolate|prelude|seedRandom|beginEpisode|binding|Temporal|SharedArray/i.test(name)) found.push(path + "." + name);
            const descriptor = Reflect.getOwnPropertyDescriptor(value, key);
            for (const part of [descriptor.value, descriptor.get, descriptor.set]) visit(part, path + "." + name);
          }
          visit(Reflect.getPrototypeOf(value), path + ".__proto__");
        };
        visit(globalThis, "globalThis");
        visit(function* () {}, "generator");
        visit(async function () {}, "async");
        visit(async function* () {}, "async generator");
        return seen.size > 500 ? found.join(" ") : "too little was seen: " + seen.size;
      }`,
    );
    expect(told).toBe("");
  });
});

describe("code from text", () => {
  it.each([
    [
      "constructor.constructor",
      `this.constructor.constructor("return typeof process + typeof require + typeof globalThis.fetch")()`,
    ],
    [
      "a Function of a caught error",
      `(() => { try { null.x; } catch (e) { return e.constructor.constructor("return typeof process + typeof require + typeof fetch")(); } })()`,
    ],
    ["eval", `(0, eval)("typeof process + typeof require + typeof fetch")`],
    ["an async Function", `typeof (async () => {}).constructor("return process")`],
    [
      "a generator Function",
      `String([...(function* () {}).constructor("yield typeof process + typeof require + typeof fetch")()])`,
    ],
  ])("%s sees an empty machine", async (_name, expression) => {
    const told = await tell(answering(`String(${expression})`));
    expect(told.replaceAll("undefined", "")).toBe(told === "function" ? "function" : "");
  });

  it("import() brings nothing", async () => {
    const step = `import("node:fs").then((fs) => { globalThis.got = "fs"; }, (error) => { globalThis.got = "refused"; }); ${answering("String(globalThis.got)")}`;
    const handle = await openOrThrow(sandbox, sourceOf({ step }));
    await handle.reset(1);
    const told: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const outcome = await handle.step("x");
      told.push(outcome.ok ? outcome.value.observation : outcome.failure.verdict);
    }
    await handle.close();
    expect(told).not.toContain("fs");
  });

  it.each(["import fs from 'node:fs';", "export default 1;", "await 0;"])("%s does not load", async (top) => {
    const opened = await sandbox.open(sourceOf({ top }), { language: "javascript" });
    expect(opened.ok ? null : opened.failure.verdict).toBe("load-failed");
  });

  it("the provided base can't be replaced", async () => {
    const opened = await sandbox.open(sourceOf({ top: "class ToolUseBaseEnv {}" }), {
      language: "javascript",
    });
    expect(opened.ok ? null : opened.failure.verdict).toBe("load-failed");
    expect(
      await tell(
        answering(`(() => { try { ToolUseBaseEnv = 1; } catch {} return typeof ToolUseBaseEnv; })()`),
      ),
    ).toBe("function");
  });
});

describe("the driver's frames", () => {
  it("a stack walk shows no path of the machine", async () => {
    const told = await tell(
      answering("new Error('here').stack + (() => { try { null.x; } catch (e) { return e.stack; } })()"),
    );
    expect(told).toContain("here");
    expect(told).not.toMatch(/\/|node:|file:|isolated|spadework/);
  });

  it("a function of the driver can't be had by caller, arguments or getThis", async () => {
    const told = await tell(
      answering("steal()"),
      `function steal() {
        const got = [];
        try { got.push(typeof steal.caller?.caller?.caller); } catch { got.push("refused"); }
        try { got.push(typeof arguments.callee.caller.arguments[4]); } catch { got.push("refused"); }
        Error.prepareStackTrace = (_, frames) => frames.map((frame) => frame.getFunction());
        got.push(typeof new Error().stack);
        return got.join();
      }`,
    );
    expect(told).not.toContain("function");
    expect(told.endsWith("string")).toBe(true);
  });

  it.each([
    ["a line break and a frame", String.raw`"a\n[1,\"done\",[\"PWN\",{}]]\n"`],
    ["only line breaks", String.raw`"\n\n\n"`],
    ["line separators", String.raw`"\u2028\u2029\u0000\r\n"`],
    ["the end of a frame", String.raw`"\"],[9,\"dead\",\"closed\",\"x\"]"`],
  ])("an observation that forges %s is only text", async (_name, literal) => {
    const handle = await openOrThrow(sandbox, sourceOf({ step: answering(literal) }));
    await handle.reset(1);
    const expected: unknown = JSON.parse(literal.replaceAll(String.raw`\u0000`, "\\u0000"));
    expect(unwrap(await handle.step("x")).observation).toBe(expected);
    expect((await handle.run(1, ["x", "x"])).steps.map((step) => step.observation)).toEqual([
      expected,
      expected,
    ]);
    await handle.close();
  });

  it("an error that forges a time-out or a frame is only an error", async () => {
    for (const message of [
      "Script execution timed out.",
      "Isolate was disposed during execution due to memory limit",
    ]) {
      const handle = await openOrThrow(
        sandbox,
        sourceOf({ step: `throw new Error(${JSON.stringify(message)});` }),
      );
      await handle.reset(1);
      const outcome = await handle.step("x");
      expect(outcome.ok ? null : outcome.failure.verdict).toBe("environment-threw");
      expect((await handle.reset(2)).ok).toBe(true);
      await handle.close();
    }
  });
});

describe("network, files and environment variables", () => {
  it("what an environment can try reaches nothing", async () => {
    const attempts = [
      `fetch("http://127.0.0.1:${port}")`,
      `new WebSocket("ws://127.0.0.1:${port}")`,
      `new XMLHttpRequest()`,
      `require("net").connect(${port})`,
      `process.binding("tcp_wrap")`,
      `require("fs").readFileSync("/proc/self/environ")`,
      `process.env.SPADEWORK_ATTACK_SECRET`,
      `process.kill(process.ppid)`,
      `require("child_process").fork(":(){ :|:& };:")`,
      `import("node:net").then((net) => net.connect(${port})).catch(() => 0) && null.x`,
    ];
    for (const attempt of attempts) {
      const told = await tell(
        `try { return [String(${attempt}), 0, false, false, {}]; } catch (error) { ${answering("error.name")} }`,
      );
      expect(["ReferenceError", "TypeError"]).toContain(told);
    }
  });
});
