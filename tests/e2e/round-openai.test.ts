/** A whole round against an OpenAI-compatible server: the same commands, prompts and gates, over the wire. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { composeServices } from "../../config/compose.ts";
import { configSchema, type ModelsConfig } from "../../config/schema.ts";
import { createRound, runRound } from "../../graph/control.ts";
import { roundResult } from "../../graph/result.ts";
import type { Services } from "../../graph/services.ts";
import type { RoundOptions } from "../../store/records.ts";
import { designs, type OpenAiServer, startOpenAiServer } from "../support/openai-server.ts";
import { roundOptionsOf, silent } from "../support/services.ts";

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  vi.unstubAllEnvs();
});

async function serve(options: Parameters<typeof startOpenAiServer>[0] = {}): Promise<OpenAiServer> {
  const server = await startOpenAiServer({ key: "test-key", ...options });
  opened.push(() => server.close());
  vi.stubEnv("OPENAI_BASE_URL", server.baseUrl);
  vi.stubEnv("OPENAI_API_KEY", "test-key");
  return server;
}

async function lab(models: Partial<ModelsConfig> = {}): Promise<Services> {
  const dataDir = await mkdtemp(join(tmpdir(), "spadework-openai-"));
  const config = configSchema.parse({ dataDir, models: { retryBaseMs: 1, ...models } });
  const services = await composeServices(config, { log: silent, emit: () => undefined });
  opened.push(async () => {
    await services.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return services;
}

function options(change: Partial<RoundOptions> = {}): RoundOptions {
  return roundOptionsOf({ model: "openai:test-model", ...change });
}

test("a round runs against the server, in at most the configured number of calls at once", async () => {
  const server = await serve({ delayMs: 5 });
  const services = await lab({ concurrency: 6 });
  const { id } = await createRound(services, options({ envs: 4, plays: 4 }), "tester");
  expect(await runRound(services, id)).toMatchObject({ status: "finished", error: null });
  const result = await roundResult(services.store, id);
  const admitted = result.environments.filter(({ status }) => status === "admitted");
  expect(admitted.length).toBeGreaterThanOrEqual(2);
  expect(admitted.some(({ regret }) => (regret ?? 0) > 0)).toBe(true);
  expect(result.totals.modelCalls).toBe(server.calls.length);
  expect(result.totals.inputTokens).toBeGreaterThan(0);
  expect(server.mostInFlight()).toBeGreaterThan(3);
  expect(server.mostInFlight()).toBeLessThanOrEqual(6);
});

test("bad designs over the wire are rejected with their reasons, and the round finishes", async () => {
  const { prose, brokenCode, codeWithoutClass, hugeCode, nothing } = designs;
  await serve({ designs: [prose, brokenCode, codeWithoutClass, hugeCode, nothing] });
  const services = await lab();
  const { id } = await createRound(services, options({ envs: 5, repairs: 1 }), "tester");
  expect(await runRound(services, id)).toMatchObject({ status: "finished" });
  const result = await roundResult(services.store, id);
  expect(result.environments.map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
  expect(result.environments.every(({ reason }) => (reason ?? "").length > 20)).toBe(true);
});

test("a server that goes down fails the round; when it is back, the round goes on without asking twice", async () => {
  const server = await serve();
  const services = await lab({ retries: 1 });
  const { id } = await createRound(services, options({ envs: 2, plays: 6, repairs: 0 }), "tester");
  server.setFault(({ situation }) => (situation === "play" ? { status: 503, message: "Down." } : null));
  expect(await runRound(services, id)).toMatchObject({
    status: "failed",
    error: { code: "provider.unreachable" },
  });
  const designed = server.calls.filter(({ situation }) => situation !== "play").length;
  server.setFault(null);
  expect(await runRound(services, id)).toMatchObject({ status: "finished", error: null });
  expect(server.calls.filter(({ situation }) => situation !== "play")).toHaveLength(designed);
});

test("a hanging server is left within a second when the round is stopped", async () => {
  const server = await serve({ fault: () => "hang" });
  const services = await lab();
  const { id } = await createRound(services, options(), "tester");
  const stop = new AbortController();
  const running = runRound(services, id, { signal: stop.signal });
  await vi.waitFor(() => expect(server.inFlight()).toBeGreaterThan(0), { timeout: 20_000 });
  const stoppedAt = performance.now();
  stop.abort();
  expect((await running).status).toBe("running");
  expect(performance.now() - stoppedAt).toBeLessThan(1_000);
});

test("a round stops at its token budget and goes on once it is raised", async () => {
  await serve({ designs: [designs.shelfSearch, designs.dialConsole] });
  const poor = await lab({ tokenBudget: 4_000 });
  const { id } = await createRound(poor, options({ envs: 2, plays: 4 }), "tester");
  expect(await runRound(poor, id)).toMatchObject({ status: "failed", error: { code: "provider.budget" } });
  const rich = { ...poor, config: { ...poor.config, models: { ...poor.config.models, tokenBudget: 0 } } };
  expect(await runRound(rich, id)).toMatchObject({ status: "finished" });
});

test("a request that is refused costs its slot alone; a provider that refuses all fails the round", async () => {
  const server = await serve();
  const services = await lab();
  const refused = { status: 400, message: "The document is against our rules." };
  const tasks = new Set<string>();
  server.setFault(({ situation, messages }) => {
    if (situation !== "design" && situation !== "repair") return null;
    const task = messages[1]?.content ?? "";
    tasks.add(task);
    return [...tasks].indexOf(task) === 1 ? refused : null;
  });
  const { id } = await createRound(services, options({ envs: 3, plays: 2 }), "tester");
  expect(await runRound(services, id)).toMatchObject({ status: "finished" });
  const { environments } = await roundResult(services.store, id);
  const lost = environments.filter(({ name }) => name === "(no code)");
  expect(lost).toHaveLength(1);
  expect(lost[0]).toMatchObject({ status: "rejected", repairs: 0 });
  expect(lost[0]?.reason).toContain("against our rules");
  expect(environments.some(({ plain }) => plain.plays > 0)).toBe(true);

  for (const status of [400, 401]) {
    server.setFault(() => ({ status, message: "No." }));
    const none = await createRound(services, options({ envs: 3 }), "tester");
    expect(await runRound(services, none.id)).toMatchObject({
      status: "failed",
      error: { code: "provider.refused" },
    });
    expect((await roundResult(services.store, none.id)).environments).toEqual([]);
  }
});
