/** Versions of a policy: going back to one, following them, and how far two are apart. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadOrCreateEmbeddedPolicy } from "../../graph/models/embedded/policy-store.ts";
import { initialWeights, type PolicyWeights, serialiseWeights } from "../../graph/models/embedded/weights.ts";
import { apart } from "../../graph/policies/apart.ts";
import { pairedDifference } from "../../graph/policies/compare.ts";
import { lineageOf, originOf, policyOf } from "../../graph/policies/look-up.ts";
import { rollback } from "../../graph/policies/rollback.ts";
import { fractionInterval } from "../../graph/rewards/intervals.ts";
import { createEmbeddedTrainer } from "../../graph/trainers/embedded/trainer.ts";
import type { Store } from "../../store/store.ts";
import { embeddedLab } from "../support/embedded-lab.ts";
import type { TestServices } from "../support/services.ts";

let services: TestServices;
let first: string;

beforeEach(async () => {
  services = await embeddedLab();
  first = (await loadOrCreateEmbeddedPolicy(services.store, 1)).version;
});

afterEach(() => services.close());

function weightsWith(change: (weights: PolicyWeights) => void): PolicyWeights {
  const weights = initialWeights();
  change(weights);
  return weights;
}

/** A version as an update makes it. */
async function trained(version: string, skill: number): Promise<string> {
  const { store } = services;
  const parent = (await store.policies.latest("embedded"))?.version ?? null;
  const weights = weightsWith(({ agent }) => {
    agent.skill[0] = skill;
  });
  const inserted = await store.policies.insert({
    version,
    parent,
    provider: "embedded",
    weightsId: await store.texts.put(serialiseWeights(weights)),
    batchId: `batch of ${version}`,
    note: "trained",
    createdAt: 2,
  });
  expect(inserted).toBe(true);
  return version;
}

const batchOf = (policyVersion: string, id = "b1") => ({
  id,
  policyVersion,
  roundIds: ["r1"],
  agent: [],
  designer: [],
});

describe("a rollback", () => {
  test("is a new version with the old weights; the others stay, and the audit log says who", async () => {
    const { store } = services;
    const p1 = await trained("embedded-p1", 11);
    await trained("embedded-p2", 12);
    const before = (await store.policies.list("embedded", { limit: 10 })).items;
    const made = await rollback(services, p1, "ada");
    expect(made).toMatchObject({ parent: "embedded-p2", restores: p1, provider: "embedded" });
    expect(made.version).toMatch(/^embedded-[0-9a-f]{12}$/);
    const newest = await loadOrCreateEmbeddedPolicy(store, 3);
    expect(newest.version).toBe(made.version);
    expect(newest.weights.agent.skill[0]).toBe(11);
    expect((await store.policies.list("embedded", { limit: 10 })).items).toEqual([made, ...before]);
    expect((await store.audit.list({ limit: 1 })).items).toMatchObject([
      { who: "ada", what: "policy.rollback", subject: made.version, detail: `embedded-p2 → ${p1}` },
    ]);
    // And back again: what was rolled back is not lost.
    const undone = await rollback(services, "embedded-p2", "ada");
    expect((await loadOrCreateEmbeddedPolicy(store, 4)).weights.agent.skill[0]).toBe(12);
    expect(undone.version).not.toBe(made.version);
  });

  test("is refused for a version that there is not, and for weights that are the newest already", async () => {
    await trained("embedded-p1", 11);
    const refusal = (version: string) => expect(rollback(services, version, "ada")).rejects;
    await refusal("embedded-nope").toMatchObject({ code: "input.not-found" });
    await refusal("embedded-p1").toMatchObject({ code: "input.conflict" });
    await rollback(services, first, "ada");
    await refusal(first).toMatchObject({ code: "input.conflict" });
    expect((await services.store.policies.list("", { limit: 10 })).items).toHaveLength(3);
  });

  test("makes what was played before it stale, and an update that it overtakes", async () => {
    const { store } = services;
    const p1 = await trained("embedded-p1", 11);
    const overtaken: Store = {
      ...store,
      policies: {
        ...store.policies,
        insert: async (record) => {
          await rollback(services, first, "ada");
          return store.policies.insert(record);
        },
      },
    };
    const update = createEmbeddedTrainer({ store: overtaken, now: () => 3 }).update(batchOf(p1));
    await expect(update).rejects.toMatchObject({ code: "trainer.stale" });
    const newest = await store.policies.latest("embedded");
    expect(newest?.restores).toBe(first);
    const late = createEmbeddedTrainer({ store, now: () => 3 }).update(batchOf(p1, "b2"));
    await expect(late).rejects.toMatchObject({ code: "trainer.stale", data: { newest: newest?.version } });
    // What the restored version plays from now on trains it.
    const next = await createEmbeddedTrainer({ store, now: () => 3 }).update(
      batchOf(newest?.version ?? "", "b3"),
    );
    expect(next.parent).toBe(newest?.version);
  });

  test("brings the updates of what it restores, and not those between", async () => {
    const { store } = services;
    const p1 = await trained("embedded-p1", 11);
    await trained("embedded-p2", 12);
    await trained("embedded-p3", 13);
    const back = await rollback(services, p1, "ada");
    const after = await policyOf(store, await trained("embedded-p4", 14));
    expect(await lineageOf(store, await policyOf(store, "embedded-p3"))).toEqual({
      ancestors: 3,
      updates: 3,
    });
    expect(await lineageOf(store, back)).toEqual({ ancestors: 4, updates: 1 });
    expect(await lineageOf(store, after)).toEqual({ ancestors: 5, updates: 2 });
    expect([await policyOf(store, first), after, back].map(originOf)).toEqual([
      "untrained",
      "update",
      "rollback",
    ]);
  });
});

describe("two versions", () => {
  test("are no way apart where they are equal", () => {
    const { agent, designer, skill, mechanics, size } = apart(initialWeights(), initialWeights(), 25);
    expect([agent, designer]).toEqual([0, 0]);
    expect(skill.every(({ a, b }) => a === b)).toBe(true);
    expect(mechanics.reduce((sum, { a }) => sum + a, 0)).toBeCloseTo(1, 9);
    expect(size.a).toBe(size.b);
    expect(size.a).toBeGreaterThan(1);
    expect(size.a).toBeLessThan(16);
  });

  test("are apart by the length of their difference, in skills, mechanics and sizes", () => {
    const changed = weightsWith(({ agent, designer }) => {
      agent.skill[0] = (agent.skill[0] ?? 0) + 3;
      agent.bias[1] = (agent.bias[1] ?? 0) - 4;
      // Games lean to one mechanic, whatever their skill, and to the largest sizes.
      designer["mechanic/game|bias"] = [0, 5];
      designer["size|bias"] = Array.from({ length: 16 }, (_, i) => i);
    });
    const { agent, designer, skill, mechanics, size } = apart(initialWeights(), changed, 25);
    expect(agent).toBeCloseTo(5, 9);
    expect(designer).toBeCloseTo(Math.sqrt(25 + 1240), 9);
    expect(skill[0]).toMatchObject({ strategy: "random" });
    expect((skill[0]?.b ?? 0) - (skill[0]?.a ?? 0)).toBeCloseTo(3, 9);
    const [most] = mechanics;
    expect((most?.b ?? 0) - (most?.a ?? 0)).toBeGreaterThan(0.2);
    expect(size.b).toBeGreaterThan(size.a + 2);
  });

  test("are compared environment by environment, those that failed for our own reasons left out", () => {
    const play = (index: number, value: number | null) => ({
      index,
      mechanic: "m",
      return: value,
      success: value === 1,
      turns: 1,
    });
    const a = { plays: [play(0, 1), play(1, 0), play(2, 0), play(3, null), play(4, 0)] };
    const b = { plays: [play(0, 1), play(1, 1), play(2, 1), play(3, 1), play(5, 1)] };
    const difference = pairedDifference(a, b, ({ success }) => (success ? 1 : 0));
    // Differences 0, 1, 1: mean 2/3, deviation √(1/3), t for two degrees of freedom 4.303.
    const half = 4.303 * Math.sqrt(1 / 3 / 3);
    expect(difference.pairs).toBe(3);
    expect(difference.mean).toBeCloseTo(2 / 3, 9);
    expect(difference.low).toBeCloseTo(2 / 3 - half, 9);
    expect(difference.high).toBeCloseTo(2 / 3 + half, 9);
    const nothing = pairedDifference({ plays: [] }, b, () => 0);
    expect(nothing).toEqual({ mean: null, low: null, high: null, pairs: 0 });
  });
});

test.each([
  // Worked out apart from this program, by the formula of the Wilson score interval.
  [0.5, 10, 0.236_593, 0.763_407],
  [0, 10, 0, 0.277_533],
  [1, 10, 0.722_467, 1],
  [0.2, 300, 0.158_657, 0.248_929],
])("the interval of %f over %i plays", (fraction, count, low, high) => {
  const interval = fractionInterval(fraction, count);
  expect(interval.low).toBeCloseTo(low, 5);
  expect(interval.high).toBeCloseTo(high, 5);
});

test("the interval of nothing is everything", () => {
  expect(fractionInterval(0, 0)).toEqual({ low: 0, high: 1 });
});
