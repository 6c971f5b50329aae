/** The trainer behind the seam: each batch counts once, whatever happens on the way. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { TrainerError } from "../../config/errors.ts";
import { createTrainer } from "../../graph/trainers/create.ts";
import { checkpoints } from "../../graph/trainers/tinker/policy.ts";
import type { Batch, PolicyUpdate, Trainer } from "../../graph/trainers/trainer.ts";
import { type TinkerLab, type TinkerLabOptions, tinkerLab, toy } from "../support/tinker/lab.ts";
import { playLamps } from "../support/tinker/lamp.ts";
import type { Fault, Seen, TinkerServerOptions } from "../support/tinker/server.ts";

const labs: TinkerLab[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const lab of labs.splice(0)) await lab.close();
});

async function opened(options: TinkerLabOptions = {}): Promise<{ lab: TinkerLab; trainer: Trainer }> {
  const lab = await tinkerLab(options);
  labs.push(lab);
  return { lab, trainer: await createTrainer("tinker", lab.services) };
}

async function batchOf({ services }: TinkerLab, step = 0): Promise<Batch> {
  return (await playLamps(await services.model(toy), step, 4)).batch;
}

/** The weights that a version is sampled from, and the steps in them. */
async function weightsOf(
  { services: { store }, server }: TinkerLab,
  version: string,
): Promise<{ steps: number; last: Float64Array }> {
  const record = await store.policies.get(version);
  const { samplerPath } = checkpoints.parse(JSON.parse(await store.texts.get(record?.weightsId ?? "")));
  const saved = server.disk.get(samplerPath ?? "");
  if (saved?.kind !== "sampler") throw new Error(`${samplerPath} is no sampler checkpoint`);
  return { steps: saved.model.steps, last: saved.model.state().last };
}

/** Trains so many times, and gives the last update. */
async function trained(lab: TinkerLab, trainer: Trainer, updates: number): Promise<PolicyUpdate> {
  let last: PolicyUpdate | null = null;
  for (let step = 0; step < updates; step += 1) last = await trainer.update(await batchOf(lab, step));
  if (last === null) throw new Error("no update");
  return last;
}

/** What two updates make where nothing goes wrong. */
async function undisturbed(updates: number): Promise<{ version: string; steps: number; last: Float64Array }> {
  const { lab, trainer } = await opened();
  const { version } = await trained(lab, trainer, updates);
  return { version, ...(await weightsOf(lab, version)) };
}

const first = (path: Seen["path"], fault: Fault, nth = 0): NonNullable<TinkerServerOptions["fault"]> => {
  return (seen) => (seen.path === path && seen.nth === nth ? fault : null);
};

const codeOf = (work: Promise<unknown>): Promise<TrainerError> =>
  work.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => {
      if (error instanceof TrainerError) return error;
      throw error;
    },
  );

test("an update makes a version whose record names its checkpoints, and the statistics", async () => {
  const { lab, trainer } = await opened({ tinker: { loraRank: 4 } });
  const { store } = lab.services;
  const batch = await batchOf(lab);
  const { version, parent, statistics } = await trainer.update(batch);
  const record = await store.policies.get(version);
  expect(record).toMatchObject({ parent, provider: toy, batchId: batch.id, statistics });
  expect(parent).toBe(batch.policyVersion);
  const named = checkpoints.parse(JSON.parse(await store.texts.get(record?.weightsId ?? "")));
  expect(named).toMatchObject({ baseModel: "toy", loraRank: 4 });
  expect([named.statePath, named.samplerPath].sort()).toEqual([...lab.server.disk.keys()].sort());
  expect(statistics).toMatchObject({ agentTrajectories: batch.agent.length, changed: null, clipFraction: 0 });
  const [sent] = lab.server.seen.filter(({ path }) => path === "forward_backward");
  expect(sent?.text).toContain(
    '"loss_fn":"ppo","loss_fn_config":{"clip_low_threshold":0.8,"clip_high_threshold":1.28}',
  );
});

test("the next version is sampled from its own checkpoint, an earlier one still from its own", async () => {
  const { lab, trainer } = await opened();
  const { services, server } = lab;
  const before = await services.model(toy);
  const { version } = await trained(lab, trainer, 1);
  const after = await services.model(toy);
  expect(after.policyVersion).toBe(version);
  await playLamps(after, 7, 1);
  await playLamps(await services.model(toy, before.policyVersion), 7, 1);
  const asked = server.seen.filter(({ path }) => path === "create_sampling_session").map(({ text }) => text);
  expect(asked[0]).toContain('"base_model":"toy"');
  expect(asked[1]).toContain("sampler_weights/");
  expect(asked).toHaveLength(2);
  await expect(services.model(toy, "tinker-unknown")).rejects.toMatchObject({ code: "store.not-found" });
});

describe("refused without a word to the server", () => {
  test("is a batch that was trained on, and one of an earlier version", async () => {
    const { lab, trainer } = await opened();
    const batch = await batchOf(lab);
    const late = await batchOf(lab, 1);
    const { version } = await trainer.update(batch);
    const asked = lab.server.count("forward_backward");
    const again = await codeOf(trainer.update(batch));
    expect(again).toMatchObject({ code: "trainer.duplicate", data: { version } });
    const stale = await codeOf(trainer.update(late));
    expect(stale).toMatchObject({ code: "trainer.stale", data: { newest: version } });
    expect(lab.server.count("forward_backward")).toBe(asked);
  });

  test("is one without tokens under its prompt, as hinted plays in cross-arm groups are", async () => {
    const { lab, trainer } = await opened();
    const batch = await batchOf(lab);
    const agent = batch.agent.map(({ tokens: _, ...rest }) => rest);
    const failure = await codeOf(trainer.update({ ...batch, agent }));
    expect(failure.code).toBe("trainer.bad-batch");
    expect(failure.message).toContain("groups `plain`");
    expect(await codeOf(trainer.update({ ...batch, policyVersion: "embedded-1" }))).toMatchObject({
      code: "trainer.bad-batch",
    });
    expect(lab.server.count("create_session")).toBe(1);
  });
});

test("a batch without a gradient makes a version of the same weights, and takes no step", async () => {
  const { lab, trainer } = await opened();
  await trained(lab, trainer, 1);
  const batch = await batchOf(lab, 1);
  const agent = batch.agent.map((one) => ({ ...one, advantage: 0 }));
  const { version, parent, statistics } = await trainer.update({ ...batch, agent });
  const { policies } = lab.services.store;
  expect((await policies.get(version))?.weightsId).toBe((await policies.get(parent))?.weightsId);
  expect(statistics).toMatchObject({ changed: 0, clipFraction: null });
  expect(lab.server.world.steps).toBe(1);
  // And the model at hand goes on from there.
  await trainer.update(await batchOf(lab, 2));
  expect(lab.server.count("create_model")).toBe(1);
});

test.each([
  "create_model",
  "forward_backward",
  "optim_step",
  "save_weights",
  "save_weights_for_sampler",
] as const)("an answer to %s that is lost changes nothing about what an update makes", async (path) => {
  const expected = await undisturbed(1);
  const { lab, trainer } = await opened({ fault: first(path, "cut-after") });
  const { version } = await trained(lab, trainer, 1);
  expect(version).toBe(expected.version);
  expect(await weightsOf(lab, version)).toEqual({ steps: 1, last: expected.last });
  expect(lab.server.world.steps).toBe(1);
});

test.each(["forward_backward", "optim_step", "save_weights_for_sampler"] as const)(
  "a server that restarts before %s loses no update and repeats none",
  async (path) => {
    const expected = await undisturbed(2);
    const { lab, trainer } = await opened({ fault: first(path, "restart", 1) });
    const { version } = await trained(lab, trainer, 2);
    expect(version).toBe(expected.version);
    expect(await weightsOf(lab, version)).toEqual({ steps: 2, last: expected.last });
    expect(lab.server.count("load_weights")).toBe(1);
  },
);

test("a kill between the step on the server and the record loses no update and repeats none", async () => {
  const expected = await undisturbed(2);
  const { lab, trainer } = await opened();
  const { server, services, dataDir } = lab;
  await trained(lab, trainer, 1);
  const batch = await batchOf(lab, 1);
  const file = join(dataDir, "batch.json");
  writeFileSync(file, JSON.stringify(batch));

  // Hangs when the step is done and the first checkpoint is asked for.
  const saves = server.count("save_weights");
  server.setFault(first("save_weights", "hang", saves));
  const program = fileURLToPath(new URL("../support/tinker/update-child.ts", import.meta.url));
  const child = spawn(process.execPath, [program, dataDir, server.baseUrl, file], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", (_code, signal) => resolve(signal)));
  await expect.poll(() => server.count("save_weights"), { timeout: 60_000 }).toBe(saves + 1);
  expect(server.world.steps).toBe(2);
  child.kill("SIGKILL");
  expect(await ended).toBe("SIGKILL");
  expect((await services.store.policies.latest(toy))?.version).toBe(batch.policyVersion);

  // As a campaign that is taken up in a new process: the same batch, a trainer that knows nothing.
  const { version } = await (await createTrainer("tinker", services)).update(batch);
  expect(version).toBe(expected.version);
  // The step was done twice on the server, and counts once.
  expect(server.world.steps).toBe(3);
  expect(await weightsOf(lab, version)).toEqual({ steps: 2, last: expected.last });
  expect(await codeOf(trainer.update(batch))).toMatchObject({ code: "trainer.duplicate", data: { version } });
});

test("a trainer in another process that was sooner leaves the other one's update aside", async () => {
  const { lab, trainer } = await opened();
  const batch = await batchOf(lab);
  const other = await createTrainer("tinker", lab.services);
  const both = await Promise.allSettled([trainer.update(batch), other.update(batch)]);
  const [won] = both.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const [lost] = both.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  expect(lost).toMatchObject({ code: "trainer.duplicate", data: { version: won?.version } });
  expect((await weightsOf(lab, won?.version ?? "")).steps).toBe(1);
});

describe("what goes wrong for good says what to do", () => {
  test("a server that is gone", async () => {
    const { lab, trainer } = await opened();
    const batch = await batchOf(lab);
    await lab.server.close();
    const failure = await codeOf(trainer.update(batch));
    expect(failure.code).toBe("trainer.unreachable");
    expect(failure.message).toMatch(
      /^The training server at http:\/\/127\.0\.0\.1:\d+ can't be reached .*No version was changed\.$/,
    );
    expect(failure.fix).toContain("TINKER_BASE_URL");
  });

  test.each([
    ["refuses", { status: 403 }, "trainer.refused"],
    ["fails", { status: 400, body: { detail: "out of memory" } }, "trainer.refused"],
    ["does not speak the protocol", { status: 200, body: "hello" }, "trainer.bad-answer"],
    ["never gets well", { status: 503 }, "trainer.unreachable"],
  ] as const)("a server that %s, and the next update is done all the same", async (_what, fault, code) => {
    const { lab, trainer } = await opened({ fault: ({ path }) => (path === "optim_step" ? fault : null) });
    const batch = await batchOf(lab);
    expect(await codeOf(trainer.update(batch))).toMatchObject({ code });
    lab.server.setFault(undefined);
    const { version } = await trainer.update(batch);
    expect((await weightsOf(lab, version)).steps).toBe(1);
  });

  test("a checkpoint that the server no longer has", async () => {
    const { lab, trainer } = await opened();
    await trained(lab, trainer, 1);
    const batch = await batchOf(lab, 1);
    await trainer.close?.();
    vi.spyOn(lab.server.disk, "get").mockReturnValue(undefined);
    const failure = await codeOf(trainer.update(batch));
    expect(failure).toMatchObject({ code: "trainer.lost", data: { status: 404 } });
    expect(failure.fix).toContain("checkpoint");
  });

  test("no address of a server, or one that holds a password", async () => {
    const lab = await tinkerLab({ tinker: { baseUrl: "" } });
    labs.push(lab);
    await expect(createTrainer("tinker", lab.services)).rejects.toMatchObject({ code: "provider.no-server" });
    vi.stubEnv("TINKER_BASE_URL", "http://me:hush-hush@127.0.0.1:1");
    const failure = await createTrainer("tinker", lab.services).catch((error: unknown) => error);
    expect(String(failure)).toContain("TINKER_API_KEY");
    expect(String(failure)).not.toContain("hush");
  });
});

test("an update that is aborted ends at once, and changed nothing", async () => {
  const { lab, trainer } = await opened({ fault: first("optim_step", "hang") });
  const batch = await batchOf(lab);
  const stop = new AbortController();
  const running = trainer.update(batch, stop.signal);
  running.catch(() => undefined);
  await expect.poll(() => lab.server.count("optim_step")).toBe(1);
  stop.abort(new Error("stopped by the test"));
  await expect(running).rejects.toThrow("stopped by the test");
  expect((await lab.services.store.policies.latest(toy))?.version).toBe(batch.policyVersion);
  const { version } = await trainer.update(batch);
  expect((await weightsOf(lab, version)).steps).toBe(1);
});
