/** The embedded trainer: exact gradients, updates that do what their advantages say, and batches that count once. */
import { beforeAll, describe, expect, test } from "vitest";
import { createRound, runRound } from "../../graph/control.ts";
import { initialWeights, type PolicyWeights } from "../../graph/models/embedded/weights.ts";
import { gatherBatch } from "../../graph/trainers/batch.ts";
import { clipped, spadeClip } from "../../graph/trainers/clip.ts";
import {
  type AgentExample,
  agentExample,
  agentLogprobs,
  agentObjective,
} from "../../graph/trainers/embedded/agent-objective.ts";
import { designerLogprobs, designerObjective } from "../../graph/trainers/embedded/designer-objective.ts";
import { createEmbeddedTrainer } from "../../graph/trainers/embedded/trainer.ts";
import { defaultSettings, updatedPolicy } from "../../graph/trainers/embedded/update.ts";
import type { Batch } from "../../graph/trainers/trainer.ts";
import { embeddedLab } from "../support/embedded-lab.ts";
import { roundOptionsOf, type TestServices } from "../support/services.ts";

let services: TestServices;
let batch: Batch;
const before: PolicyWeights = initialWeights();
const noClip = { low: 0, high: Number.POSITIVE_INFINITY };

beforeAll(async () => {
  services = await embeddedLab();
  const options = roundOptionsOf({ envs: 6, plays: 4, seed: 11, model: "embedded" });
  const { id } = await createRound(services, options, "tester");
  expect((await runRound(services, id)).status).toBe("finished");
  batch = await gatherBatch(services.store, { roundIds: [id], groups: "cross-arm" });
  return () => services.close();
}, 60_000);

const examplesOf = (): AgentExample[] => batch.agent.map(agentExample).filter((one) => one !== null);

describe("a batch", () => {
  test("holds both roles, from one version, and is the same each time", async () => {
    expect(batch.agent.length).toBeGreaterThan(10);
    expect(batch.designer.length).toBeGreaterThan(2);
    expect(new Set(batch.agent.map(({ prompt }) => prompt))).toEqual(new Set(["plain", "hinted"]));
    const again = await gatherBatch(services.store, { roundIds: batch.roundIds, groups: "cross-arm" });
    expect(again).toEqual(batch);
    const plain = await gatherBatch(services.store, { roundIds: batch.roundIds, groups: "plain" });
    expect(plain.id).not.toBe(batch.id);
    expect(plain.agent.every(({ prompt }) => prompt === "plain")).toBe(true);
  });

  test("holds the log-probabilities that its decisions were made with", () => {
    for (const trajectory of batch.agent.filter(({ prompt, episodeId }) =>
      episodeId.includes(`.${prompt}.`),
    )) {
      const example = agentExample(trajectory);
      if (example === null) throw new Error("an example is missing");
      const { strategy, careful, careless } = agentLogprobs(before.agent, example);
      for (const decision of trajectory.decisions.flat()) {
        const own =
          decision.site === "strategy" ? strategy : decision.choice === "careful" ? careful : careless;
        expect(own).toBeCloseTo(decision.logprob, 9);
      }
    }
    for (const trajectory of batch.designer) {
      const own = designerLogprobs(trajectory, before.designer);
      for (const { site, logprob } of trajectory.decisions) expect(own.get(site)).toBeCloseTo(logprob, 9);
    }
  });
});

test("a batch prefers the best of a group to the worst, and holds no designs but those it is given", async () => {
  const { store } = services;
  for (const own of Map.groupBy(batch.agent, ({ groupId }) => groupId).values()) {
    const returns = await Promise.all(
      own.map(async ({ episodeId }) => (await store.episodes.get(episodeId))?.return ?? 0),
    );
    const at = (value: number) => own[returns.indexOf(value)]?.advantage ?? Number.NaN;
    expect(at(Math.max(...returns))).toBeGreaterThan(0);
    expect(at(Math.min(...returns))).toBeLessThan(0);
  }
  const from = { roundIds: batch.roundIds, groups: "cross-arm" } as const;
  expect((await gatherBatch(store, { ...from, designs: [] })).designer).toEqual([]);
  const environmentId = batch.designer[0]?.environmentId ?? "";
  const { designer } = await gatherBatch(store, { ...from, designs: [{ environmentId, advantage: -3 }] });
  expect(designer).toEqual([{ ...batch.designer[0], advantage: -3 }]);
});

describe("the gradient", () => {
  const step = 1e-5;

  test("of the agent is that of finite differences, also away from where the batch was made", () => {
    const examples = examplesOf();
    const old = examples.map((example) => agentLogprobs(before.agent, example));
    const moved = updatedPolicy(before, { agent: batch.agent, designer: [] }).weights.agent;
    for (const [weights, clip] of [
      [before.agent, spadeClip],
      [moved, noClip],
    ] as const) {
      const { gradient } = agentObjective(weights, examples, old, clip);
      const value = (changed: typeof weights) => agentObjective(changed, examples, old, clip).value;
      const by = (change: (copy: typeof weights, amount: number) => void): number => {
        const at = (amount: number) => {
          const copy = structuredClone(weights);
          change(copy, amount);
          return value(copy);
        };
        return (at(step) - at(-step)) / (2 * step);
      };
      for (let k = 0; k < weights.skill.length; k += 1) {
        const bySkill = by((copy, amount) => {
          copy.skill[k] = (copy.skill[k] ?? 0) + amount;
        });
        expect(bySkill).toBeCloseTo(gradient.skill[k] ?? 0, 6);
        const byBias = by((copy, amount) => {
          copy.bias[k] = (copy.bias[k] ?? 0) + amount;
        });
        expect(byBias).toBeCloseTo(gradient.bias[k] ?? 0, 6);
      }
      for (const [feature, column] of [...gradient.logits].slice(0, 20)) {
        const k = feature % column.length;
        const byLogit = by((copy, amount) => {
          const row = copy.logits[k] ?? [];
          row[feature] = (row[feature] ?? 0) + amount;
        });
        expect(byLogit).toBeCloseTo(column[k] ?? 0, 6);
      }
    }
  });

  test("of the designer is that of finite differences, entropy included", () => {
    const old = batch.designer.map((trajectory) => designerLogprobs(trajectory, before.designer));
    const options = { clip: noClip, entropyBonus: 0.2, widthOf: (_key: string, least: number) => least };
    const weights: Record<string, number[]> = structuredClone(before.designer);
    const objective = (changed: Record<string, number[]>) =>
      designerObjective(changed, batch.designer, old, options);
    const { gradient } = objective(weights);
    let checked = 0;
    for (const [key, list] of [...gradient].filter((_entry, at) => at % 7 === 0)) {
      const i = list.findIndex((value) => Math.abs(value) > 1e-4);
      if (i < 0) continue;
      const at = (amount: number) => {
        const own = [...(weights[key] ?? list.map(() => 0))];
        while (own.length <= i) own.push(0);
        own[i] = (own[i] ?? 0) + amount;
        return objective({ ...weights, [key]: own }).value;
      };
      expect((at(step) - at(-step)) / (2 * step)).toBeCloseTo(list[i] ?? 0, 6);
      checked += 1;
    }
    expect(checked).toBeGreaterThan(5);
  });
});

describe("the clip", () => {
  test.each([
    [0, 2, 2, 2, false],
    [Math.log(1.2), 1, 1.2, 1.2, false],
    [Math.log(2), 1, 1.28, 0, true],
    [Math.log(0.5), -1, -0.8, 0, true],
    [Math.log(2), -1, -2, -2, false],
    [Math.log(0.5), 1, 0.5, 0.5, false],
  ])("of ln ρ = %d with A = %d is %d with slope %d", (logratio, advantage, value, slope, isClipped) => {
    const result = clipped(logratio, advantage, spadeClip);
    expect(result.value).toBeCloseTo(value, 12);
    expect(result.slope).toBeCloseTo(slope, 12);
    expect(result.isClipped).toBe(isClipped);
  });
});

describe("an update", () => {
  test("makes what did well likelier and what did badly less likely, and keeps within its bounds", () => {
    const { weights, statistics } = updatedPolicy(before, batch);
    const gained = examplesOf()
      .map((example) => {
        const now = agentLogprobs(weights.agent, example);
        const then = agentLogprobs(before.agent, example);
        return example.advantage * (now.strategy - then.strategy);
      })
      .reduce((sum, change) => sum + change, 0);
    expect(gained).toBeGreaterThan(0);
    for (const [k, theta] of weights.agent.skill.entries()) {
      expect(Math.abs(theta - (before.agent.skill[k] ?? 0))).toBeLessThanOrEqual(0.15 + 1e-12);
    }
    expect(statistics.agentTrajectories).toBe(batch.agent.length);
    expect(statistics.changed).toBeGreaterThan(0);
    expect(statistics.clipFraction).toBeGreaterThanOrEqual(0);
    expect(statistics.agentEntropy).toBeGreaterThan(0);
  });

  const anAgent = () => {
    const one = batch.agent.find(({ prompt, decisions }) => prompt === "plain" && decisions.length > 2);
    if (one === undefined) throw new Error("no play of some length");
    const example = agentExample(one);
    if (example === null) throw new Error("an example is missing");
    return { one, example };
  };

  test.each([1, -1])("with advantage %d moves both roles the way of its sign", (advantage) => {
    const { one, example } = anAgent();
    const [design] = batch.designer;
    if (design === undefined) throw new Error("no design");
    const { weights } = updatedPolicy(
      before,
      { agent: [{ ...one, advantage }], designer: [{ ...design, advantage }] },
      { ...defaultSettings, entropyBonus: 0 },
    );
    const then = agentLogprobs(before.agent, example).strategy;
    expect(Math.sign(agentLogprobs(weights.agent, example).strategy - then)).toBe(advantage);
    const old = designerLogprobs(design, before.designer);
    const now = designerLogprobs(design, weights.designer);
    const sites = [...old.keys()].filter((site) => site === "size" || site.startsWith("mechanic/"));
    expect(sites.length).toBeGreaterThan(1);
    const moved = sites.reduce((sum, site) => sum + (now.get(site) ?? 0) - (old.get(site) ?? 0), 0);
    expect(Math.sign(moved)).toBe(advantage);
  });

  test("of nothing changes nothing", () => {
    const { weights, statistics } = updatedPolicy(before, { agent: [], designer: [] });
    expect(weights).toEqual(before);
    expect(statistics).toMatchObject({ changed: 0, clipFraction: null, agentEntropy: null });
  });
});

describe("the trainer", () => {
  test("makes one version of a batch: a second time and a stale one are refused", async () => {
    const trainer = createEmbeddedTrainer({ store: services.store, now: Date.now });
    const { version, parent, statistics } = await trainer.update(batch);
    expect(parent).toBe(batch.policyVersion);
    expect(await services.store.policies.latest("embedded")).toMatchObject({
      version,
      parent,
      batchId: batch.id,
    });
    expect(statistics.agentTrajectories).toBe(batch.agent.length);
    await expect(trainer.update(batch)).rejects.toMatchObject({
      code: "trainer.duplicate",
      data: { version },
    });
    await expect(trainer.update({ ...batch, id: "another" })).rejects.toMatchObject({
      code: "trainer.stale",
    });
    const broken = { ...batch, id: "broken", policyVersion: version };
    await expect(
      trainer.update({ ...broken, designer: broken.designer.map((one) => ({ ...one, decisions: [] })) }),
    ).rejects.toMatchObject({ code: "trainer.bad-batch" });
  });

  test("refuses rounds that are not finished or not there", async () => {
    const { id } = await createRound(services, roundOptionsOf({ model: "embedded" }), "tester");
    for (const roundId of [id, "r99"]) {
      await expect(
        gatherBatch(services.store, { roundIds: [roundId], groups: "plain" }),
      ).rejects.toMatchObject({ code: "trainer.bad-batch" });
    }
  });
});
