/** Failures of OpenAI-compatible servers: what is tried again, when, and what people are told. */
import { describe, expect, test, vi } from "vitest";
import { failureOf, first, key, modelClient, play } from "../support/model-client.ts";
import type { Fault } from "../support/openai-server.ts";

const { connect, logged } = modelClient();

describe("a failure", () => {
  test.each<[string, readonly Fault[]]>([
    ["500", [{ status: 500 }, { status: 503 }]],
    ["429", [{ status: 429 }]],
    ["a connection that is reset", ["reset", "reset"]],
    ["an answer that breaks off", ["cut"]],
  ])("is tried again: %s", async (_name, faults) => {
    const { server, model } = await connect({ fault: first(...faults) });
    expect((await model.call(play())).text).toContain("\\boxed");
    expect(server.calls).toHaveLength(faults.length + 1);
    expect(logged.filter((line) => line.includes("tried again"))).toHaveLength(faults.length);
  });

  test("a stream that breaks off is tried again", async () => {
    const { server, model } = await connect({ fault: first("cut") }, { stream: true });
    expect((await model.call(play())).text).toContain("\\boxed");
    expect(server.calls).toHaveLength(2);
  });

  test("is tried again when the provider says so, not earlier", async () => {
    const { server, model } = await connect({
      fault: first({ status: 429, headers: { "retry-after": "1" } }),
    });
    expect((await model.call(play())).text).toContain("\\boxed");
    const [before, after] = server.calls;
    expect((after?.at ?? 0) - (before?.at ?? 0)).toBeGreaterThanOrEqual(995);
  });

  test("no other call to a provider starts while it asks us to wait", async () => {
    const { server, model } = await connect(
      { fault: first({ status: 429, headers: { "retry-after": "1" } }) },
      { concurrency: 1 },
    );
    await Promise.all([model.call(play()), model.call(play()), model.call(play())]);
    const [before, ...rest] = server.calls;
    expect(rest).toHaveLength(3);
    for (const { at } of rest) expect(at - (before?.at ?? 0)).toBeGreaterThanOrEqual(995);
  });

  test("is told at once when the provider asks for more patience than a round has", async () => {
    const { model } = await connect({ fault: () => ({ status: 429, headers: { "retry-after": "7200" } }) });
    const error = await failureOf(model.call(play()));
    expect(error.code).toBe("provider.unreachable");
    expect(error.message).toContain("asks to wait 7200 s");
  });

  test("through every try is told with how often it was tried", async () => {
    const { server, model } = await connect({ fault: () => ({ status: 503, message: "Overloaded." }) });
    const error = await failureOf(model.call(play()));
    expect(error.code).toBe("provider.unreachable");
    expect(error.message).toBe("openai:scripted answered 503: Overloaded, in each of 3 tries.");
    expect(server.calls).toHaveLength(3);
  });

  test("a server that is not there is told", async () => {
    const { server, model } = await connect();
    await server.close();
    const error = await failureOf(model.call(play()));
    expect(error).toMatchObject({ code: "provider.unreachable" });
    expect(error.message).toContain("ECONNREFUSED");
  });

  test("a server that never answers is timed out, in every try", async () => {
    const { server, model } = await connect({ fault: () => "hang" }, { timeoutMs: 150, retries: 1 });
    const started = performance.now();
    const error = await failureOf(model.call(play()));
    expect(error.code).toBe("provider.timed-out");
    expect(performance.now() - started).toBeGreaterThanOrEqual(295);
    expect(server.calls).toHaveLength(2);
    await vi.waitFor(() => expect(server.calls.every(({ abandoned }) => abandoned)).toBe(true));
  });

  test.each<[string, Fault, string]>([
    ["400", { status: 400, message: "Too long." }, "provider.refused"],
    ["404", { status: 404, code: "model_not_found", message: "No such model." }, "provider.refused"],
    [
      "a used-up quota",
      { status: 429, code: "insufficient_quota", message: "No money." },
      "provider.refused",
    ],
  ])("for good is not tried again: %s", async (_name, fault, code) => {
    const { server, model } = await connect({ fault: () => fault });
    const error = await failureOf(model.call(play()));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^openai:scripted (answered|gave an answer)/);
    expect(error.message).not.toContain("\n");
    expect(server.calls).toHaveLength(1);
  });

  // A gateway that has a bad moment answers so, too.
  test.each<[string, Fault]>([
    ["JSON that ends too early", "malformed"],
    ["a page", "page"],
    ["JSON without a choice", "no-choice"],
  ])("that can't be read is tried again: %s", async (_name, fault) => {
    const { server, model } = await connect({ fault: first(fault) });
    expect((await model.call(play())).text).toContain("\\boxed");
    expect(server.calls).toHaveLength(2);
    server.setFault(() => fault);
    const error = await failureOf(model.call(play()));
    expect(error.code).toBe("provider.bad-answer");
    expect(error.message).toMatch(
      /^openai:scripted gave an answer that can't be read .*in each of 3 tries\.$/,
    );
    expect(error.message).not.toContain("\n");
  });

  test("tells no secret, though the provider says the key back", async () => {
    const { server, model } = await connect({ key: "another" });
    const error = await failureOf(model.call(play()));
    expect(error.code).toBe("provider.refused");
    expect(error.message).toBe("openai:scripted answered 401: Incorrect API key provided: [redacted].");
    server.setFault(null);
    const cause = error.cause instanceof Error ? `${error.cause.message}${error.cause.stack}` : "";
    expect(cause).not.toBe("");
    for (const text of [cause, JSON.stringify(error), JSON.stringify(error.data), ...logged]) {
      expect(text).not.toContain(key);
    }
    expect(server.calls).toHaveLength(1);
  });
});
