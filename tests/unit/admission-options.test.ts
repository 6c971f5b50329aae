import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SandboxError } from "../../config/errors.ts";
import { configSchema } from "../../config/schema.ts";
import type { GateName } from "../../config/words.ts";
import type { AdmissionOptions, AdmissionReport, Reviewer } from "../../sandbox/admission/admission.ts";
import { admit } from "../../sandbox/admission/admit.ts";
import { fingerprintOf } from "../../sandbox/admission/fingerprint.ts";
import { NoveltyIndex } from "../../sandbox/admission/novelty-index.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { edited, good } from "../support/environments/read.ts";
import { commented, renamed, reordered, retold } from "../support/rewrite-source.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox(
    configSchema.parse({ sandbox: { hosts: 1 } }).sandbox,
    pino({ level: "silent" }),
  );
});
afterAll(() => sandbox.close());

function judge(source: string, options: Partial<AdmissionOptions> = {}): Promise<AdmissionReport> {
  return admit(source, {
    language: "javascript",
    sandbox,
    novelty: async () => null,
    reviewer: null,
    ...options,
  });
}

function verdict(report: AdmissionReport, name: GateName) {
  return report.gates.find(({ gate }) => gate === name);
}

describe("novelty", () => {
  test("a renamed, retold, reordered and commented copy is refused, and the sentence names the original", async () => {
    const index = new NoveltyIndex();
    const original = fingerprintOf(good("nim-keeper"));
    if (original !== null) index.add("env-7", original);
    const copy = commented(reordered(retold(renamed(good("nim-keeper")))));
    const report = await judge(copy, { novelty: async (print) => index.nearest(print) });
    expect(verdict(report, "novelty")).toMatchObject({ verdict: "fail" });
    expect(verdict(report, "novelty")?.detail).toContain("env-7 (similarity 1.00)");
    expect(report.admitted).toBe(false);
  });

  test("a check that throws leaves it unknown, which rejects", async () => {
    const novelty = async () => {
      throw new Error("the memory can't be read");
    };
    const report = await judge(good("nim-keeper"), { novelty });
    expect(verdict(report, "novelty")).toMatchObject({ verdict: "unknown" });
    expect(verdict(report, "novelty")?.detail).toContain("the memory can't be read");
    expect(report.admitted).toBe(false);
  });

  test("is asked while no place in the sandbox is held, and only once the other gates have played", async () => {
    let live = -1;
    const novelty = async () => {
      live = sandbox.stats().live;
      return null;
    };
    await judge(good("nim-keeper"), { novelty });
    expect(live).toBe(0);
  });
});

describe("review", () => {
  const reviewers: [string, Reviewer, "pass" | "fail" | "unknown"][] = [
    ["finds nothing", async () => ({ verdict: "pass", detail: "Sound." }), "pass"],
    ["finds a flaw", async () => ({ verdict: "fail", detail: "The goal is not stated." }), "fail"],
    [
      "throws",
      async () => {
        throw new Error("no answer");
      },
      "unknown",
    ],
    // @ts-expect-error A reviewer is a model: it can answer anything.
    ["says nothing of use", async () => ({ opinion: "nice" }), "unknown"],
  ];
  test.each(reviewers)("a reviewer that %s", async (_, reviewer, expected) => {
    const report = await judge(good("nim-keeper"), { reviewer });
    expect(verdict(report, "review")?.verdict).toBe(expected);
    expect(report.admitted).toBe(expected === "pass");
  });

  test("sees the source and a first observation", async () => {
    const seen: string[] = [];
    const reviewer: Reviewer = async ({ source, firstObservation }) => {
      seen.push(source, firstObservation);
      return { verdict: "pass", detail: "" };
    };
    const report = await judge(good("old-cellar"), { reviewer });
    expect(seen).toEqual([good("old-cellar"), report.firstObservation]);
  });
});

describe("what may stay unknown", () => {
  test("an allowed unknown does not reject, a failure does", async () => {
    const novelty = async () => {
      throw new Error("no memory");
    };
    expect((await judge(good("nim-keeper"), { novelty, allowUnknown: ["novelty"] })).admitted).toBe(true);
    const endless = edited("nim-keeper", ["this.turn >= 12", "false"]);
    expect((await judge(endless, { novelty, allowUnknown: ["novelty", "termination"] })).admitted).toBe(
      false,
    );
  });
});

describe("our own faults", () => {
  test("a closed sandbox is no environment's fault", async () => {
    const closed = await createSandbox(
      configSchema.parse({ sandbox: { hosts: 1 } }).sandbox,
      pino({ level: "silent" }),
    );
    await closed.close();
    await expect(judge(good("nim-keeper"), { sandbox: closed })).rejects.toThrow(SandboxError);
  });

  test("a sandbox that is closed in the middle is none either", async () => {
    const closing = await createSandbox(
      configSchema.parse({ sandbox: { hosts: 1 } }).sandbox,
      pino({ level: "silent" }),
    );
    const admission = judge(
      edited("vault-dial", ["press() {", "press() {\n    for (let i = 0; i < 3e6; i += 1);"]),
      {
        sandbox: closing,
      },
    );
    setTimeout(() => closing.close(), 150);
    await expect(admission).rejects.toThrow(SandboxError);
  });

  test("an abort ends it with the signal's reason", async () => {
    const controller = new AbortController();
    const reason = new Error("cancelled by a person");
    const novelty = async () => {
      controller.abort(reason);
      return null;
    };
    await expect(judge(good("nim-keeper"), { signal: controller.signal, novelty })).rejects.toBe(reason);
    await expect(judge(good("nim-keeper"), { signal: controller.signal })).rejects.toBe(reason);
    expect(sandbox.stats().live).toBe(0);
  });
});

describe("sources that are no environment", () => {
  const sources: [string, string][] = [
    ["nothing", ""],
    ["prose", "Here is the environment you asked for."],
    ["a class without the contract", "class Thing {}"],
    ["a source too large", `class BigEnv { reset() {} step() {} } /* ${"x".repeat(300_000)} */`],
    [
      "deep nesting",
      `class DeepEnv { reset() { return ${"[".repeat(20_000)}${"]".repeat(20_000)}; } step() {} }`,
    ],
  ];
  test.each(sources)("%s", async (_, source) => {
    const report = await judge(source);
    expect(report.admitted).toBe(false);
    expect(verdict(report, "parse")?.verdict).toBe("fail");
    expect(report.shape).toBeNull();
    expect(report.firstObservation).toBeNull();
    expect(report.solutions).toEqual([]);
    expect(report.gates).toHaveLength(13);
  });
});

test("many admissions at once share few places without waiting for each other", async () => {
  const config = configSchema.parse({ sandbox: { hosts: 1, livePerHost: 2 } }).sandbox;
  const small = await createSandbox(config, pino({ level: "silent" }));
  const names = ["nim-keeper", "old-cellar", "lamp-board", "order-desk", "file-cabinet", "nim-keeper"];
  const reports = await Promise.all(names.map((name) => judge(good(name), { sandbox: small })));
  expect(reports.map(({ admitted }) => admitted)).toEqual(names.map(() => true));
  await small.close();
});
