/** Calls to OpenAI-compatible servers: what is asked and answered, how many run at once, and how one is ended. */
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { pino } from "pino";
import { describe, expect, test, vi } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { createModel } from "../../graph/models/create.ts";
import { designMessages } from "../../graph/prompts/designer.ts";
import { key, modelClient, play, quick } from "../support/model-client.ts";
import { designs, type Fault } from "../support/openai-server.ts";

const client = modelClient();
const { connect, logged } = client;

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
    const { server, model } = await connect();
    const whole = await model.call(play({ messages: design }));
    await server.close();
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
      await inline.server.close();
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

test("so many calls as the settings allow are in flight at once, over all models of a provider", async () => {
  const { server, model } = await connect({ delayMs: 30 }, { concurrency: 3 });
  const config = configSchema.parse({ models: { ...quick, concurrency: 3 } });
  const services = { config, store: client.store, log: pino({ level: "silent" }) };
  const [one, two] = await Promise.all([
    createModel("openai:one", services),
    createModel("openai:two", services),
  ]);
  await Promise.all([one, two, one, two, one, two, one, two].map((it) => it.call(play())));
  expect(server.mostInFlight()).toBe(3);
  expect((await model.call(play())).text).toContain("\\boxed");
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
