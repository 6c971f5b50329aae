/** What people and processes do to a round: approve, cancel, drain, abort, resume, and what providers do to it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ProviderError, StoreError } from "../../config/errors.ts";
import { configSchema } from "../../config/schema.ts";
import { admitFile } from "../../graph/admit-file.ts";
import { cancelRound, createRound, decide, retire, runRound } from "../../graph/control.ts";
import { roundResult } from "../../graph/result.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { SkillAverages } from "../../store/records.ts";
import { numberSearch } from "../support/designs.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { roundOptionsOf, silent, testServices } from "../support/services.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, silent);
});
afterAll(() => sandbox.close());

test("a round waits for people, and goes on once all have decided", async () => {
  const services = await testServices({ model: scriptedModel(), sandbox });
  const { id } = await createRound(services, roundOptionsOf({ approve: true }), "tester");
  const waiting = await runRound(services, id);
  expect(waiting.status).toBe("waiting");
  expect((await services.store.episodes.ofRound(id)).length).toBe(0);
  const asked = await services.store.approvals.ofRound(id);
  expect(asked.length).toBeGreaterThanOrEqual(2);
  expect((await runRound(services, id)).status).toBe("waiting");

  const [first, ...others] = asked.map(({ environmentId }) => environmentId);
  const rejected = await decide(services, first ?? "", { status: "rejected", by: "Ann", reason: "too dull" });
  expect(rejected).toMatchObject({ mayGoOn: false, environment: { status: "rejected", reason: "too dull" } });
  for (const other of others.slice(0, -1))
    await decide(services, other, { status: "approved", by: "Ann", reason: null });

  // Two people at once: one decides, the other is told so.
  const last = others.at(-1) ?? "";
  const both = await Promise.allSettled(
    ["Ann", "Ben"].map((by) => decide(services, last, { status: "approved", by, reason: null })),
  );
  expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const lost = both.find((outcome) => outcome.status === "rejected");
  expect(lost?.reason).toMatchObject({ code: "input.conflict" });
  expect(both.find((outcome) => outcome.status === "fulfilled")?.value.mayGoOn).toBe(true);

  // Two who wake it at once: it is played once.
  const woken = await Promise.allSettled([runRound(services, id), runRound(services, id)]);
  const ended = woken.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value.status] : []));
  expect(ended).toContain("finished");
  const result = await roundResult(services.store, id);
  expect(result.status).toBe("finished");
  expect(result.environments.find((environment) => environment.id === first)?.plain.plays).toBe(0);
  expect(result.totals.episodes).toBe(others.length * 8);
  const audit = await services.store.audit.list({ limit: 100 });
  expect(audit.items.filter(({ what }) => what === "environment.approved")).toHaveLength(others.length);
  await services.close();
});

test("another process cancels a round, which notices at once", async () => {
  const started = Promise.withResolvers<void>();
  const hangs = scriptedModel({
    before: async (call) => {
      if (call.role !== "agent") return;
      started.resolve();
      await new Promise((_, reject) => {
        call.signal.addEventListener("abort", () => reject(call.signal.reason), { once: true });
      });
    },
  });
  const services = await testServices({ model: hangs, sandbox });
  const other = await testServices({ model: hangs, sandbox, dataDir: services.dataDir });
  const { id } = await createRound(services, roundOptionsOf(), "tester");
  const running = runRound(services, id);
  await started.promise;
  await expect(runRound(other, id)).rejects.toMatchObject({ code: "round.busy" });
  const cancelledAt = Date.now();
  await cancelRound(other, id, "Ann");
  const ended = await running;
  expect(Date.now() - cancelledAt).toBeLessThan(2_000);
  expect(ended.status).toBe("cancelled");
  expect((await runRound(other, id)).status).toBe("cancelled");
  await expect(cancelRound(other, id, "Ann")).rejects.toMatchObject({ code: "input.conflict" });
  expect(await services.store.leases.holder(`round:${id}`)).toBeNull();
  await other.close();
  await services.close();
});

test("cancelling a round that waits rejects what nobody decided about", async () => {
  const services = await testServices({ model: scriptedModel(), sandbox });
  const { id } = await createRound(services, roundOptionsOf({ approve: true }), "tester");
  await runRound(services, id);
  await cancelRound(services, id, "Ann");
  expect(await services.store.approvals.waiting()).toEqual([]);
  const result = await roundResult(services.store, id);
  expect(result.status).toBe("cancelled");
  expect(result.environments.every(({ status }) => status === "rejected")).toBe(true);
  await services.close();
});

test("an aborted round goes on where it stopped, and ends as if nothing had happened", async () => {
  const whole = await testServices({ model: scriptedModel(), sandbox });
  const unbroken = await createRound(whole, roundOptionsOf({ seed: 5 }), "tester");
  await runRound(whole, unbroken.id);
  const expected = await roundResult(whole.store, unbroken.id);

  for (const stage of ["design", "admit", "hint", "play"] as const) {
    const abort = new AbortController();
    const services = await testServices({
      model: scriptedModel(),
      sandbox,
      onEvent: (event) => {
        if (event.type === "stage" && event.stage === stage && event.done === 2) abort.abort();
      },
    });
    const { id } = await createRound(services, roundOptionsOf({ seed: 5 }), "tester");
    const stopped = await runRound(services, id, { signal: abort.signal });
    expect(stopped.status).toBe("running");
    const before = await services.store.episodes.ofRound(id);
    const resumed = await runRound(services, id);
    expect(resumed.status).toBe("finished");
    const after = new Map(
      (await services.store.episodes.ofRound(id)).map((episode) => [episode.id, episode]),
    );
    for (const episode of before) expect(after.get(episode.id)).toEqual(episode);
    const result = await roundResult(services.store, id);
    expect(result.totals).toEqual(expected.totals);
    expect(result.environments.map(({ regret, designerReward }) => [regret, designerReward])).toEqual(
      expected.environments.map(({ regret, designerReward }) => [regret, designerReward]),
    );
    await services.close();
  }
  await whole.close();
});

test("a drained round keeps what was in flight and starts nothing new", async () => {
  const drain = new AbortController();
  let calls = 0;
  const services = await testServices({
    model: scriptedModel({
      before: () => {
        calls += 1;
      },
    }),
    sandbox,
    config: { models: { ...configSchema.parse({}).models, concurrency: 2 } },
    onEvent: (event) => {
      if (event.type === "episode") drain.abort();
    },
  });
  const { id } = await createRound(services, roundOptionsOf({ plays: 8 }), "tester");
  const stopped = await runRound(services, id, { drain: drain.signal });
  expect(stopped.status).toBe("running");
  const before = await services.store.episodes.ofRound(id);
  expect(before.length).toBeGreaterThanOrEqual(1);
  expect(before.length).toBeLessThanOrEqual(4);
  const finished = await runRound(services, id);
  expect(finished.status).toBe("finished");
  // Nothing in flight was thrown away: every call that was made is counted in the result.
  expect(finished.totals?.modelCalls).toBe(calls);
  expect((await runRound(services, id)).status).toBe("finished");
  expect(finished.totals?.modelCalls).toBe(calls);
  await services.close();
});

test("a lost play is left out; an outage fails the round, which plays on when it is over", async () => {
  let down = false;
  let lost = 0;
  const services = await testServices({
    sandbox,
    model: scriptedModel({
      before: (call) => {
        if (call.role !== "agent") return;
        const first = call.messages.length === 2;
        if (down || (first && lost++ === 3)) {
          throw new ProviderError("provider.unreachable", "The provider does not answer.");
        }
      },
    }),
  });
  const single = await createRound(services, roundOptionsOf(), "tester");
  expect((await runRound(services, single.id)).status).toBe("finished");
  const result = await roundResult(services.store, single.id);
  const failed = result.environments.reduce(
    (sum, { plain, hinted }) => sum + plain.failed + hinted.failed,
    0,
  );
  expect(failed).toBe(1);
  expect(
    result.environments.some(({ plain, hinted }) => [...plain.returns, ...hinted.returns].includes(null)),
  ).toBe(true);

  down = true;
  const outage = await createRound(services, roundOptionsOf({ seed: 8 }), "tester");
  const broken = await runRound(services, outage.id);
  expect(broken).toMatchObject({ status: "failed", error: { code: "provider.unreachable" } });
  expect(await services.store.episodes.ofRound(outage.id)).toEqual([]);
  down = false;
  expect(await runRound(services, outage.id)).toMatchObject({ status: "finished", error: null });
  await services.close();
});

test("a file is admitted, measured with and without a person's hint, and retired", async () => {
  const services = await testServices({ model: scriptedModel(), sandbox });
  const bad = await admitFile(services, { source: "class X {", name: "x.js", language: "javascript" }, "Ann");
  expect(bad).toMatchObject({ id: "f1", status: "rejected", name: "X" });
  const source = numberSearch("Mine", 1_000, 10);
  const file = await admitFile(services, { source, name: "mine.js", language: "javascript" }, "Ann");
  expect(file).toMatchObject({ id: "f2", status: "admitted", name: "MineEnv", kind: "game" });

  const textId = await services.store.texts.put("Halve the interval each time.");
  await services.store.hints.insert({ id: "h1", environmentId: "f2", author: "Ann", textId, createdAt: 1 });
  const measure = roundOptionsOf({ mode: "measure", pool: ["f2"], plays: 6 });
  const { id } = await createRound(services, measure, "Ann");
  expect((await runRound(services, id)).status).toBe("finished");
  const [environment] = (await roundResult(services.store, id)).environments;
  expect(environment).toMatchObject({ id: "f2", hint: null, regret: null, designerReward: null });
  expect(environment?.plain.plays).toBe(6);
  expect(environment?.hinted.plays).toBe(0);
  expect(environment?.hintedHuman?.plays).toBe(6);
  expect(environment?.humanRegret).toBeGreaterThan(0);
  expect((await services.store.environments.get("f2"))?.score?.humanRegret).toBe(environment?.humanRegret);

  await retire(services, "f2", "Ann");
  await expect(retire(services, "f2", "Ann")).rejects.toMatchObject({ code: "input.conflict" });
  await expect(createRound(services, measure, "Ann")).rejects.toMatchObject({ code: "round.no-environment" });
  await services.close();
});

test("a skill's numbers count a round once, even if it fails between two skills", async () => {
  const numbers = async (failing: boolean) => {
    const services = await testServices({ model: scriptedModel(), sandbox });
    const { averages } = services.store;
    let puts = 0;
    const broken = new Proxy(services.store, {
      get: (store, key) =>
        key !== "averages"
          ? Reflect.get(store, key)
          : {
              get: averages.get,
              put: async (record: SkillAverages) => {
                puts += 1;
                if (failing && puts === 2) throw new StoreError("store.full", "The disk is full.");
                await averages.put(record);
              },
            },
    });
    const { id } = await createRound(services, roundOptionsOf({ seed: 5 }), "tester");
    const first = await runRound({ ...services, store: broken }, id);
    expect(first.status).toBe(failing ? "failed" : "finished");
    if (failing) expect(first.error?.code).toBe("store.full");
    expect((await runRound(services, id)).status).toBe("finished");
    const { environments } = await roundResult(services.store, id);
    const kept = await Promise.all(
      environments.flatMap(({ skill }) =>
        (["agent", "designer"] as const).map((role) => averages.get(role, skill ?? "")),
      ),
    );
    await services.close();
    return kept;
  };
  const whole = await numbers(false);
  expect(whole.some((record) => record !== null && record.count > 0)).toBe(true);
  expect(await numbers(true)).toEqual(whole);
});
