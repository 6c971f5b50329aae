/** OpenAI-compatible servers as models: what is asked, what is answered, what is tried again and what people are told. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ProviderError } from "../../config/errors.ts";
import { configSchema, type ModelsConfig } from "../../config/schema.ts";
import { createModel } from "../../graph/models/create.ts";
import type { Model, ModelCall } from "../../graph/models/model.ts";
import { agentSystem, openingMessages } from "../../graph/prompts/agent.ts";
import { designMessages } from "../../graph/prompts/designer.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import {
  designs,
  type Fault,
  type OpenAiServer,
  type OpenAiServerOptions,
  type ServedCall,
  startOpenAiServer,
} from "../support/openai-server.ts";

const key = "sk-spadework-test-0123456789";

let directory: string;
let store: Store;
let server: OpenAiServer | null = null;
let logged: string[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "spadework-models-"));
  store = await openStore({ dataDir: directory, log: pino({ level: "silent" }) });
});

afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

beforeEach(() => {
  logged = [];
  vi.stubEnv("OPENAI_API_KEY", key);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
  server = null;
});

const quick = { retries: 2, retryBaseMs: 1, timeoutMs: 5_000 };

/** A server and a model that talks to it. */
async function connect(
  options: OpenAiServerOptions = {},
  models: Partial<ModelsConfig> = {},
  name = "openai:scripted",
): Promise<{ server: OpenAiServer; model: Model }> {
  server = await startOpenAiServer(options);
  vi.stubEnv("OPENAI_BASE_URL", server.baseUrl);
  return { server, model: await create(name, models) };
}

function create(name: string, models: Partial<ModelsConfig> = {}): Promise<Model> {
  const into = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk));
      done();
    },
  });
  const config = configSchema.parse({ models: { ...quick, ...models } });
  return createModel(name, { config, store, log: pino({ level: "debug" }, into) });
}

function play(over: Partial<ModelCall> = {}): ModelCall {
  return {
    role: "agent",
    messages: openingMessages(agentSystem(null), "Warehouse. A crate stands on one of 120 shelves."),
    seed: 7,
    temperature: 0.6,
    maxOutputTokens: 500,
    signal: new AbortController().signal,
    ...over,
  };
}

const design = designMessages({
  kind: "tool-use",
  language: "javascript",
  skill: "API Orchestration",
  difficulty: "easy",
  turnCap: 25,
  brief: null,
  document: null,
  memory: "",
});

/** The first calls go wrong in these ways, one each; the rest go well. */
const first =
  (...faults: readonly Fault[]) =>
  ({ index }: ServedCall): Fault | null =>
    faults[index] ?? null;

async function failureOf(calling: Promise<unknown>): Promise<ProviderError> {
  try {
    await calling;
  } catch (thrown) {
    if (thrown instanceof ProviderError) return thrown;
    throw thrown;
  }
  throw new Error("the call did not fail");
}

describe("a call", () => {
  test("carries the conversation, the seed and the settings, and brings text, usage, cost and version", async () => {
    const { server, model } = await connect({}, { inputUsdPerMillion: 2, outputUsdPerMillion: 10 });
    const messages = [
      ...play().messages,
      new AIMessage("\\boxed{probe 60}"),
      new HumanMessage("The crate stands nearer to the door than shelf 60."),
    ];
    const answer = await model.call(play({ messages, seed: 41, temperature: 0.25, maxOutputTokens: 321 }));
    const [call] = server.calls;
    expect(call?.body).toMatchObject({ model: "scripted", seed: 41, temperature: 0.25, max_tokens: 321 });
    expect(call?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(call?.authorization).toBe(`Bearer ${key}`);
    expect(answer.text).toMatch(/\\boxed\{probe \d+\}$/);
    const prompt = messages.map((message) => message.text).join("\n");
    const inputTokens = Math.ceil(prompt.length / 4);
    const outputTokens = Math.ceil(answer.text.length / 4);
    const costUsd = (inputTokens * 2 + outputTokens * 10) / 1e6;
    expect(answer.usage).toEqual({ calls: 1, inputTokens, outputTokens, costUsd });
    expect(answer.policyVersion).toBe("scripted-scripted");
    expect(answer.decisions).toBeNull();
    expect(answer.ms).toBeGreaterThan(0);
  });

  test("is answered in the role that the messages ask for", async () => {
    const { server, model } = await connect();
    const answer = await model.call(play({ role: "designer", messages: design }));
    expect(answer.text).toContain("class OrderDeskEnv extends ToolUseBaseEnv");
    expect(server.calls[0]?.situation).toBe("design");
  });

  test("is streamed where the settings say so, with the same text and usage", async () => {
    const { model } = await connect();
    const whole = await model.call(play({ messages: design }));
    await server?.close();
    const streaming = await connect({ streamsOnly: true }, { stream: true });
    const streamed = await streaming.model.call(play({ messages: design }));
    expect(streamed.text).toBe(whole.text);
    expect(streamed.usage).toEqual(whole.usage);
    expect(streamed.usage.outputTokens).toBeGreaterThan(0);
  });

  test.each([{ stream: false }, { stream: true }])(
    "keeps thoughts in the text, wherever the provider puts them ($stream)",
    async ({ stream }) => {
      const inline = await connect({ thoughts: "inline" }, { stream });
      const { text } = await inline.model.call(play());
      expect(text).toMatch(/^<think>\nI should look[^<]*<\/think>\n\n.*\\boxed\{probe \d+\}$/s);
      await server?.close();
      const apart = await connect({ thoughts: "apart" }, { stream });
      expect((await apart.model.call(play())).text).toBe(text);
    },
  );

  test("counts nothing where the provider counts nothing", async () => {
    const { model } = await connect({ counts: false });
    expect((await model.call(play())).usage).toEqual({
      calls: 1,
      inputTokens: 0,
      outputTokens: 0,
      costUsd: 0,
    });
  });

  test("an empty answer is an answer", async () => {
    const { model } = await connect({ designs: [designs.nothing] });
    expect((await model.call(play({ messages: design }))).text).toBe("");
  });

  test("leaves out what the model does not take, and remembers it", async () => {
    const refused: Fault = {
      status: 400,
      code: "unsupported_value",
      param: "temperature",
      message: "Unsupported value: 'temperature' does not support 0.6 with this model.",
    };
    const { server, model } = await connect({
      fault: ({ body }) => ("temperature" in body ? refused : null),
    });
    await model.call(play());
    await model.call(play());
    expect(server.calls.map(({ body }) => "temperature" in body)).toEqual([true, false, false]);
    expect(server.calls.every(({ body }) => "seed" in body)).toBe(true);
  });
});

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
    const { model } = await connect();
    await server?.close();
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

describe("an abort", () => {
  const reason = new Error("cancelled by a person");

  async function abortedAfter(
    call: (signal: AbortSignal) => Promise<unknown>,
    ready: () => boolean,
  ): Promise<number> {
    const controller = new AbortController();
    const calling = call(controller.signal);
    calling.catch(() => {});
    await vi.waitFor(() => expect(ready()).toBe(true), { interval: 5 });
    const started = performance.now();
    controller.abort(reason);
    await expect(calling).rejects.toBe(reason);
    return performance.now() - started;
  }

  test("ends a call to a server that hangs, and its connection", async () => {
    const { server, model } = await connect({ fault: () => "hang" });
    const ms = await abortedAfter(
      (signal) => model.call(play({ signal })),
      () => server.inFlight() === 1,
    );
    expect(ms).toBeLessThan(100);
    await vi.waitFor(() => expect(server.calls[0]?.abandoned).toBe(true));
  });

  test("ends a call that waits for its turn", async () => {
    const { server, model } = await connect({ fault: () => "hang" }, { concurrency: 1 });
    const hanging = new AbortController();
    const before = model.call(play({ signal: hanging.signal }));
    before.catch(() => {});
    const ms = await abortedAfter(
      (signal) => model.call(play({ signal })),
      () => server.inFlight() === 1,
    );
    expect(ms).toBeLessThan(100);
    expect(server.calls).toHaveLength(1);
    hanging.abort(reason);
    await expect(before).rejects.toBe(reason);
    server.setFault(null);
    expect((await model.call(play())).text).toContain("\\boxed");
  });

  test("ends a call that waits for another try", async () => {
    const { model } = await connect({ fault: () => ({ status: 500, headers: { "retry-after": "3" } }) });
    const ms = await abortedAfter(
      (signal) => model.call(play({ signal })),
      () => logged.some((line) => line.includes("tried again")),
    );
    expect(ms).toBeLessThan(100);
  });

  test("before a call keeps it from being made", async () => {
    const { server, model } = await connect();
    await expect(model.call(play({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(server.calls).toHaveLength(0);
  });
});

test("so many calls as the settings allow are in flight at once, over all models of a provider", async () => {
  const { server, model } = await connect({ delayMs: 30 }, { concurrency: 3 });
  const config = configSchema.parse({ models: { ...quick, concurrency: 3 } });
  const services = { config, store, log: pino({ level: "silent" }) };
  const [one, two] = await Promise.all([
    createModel("openai:one", services),
    createModel("openai:two", services),
  ]);
  await Promise.all([one, two, one, two, one, two, one, two].map((it) => it.call(play())));
  expect(server.mostInFlight()).toBe(3);
  expect((await model.call(play())).text).toContain("\\boxed");
});

describe("a name", () => {
  test("needs a key, unless the server is one's own", async () => {
    vi.stubEnv("OPENAI_API_KEY", undefined);
    const error = await failureOf(create("openai:gpt-5"));
    expect(error.code).toBe("provider.no-key");
    expect(error.message).toContain("OPENAI_API_KEY");
    const { model } = await connect();
    expect((await model.call(play())).text).toContain("\\boxed");
  });

  test("may hold colons", async () => {
    const { server, model } = await connect({}, {}, "openai:ft:small:org::id");
    await model.call(play());
    expect(server.calls[0]?.body.model).toBe("ft:small:org::id");
  });

  test.each(["gpt-5", "", "openai:", ":gpt-5", "nobody:model", "embedded:1"])(
    "%j is unknown",
    async (name) => {
      const error = await failureOf(create(name));
      expect(error.code).toBe("provider.unknown");
      expect(error.message).toContain("embedded");
    },
  );

  test("of a provider whose package is missing says which to install", async () => {
    const error = await failureOf(create("anthropic:claude"));
    expect(error.code).toBe("provider.unknown");
    expect(error.message).toContain("npm install @langchain/anthropic");
  });

  test("of another installed provider reaches it by LangChain's own settings", async () => {
    const { server } = await connect();
    vi.stubEnv("AZURE_OPENAI_API_KEY", "another-key-of-azure");
    vi.stubEnv("AZURE_OPENAI_BASE_PATH", server.baseUrl);
    vi.stubEnv("AZURE_OPENAI_API_DEPLOYMENT_NAME", "ours");
    vi.stubEnv("AZURE_OPENAI_API_VERSION", "2026-01-01");
    const model = await create("azure_openai:gpt");
    expect((await model.call(play({ seed: 3 }))).text).toContain("\\boxed");
    expect(server.calls[0]?.body).toMatchObject({ seed: 3, temperature: 0.6, max_tokens: 500 });
  });
});
