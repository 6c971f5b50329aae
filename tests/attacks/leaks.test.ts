/** State, time and chance: nothing may pass from one environment to another, or tell one run from another. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run, Sandbox } from "../../sandbox/sandbox.ts";
import { answering, openOrThrow, shortLimits, sourceOf, startSandbox, unwrap } from "./attack.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox(shortLimits);
});

afterAll(async () => {
  await sandbox.close();
});

const counting = sourceOf({
  top: "let episodes = 0; globalThis.shared ??= 0;",
  reset:
    "episodes += 1; globalThis.shared += 1; Array.prototype.mark = episodes; this.turns = 0; return [episodes, globalThis.shared].join(' ');",
  step: `this.turns += 1; ${answering("[episodes, globalThis.shared, this.turns].join(' ')")}`,
});

describe("state", () => {
  it("of one environment is not seen by the next, on any host", async () => {
    for (let i = 0; i < 8; i += 1) {
      const handle = await openOrThrow(sandbox, counting);
      expect(unwrap(await handle.reset(i)).observation).toBe("1 1");
      await handle.close();
    }
  });

  it("of environments that live at the same time is kept apart", async () => {
    const handles = await Promise.all(Array.from({ length: 8 }, () => openOrThrow(sandbox, counting)));
    for (const handle of handles) await handle.reset(1);
    await handles[0]?.step("x");
    const told = await Promise.all(handles.map(async (handle) => unwrap(await handle.step("x")).observation));
    expect(told).toEqual(["1 1 2", ...Array.from({ length: 7 }, () => "1 1 1")]);
    await Promise.all(handles.map((handle) => handle.close()));
  });

  it("that an environment keeps over its own resets is its own affair", async () => {
    const handle = await openOrThrow(sandbox, counting);
    await handle.reset(1);
    expect(unwrap(await handle.reset(1)).observation).toBe("2 2");
    await handle.close();
  });
});

const probe = sourceOf({
  reset: "return this.tell();",
  step: answering("this.tell()"),
  members: `tell() {
    const error = (() => { try { null.x; } catch (e) { return e.stack; } })();
    return JSON.stringify([
      Date.now(), new Date().toISOString(), new Date().getTimezoneOffset(), Date(), String(new Date(0)),
      new Date().toLocaleString(), new Date(1e12).toLocaleDateString(), new Date(1e12).toLocaleTimeString(),
      Math.random(), Math.random(), Math.random(),
      (1234567.891).toLocaleString(), (0.1).toLocaleString(undefined, { minimumFractionDigits: 2 }), 12345678901234567890n.toLocaleString(),
      [1234.5, "ä"].toLocaleString(), ["b", "a", "ä", "Z"].sort((x, y) => x.localeCompare(y)).join(),
      "İ".toLocaleLowerCase("tr"), "i".toLocaleUpperCase("tr"),
      new Date().constructor === Date, Object.getPrototypeOf(new Date()) === Date.prototype,
      typeof new Date().toTemporalInstant, error,
      Reflect.ownKeys(globalThis).map(String).join(), Math.pow(1.1, 10.1), Math.sin(1e10), [3, 1, 2].sort().join(),
    ]);
  }`,
});

describe("time and chance", () => {
  it("are the same for the same seed: in fresh isolates, on every host, by step and by run", async () => {
    const transcripts: string[] = [];
    const handles = await Promise.all(Array.from({ length: 6 }, () => openOrThrow(sandbox, probe)));
    for (const [i, handle] of handles.entries()) {
      if (i % 2 === 0) {
        const run = await handle.run(7, ["a", "b", "c"]);
        transcripts.push([run.reset?.observation, ...run.steps.map((step) => step.observation)].join("\n"));
      } else {
        const seen = [unwrap(await handle.reset(7)).observation];
        for (const action of ["a", "b", "c"]) {
          // Long enough for a clock to show it.
          await new Promise((resolve) => setTimeout(resolve, 15));
          seen.push(unwrap(await handle.step(action)).observation);
        }
        transcripts.push(seen.join("\n"));
      }
    }
    expect(new Set(transcripts).size).toBe(1);
    expect(transcripts[0]).toContain("2026-01-01T00:00:00.000Z");
    expect(transcripts[0]).toContain("1,234,567.891");
    await Promise.all(handles.map((handle) => handle.close()));
  });

  it("reset draws afresh by the seed, whatever was drawn before", async () => {
    const source = sourceOf({
      reset: "return String(Math.random());",
      step: answering("String(Math.random())"),
    });
    const handle = await openOrThrow(sandbox, source);
    const first: Run = await handle.run(5, ["a", "b"]);
    const other = await handle.run(6, ["a", "b"]);
    await handle.step("more");
    const again = await handle.run(5, ["a", "b"]);
    expect(again).toEqual(first);
    expect(other.reset).not.toEqual(first.reset);
    const draws = new Set<string | undefined>();
    for (let seed = 0; seed < 200; seed += 1) draws.add((await handle.run(seed, [])).reset?.observation);
    expect(draws.size).toBe(200);
    await handle.close();
  });

  it("draws are spread evenly", async () => {
    const source = sourceOf({
      reset:
        "const bins = Array(10).fill(0); for (let i = 0; i < 5000; i += 1) bins[Math.floor(Math.random() * 10)] += 1; return bins.join();",
    });
    const handle = await openOrThrow(sandbox, source);
    const bins = unwrap(await handle.reset(3))
      .observation.split(",")
      .map(Number);
    for (const bin of bins) {
      expect(bin).toBeGreaterThan(400);
      expect(bin).toBeLessThan(600);
    }
    await handle.close();
  });

  it("the real clock is behind no constructor that is left", async () => {
    const clocks = [
      "new (new Date(0).constructor)().getTime()",
      "Date.prototype.constructor.now()",
      "new (class extends Date {})().getTime()",
    ];
    const source = sourceOf({
      step: answering(`[${clocks.join(", ")}].map((time) => time - Date.now()).join()`),
    });
    const handle = await openOrThrow(sandbox, source);
    await handle.reset(1);
    expect(unwrap(await handle.step("x")).observation).toBe("0,0,0");
    await handle.close();
  });

  it("no clock can be built from what is left", async () => {
    const source = sourceOf({
      step: `const before = Date.now(); let n = 0; while (n < 200000) n += 1;
        ${answering("String([Date.now() - before, new Date() - before, typeof performance, typeof setTimeout, typeof Atomics, typeof SharedArrayBuffer])")}`,
    });
    const handle = await openOrThrow(sandbox, source);
    await handle.reset(1);
    const told = unwrap(await handle.step("x")).observation.split(",");
    expect(told[0]).toBe("0");
    expect(told.slice(2)).toEqual(["undefined", "undefined", "undefined", "undefined"]);
    await handle.close();
  });
});
