/** The client of the training protocol, against every answer that a server may give. */
import { afterEach, describe, expect, test } from "vitest";
import { capabilities, health } from "../../graph/trainers/tinker/protocol.ts";
import { TinkerSession } from "../../graph/trainers/tinker/session.ts";
import { TrainingModel } from "../../graph/trainers/tinker/training-model.ts";
import { silent } from "../support/services.ts";
import { call, failureOf, quickClient } from "../support/tinker/client.ts";
import {
  type Fault,
  type Seen,
  startTinkerServer,
  type TinkerServer,
  type TinkerServerOptions,
} from "../support/tinker/server.ts";

const secret = "tml-a-secret-key-0123456789";
const adam = { learning_rate: 0.1, beta1: 0.9, beta2: 0.95, eps: 1e-8, weight_decay: 0 };
const toy = { baseModel: "toy", rank: 8, seed: 1 };

let server: TinkerServer;
afterEach(() => server.close());

async function connected(options: TinkerServerOptions = {}, settings = {}, key: string | null = null) {
  server = await startTinkerServer(options);
  const { client, logged } = quickClient(server.baseUrl, settings, key);
  const session = await TinkerSession.open(client, { log: silent }, call);
  return { client, logged, session, model: await TrainingModel.create(session, toy, call) };
}

/** Goes wrong in the given ways, the first times that a path is asked for. */
const first =
  (path: Seen["path"], ...faults: readonly (Fault | null)[]) =>
  (seen: Seen): Fault | null =>
    seen.path === path ? (faults[seen.nth] ?? null) : null;

/** What was sent to a path, each different text once. */
const texts = (path: Seen["path"]): string[] => [
  ...new Set(server.seen.filter((one) => one.path === path).map(({ text }) => text)),
];

test("says who it is, asks what is served, and is told", async () => {
  const { client } = await connected({ key: secret, models: ["toy", "other"] }, {}, secret);
  expect(await client.get("healthz", health, call)).toEqual({ status: "ok" });
  const { supported_models } = await client.get("get_server_capabilities", capabilities, call);
  expect(supported_models.map(({ model_name }) => model_name)).toEqual(["toy", "other"]);
  expect(server.seen.every(({ key }) => key === secret)).toBe(true);
});

test("a key that is refused stands in no message and no log, also where the server repeats it", async () => {
  server = await startTinkerServer({ key: "another-key" });
  const { client, logged } = quickClient(server.baseUrl, {}, secret);
  const failure = await failureOf(TinkerSession.open(client, { log: silent }, call));
  expect(failure).toMatchObject({ kind: "refused", status: 401 });
  expect(failure.message).toContain("[redacted] is wrong");
  expect(`${failure.stack}${JSON.stringify(failure)}${logged.join("")}`).not.toContain(secret);
  expect(server.count("create_session")).toBe(1);
});

test("a redirection is not followed: it would carry the key away", async () => {
  server = await startTinkerServer({
    fault: () => ({ status: 307, headers: { location: "http://127.0.0.1:1/stolen" } }),
  });
  const { client } = quickClient(server.baseUrl, {}, secret);
  expect(await failureOf(client.get("healthz", health, call))).toMatchObject({
    kind: "refused",
    status: 307,
  });
});

describe("a promise", () => {
  test("that takes its time is polled for, in both ways of saying so", async () => {
    const { model } = await connected({ earlyPolls: 4 });
    expect(await model.optimStep(adam, call)).toEqual({ metrics: {} });
    expect(server.world.steps).toBe(1);
    // create_model and optim_step, four early polls and the last each.
    expect(server.count("retrieve_future")).toBe(10);
  });

  test("that is never kept ends at the limit", async () => {
    server = await startTinkerServer({ earlyPolls: 1_000_000 });
    const { client } = quickClient(server.baseUrl, { waitMs: 300 });
    const session = await TinkerSession.open(client, { log: silent }, call);
    const failure = await failureOf(session.createModel(toy, call));
    expect(failure).toMatchObject({ kind: "unreachable", code: "ETIMEDOUT" });
    expect(failure.message).toBe("create_model was not done within 300 ms");
  });

  test("that the server does not know is lost", async () => {
    const { model } = await connected();
    server.setFault(({ path }) => {
      if (path === "retrieve_future") server.world.forgetPromises();
      return null;
    });
    const failure = await failureOf(model.optimStep(adam, call));
    expect(failure).toMatchObject({ kind: "lost", status: 404, message: "There is no such future." });
  });

  test("that is broken is asked for anew, with the same number and body, and done once", async () => {
    const { model, logged } = await connected({
      fault: first("retrieve_future", null, { status: 410 }, { status: 410 }),
    });
    await model.optimStep(adam, call);
    expect(server.count("optim_step")).toBe(3);
    expect(texts("optim_step")).toHaveLength(1);
    expect(server.world.steps).toBe(1);
    expect(logged.filter((line) => line.includes("hand a request in anew"))).toHaveLength(2);
  });

  test("that is broken again and again is given up", async () => {
    const { model } = await connected();
    server.setFault(({ path }) => (path === "retrieve_future" ? { status: 410 } : null));
    expect(await failureOf(model.optimStep(adam, call))).toMatchObject({ kind: "failed", status: 410 });
  });

  test("is waited for as long as the server asks, however often", async () => {
    const busy: Fault = { status: 429, headers: { "retry-after-ms": "1" } };
    const { model, logged } = await connected({
      fault: first("retrieve_future", null, busy, busy, busy, busy, busy),
    });
    await model.optimStep(adam, call);
    const waits = logged.flatMap((line) => (line.includes('"status":429') ? [JSON.parse(line)] : []));
    expect(waits).toHaveLength(5);
    expect(waits.every(({ waitMs }) => waitMs >= 1)).toBe(true);
  });

  test.each([
    { status: 400, body: { detail: "The loss is not finite." } },
    { status: 200, body: { error: "The loss is not finite.", category: "user" } },
  ])("that failed says why: $status", async (fault) => {
    const { model } = await connected({ fault: first("retrieve_future", null, fault) });
    const failure = await failureOf(model.optimStep(adam, call));
    expect(failure).toMatchObject({ kind: "failed", message: "The loss is not finite." });
    expect(server.count("optim_step")).toBe(1);
  });

  test("is polled for again after lost connections and 5xx, and given up after too many", async () => {
    const { model } = await connected({
      fault: first("retrieve_future", null, "cut-before", { status: 502 }),
    });
    await model.optimStep(adam, call);
    server.setFault(({ path }) => (path === "retrieve_future" ? { status: 503 } : null));
    const failure = await failureOf(model.optimStep(adam, call));
    expect(failure).toMatchObject({ kind: "unreachable", status: 503 });
    expect(server.world.steps).toBe(2);
  });
});

describe("a request", () => {
  test("whose answer was lost is sent again as it was, and done once", async () => {
    const { model } = await connected({ fault: first("optim_step", "cut-after", "cut-after") });
    await model.optimStep(adam, call);
    expect(server.count("optim_step")).toBe(3);
    expect(texts("optim_step")).toHaveLength(1);
    expect(server.world.steps).toBe(1);
  });

  test("that never arrived is sent again", async () => {
    const { model } = await connected({ fault: first("optim_step", "cut-before", { status: 500 }) });
    await model.optimStep(adam, call);
    expect(server.world.steps).toBe(1);
  });

  test("that can't be brought home is given up, with what stood in the way", async () => {
    const { model } = await connected({ fault: ({ path }) => (path === "optim_step" ? "cut-before" : null) });
    expect(await failureOf(model.optimStep(adam, call))).toMatchObject({ kind: "unreachable" });
    expect(server.count("optim_step")).toBe(3);
  });

  test("with a used number and another body is a conflict, and is not repeated", async () => {
    const { model, client } = await connected();
    await model.optimStep(adam, call);
    const other = { model_id: model.id, seq_id: 1, adam_params: { ...adam, learning_rate: 1 } };
    const failure = await failureOf(client.ask("optim_step", other, health, call));
    expect(failure).toMatchObject({ kind: "conflict", status: 409, resent: false });
    expect(server.count("optim_step")).toBe(2);
  });

  test("numbers count from 1, one each", async () => {
    const { model } = await connected();
    await model.optimStep(adam, call);
    await model.saveState("a", call);
    await model.optimStep(adam, call);
    const numbers = server.seen.flatMap(({ text }) => /"seq_id":(\d+)/.exec(text)?.[1] ?? []);
    expect(numbers).toEqual(["1", "2", "3"]);
  });

  test("to save whose answer was lost saves under another name, and the next number goes on", async () => {
    const { model } = await connected({ fault: first("save_weights", "cut-after") });
    const path = await model.saveState("a", call);
    // The server had saved, and refuses the same name.
    expect(server.disk.size).toBe(2);
    expect([...server.disk.keys()].at(-1)).toBe(path);
    await model.load(path, call);
    await model.optimStep(adam, call);
    expect(server.world.steps).toBe(1);
  });

  test("that hangs ends at once when it is aborted, with the reason", async () => {
    const { model } = await connected({ fault: first("optim_step", "hang") });
    const stop = new AbortController();
    const reason = new Error("stopped by the test");
    const running = model.optimStep(adam, { signal: stop.signal });
    running.catch(() => undefined);
    await expect.poll(() => server.count("optim_step")).toBe(1);
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
  });

  test("that hangs is given up at its limit and sent again", async () => {
    const { model } = await connected({ fault: first("optim_step", "hang") }, { timeoutMs: 1_000 });
    await model.optimStep(adam, call);
    expect(server.count("optim_step")).toBe(2);
  });

  test.each([
    ["is not JSON", "<html>gateway</html>", /answered 200 with something that is not JSON/],
    [
      "lacks what it must hold",
      { session: "s1" },
      /the answer to create_session is not the protocol's: session_id/,
    ],
  ])("whose answer %s is told of as such", async (_what, body, said) => {
    server = await startTinkerServer({ fault: () => ({ status: 200, body }) });
    const { client } = quickClient(server.baseUrl);
    const failure = await failureOf(TinkerSession.open(client, { log: silent }, call));
    expect(failure.kind).toBe("bad-answer");
    expect(failure.message).toMatch(said);
  });

  test("may be answered at once, without a promise", async () => {
    const { model } = await connected({
      fault: first("save_weights_for_sampler", {
        status: 200,
        body: { path: "tinker://m/sampler_weights/x" },
      }),
    });
    expect(await model.saveForSampler("x", call)).toBe("tinker://m/sampler_weights/x");
  });
});

describe("a session", () => {
  test("is heard of while it lasts, and not after it", async () => {
    server = await startTinkerServer();
    const { client } = quickClient(server.baseUrl);
    const session = await TinkerSession.open(client, { log: silent, heartbeatMs: 1 }, call);
    await expect.poll(() => server.count("session_heartbeat")).toBeGreaterThan(2);
    session.close();
    // One may be on its way.
    await client.get("healthz", health, call);
    const heard = server.count("session_heartbeat");
    for (let i = 0; i < 40; i += 1) await client.get("healthz", health, call);
    expect(server.count("session_heartbeat")).toBeLessThanOrEqual(heard + 1);
  });

  test("that the server forgot is over; one that it could not hear for a while is not", async () => {
    server = await startTinkerServer({ fault: first("session_heartbeat", { status: 503 }, "cut-before") });
    const { client } = quickClient(server.baseUrl);
    const session = await TinkerSession.open(client, { log: silent, heartbeatMs: 1 }, call);
    await expect.poll(() => server.count("session_heartbeat")).toBeGreaterThan(3);
    expect(session.isOver).toBe(false);
    server.setFault(first("session_heartbeat", ...Array(1_000).fill("restart")));
    await expect.poll(() => session.isOver).toBe(true);
  });
});
