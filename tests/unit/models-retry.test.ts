/** How long a call waits before it is tried again, and which failures another try can mend. */
import { describe, expect, test } from "vitest";
import { createRedact } from "../../config/redact.ts";
import { readFailure } from "../../graph/models/provider-failure.ts";
import { jitteredMs, retryAfterMs } from "../../graph/models/retry-after.ts";

const now = Date.UTC(2026, 0, 1, 12, 0, 0);

test.each([
  ["seconds", { "retry-after": "20" }, 20_000],
  ["a fraction of a second", { "retry-after": "0.25" }, 250],
  ["milliseconds, which are preferred", { "retry-after-ms": "1500", "retry-after": "20" }, 1_500],
  ["a date", { "retry-after": "Thu, 01 Jan 2026 12:00:30 GMT" }, 30_000],
  ["a date that has passed", { "retry-after": "Thu, 01 Jan 2026 11:00:00 GMT" }, 0],
  ["a name in capitals", { "Retry-After": "2" }, 2_000],
  ["nonsense", { "retry-after": "soon" }, null],
  ["a negative number", { "retry-after": "-5" }, null],
  ["nothing", {}, null],
])("a retry-after of %s", (_name, headers, expected) => {
  expect(retryAfterMs(headers, now)).toBe(expected);
  expect(retryAfterMs(new Headers(headers), now)).toBe(expected);
});

test("headers that are none ask for nothing", () => {
  for (const headers of [undefined, null, "retry-after", 3]) expect(retryAfterMs(headers, now)).toBeNull();
});

test("jitter is uniform over a range that doubles up to a cap", () => {
  expect([0, 1, 2, 3, 10].map((attempt) => jitteredMs(attempt, 100, 1_000, () => 0.5))).toEqual([
    50, 100, 200, 400, 500,
  ]);
  expect(jitteredMs(3, 100, 1_000, () => 0)).toBe(0);
});

describe("what was thrown", () => {
  const redact = createRedact({});
  const read = (thrown: unknown) => readFailure(thrown, redact);
  const withFacts = (facts: object) => Object.assign(new Error("said"), facts);

  test.each<[string, unknown, string, boolean]>([
    ["a status", withFacts({ status: 502 }), "provider.unreachable", true],
    ["a status of another client", withFacts({ response: { status: 429 } }), "provider.unreachable", true],
    ["a status of yet another", withFacts({ $metadata: { httpStatusCode: 403 } }), "provider.refused", false],
    ["a spent quota", withFacts({ status: 429, code: "insufficient_quota" }), "provider.refused", false],
    ["a time-out", withFacts({ name: "TimeoutError" }), "provider.timed-out", true],
    [
      "a lost connection deep down",
      new Error("a", { cause: new Error("b", { cause: withFacts({ code: "ECONNRESET" }) }) }),
      "provider.unreachable",
      true,
    ],
    ["a failed fetch", new TypeError("fetch failed"), "provider.unreachable", true],
    ["something else", new SyntaxError("Unexpected end of JSON input"), "provider.bad-answer", true],
    ["no error at all", "boom", "provider.bad-answer", true],
    ["nothing", undefined, "provider.bad-answer", true],
  ])("%s", (_name, thrown, code, retry) => {
    expect(read(thrown)).toMatchObject({ code, retry });
  });

  test("names the parameter that the model does not take", () => {
    const told = (message: string, facts: object = {}) =>
      read(Object.assign(new Error(message), { status: 400, ...facts })).parameter;
    expect(told("no", { param: "temperature" })).toBe("temperature");
    expect(told("Unsupported parameter: 'max_tokens' is not supported with this model.")).toBe("max_tokens");
    expect(told("Extra inputs are not permitted: seed")).toBe("seed");
    expect(told("Your seed money has run out.")).toBeNull();
    expect(read(withFacts({ status: 500, param: "seed" })).parameter).toBeNull();
  });

  test("is told without secrets, in one short line", () => {
    const error = withFacts({
      status: 400,
      message: `GET https://x.test/v1?key=AIzaSyA12345678\nsecond line ${"z".repeat(900)}`,
    });
    const failure = read(error);
    expect(failure.said).not.toContain("AIzaSyA12345678");
    expect(`${failure.cause.message}${failure.cause.stack}`).not.toContain("AIzaSyA12345678");
    expect(failure.said).not.toContain("\n");
    expect(read(withFacts({ status: 400, message: "z".repeat(900) })).said.length).toBeLessThan(330);
  });
});
