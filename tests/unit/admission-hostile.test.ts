import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { admit } from "../../sandbox/admission/admit.ts";
import { fingerprintOf } from "../../sandbox/admission/fingerprint.ts";
import { Mined } from "../../sandbox/admission/mining/observation.ts";
import { Probe, ProbeRecord } from "../../sandbox/admission/probe.ts";
import { echoing, JunkAnswers, sameButForEcho } from "../../sandbox/admission/reactions.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { EnvironmentHandle, Run, Sandbox, Script } from "../../sandbox/sandbox.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, pino({ level: "silent" }));
});
afterAll(() => sandbox.close());

/** CPU time of this process since it started, milliseconds: unlike a clock it does not count other processes' work. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Texts that make careless patterns and loops take for ever. */
const texts: [string, string][] = [
  ["spaces", " ".repeat(60_000)],
  ["one letter, apart", "a ".repeat(30_000)],
  ["one number, apart", "7 ".repeat(30_000)],
  ["openings", "([{<`'\"“«".repeat(6_000)],
  ["commas", "Commands: ".padEnd(60_000, ",; ")],
  ["dots and dashes", `x${"._-".repeat(20_000)}`],
  ["an endless word", "a1".repeat(30_000)],
  ["lines", "- a: b\n".repeat(8_000)],
  ["pairs", "a: 1, ".repeat(10_000)],
  ["conjunctions", "you can go or and or and ".repeat(2_400)],
];

describe("texts that are made to be slow to read", () => {
  test.each(texts)("%s", async (_, text) => {
    const started = cpuMs();
    const mined = new Mined(text);
    expect(mined.commands.length + mined.words.length + mined.numbers.length).toBeLessThan(300);
    const action = "\\boxed{a 7 a}";
    new JunkAnswers().covers(text, `${text} `, action);
    expect(sameButForEcho(echoing(text, [action, "a", "7"]), echoing(text, [action]))).toBe(true);
    expect(cpuMs() - started).toBeLessThan(2_000);
  });

  test("an environment that is made of them is judged all the same", async () => {
    const source = `
      class SlowTextEnv {
        static maxTurns = 5;
        reset(seed) {
          this.turn = 0;
          this.text = ${JSON.stringify(texts.map(([, text]) => text.slice(0, 6)))}[seed % 10].repeat(6000);
          this.code = Array.from({ length: 400 }, () => Math.floor(Math.random() * 9));
          return { observation: this.text + this.code.join(" "), info: {} };
        }
        step(action) {
          this.turn += 1;
          return { observation: this.text + action, reward: 0, terminated: false, truncated: this.turn >= 5, info: {} };
        }
        solution() {
          return this.code.map((digit) => "press " + digit + " a 7");
        }
      }`;
    const started = cpuMs();
    const report = await admit(source, {
      language: "javascript",
      sandbox,
      novelty: async () => null,
      reviewer: null,
    });
    expect(report.admitted).toBe(false);
    expect(cpuMs() - started).toBeLessThan(10_000);
  });
});

test("a source too deep to be walked has no fingerprint and stops nothing", () => {
  for (const depth of [500, 1_500, 3_000, 6_000]) {
    const deep = `class DeepEnv { reset() { return ${"-(".repeat(depth)}1${")".repeat(depth)}; } step() {} }`;
    const started = cpuMs();
    const print = fingerprintOf(deep);
    expect(print === null || print.structure.length === 128).toBe(true);
    expect(cpuMs() - started).toBeLessThan(2_000);
  }
});

describe("an environment that is slow in every call, but within its limits", () => {
  const empty: Run = {
    reset: { observation: "x", info: {} },
    steps: [],
    solution: null,
    tools: null,
    failure: null,
  };

  test("is played in short messages and given up after a minute", async () => {
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    const messages: number[] = [];
    const handle: Pick<EnvironmentHandle, "runAll" | "close"> = {
      close: async () => {},
      runAll: async (scripts: readonly Script[]) => {
        messages.push(scripts.length);
        now += 500 * scripts.length;
        return scripts.map(() => empty);
      },
    };
    const probe = new Probe(handle, new ProbeRecord());
    const runs = Array.from({ length: 500 }, (_, seed) => probe.run(seed, []));
    const settled = await Promise.allSettled(runs);
    clock.mockRestore();
    expect(messages[0]).toBe(40);
    expect(Math.max(...messages.slice(1))).toBe(2);
    const played = settled.filter(({ status }) => status === "fulfilled").length;
    expect(played).toBeGreaterThan(100);
    expect(played).toBeLessThan(130);
    expect(settled.at(-1)).toMatchObject({
      status: "rejected",
      reason: { message: expect.stringMatching(/500 ms each/) },
    });
  });
});
