/** Versions of a policy on the command line: a campaign makes them, people compare them and go back to one. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { composeServices } from "../../config/compose.ts";
import { configSchema } from "../../config/schema.ts";
import { createRound, runRound } from "../../graph/control.ts";
import { rollback } from "../../graph/policies/rollback.ts";
import { gatherBatch } from "../../graph/trainers/batch.ts";
import { createTrainer } from "../../graph/trainers/create.ts";
import { errorDocument } from "../support/command-line.ts";
import { runInside } from "../support/inside.ts";
import { roundOptionsOf, silent } from "../support/services.ts";

const timeout = 120_000;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "spadework-policies-"));
  const options = ["--rounds", "2", "--envs", "2", "--plays", "4", "--every", "1", "--seed", "5"];
  const evaluated = ["--evaluate-every", "2", "--evaluations", "4"];
  const { code, stderr } = await inside("campaign", "start", ...options, ...evaluated);
  expect({ code, stderr }).toMatchObject({ code: 0 });
}, timeout);

afterAll(() => rm(dataDir, { recursive: true }));

const inside = (...words: string[]) => runInside([...words, "--data", dataDir]);

async function json<T>(schema: z.ZodType<T>, code: number, ...words: string[]): Promise<T> {
  const ended = await inside(...words, "--json");
  expect(ended).toMatchObject({ code });
  return schema.parse(JSON.parse(ended.stdout));
}

const policy = z.object({
  version: z.string(),
  model: z.string(),
  newest: z.boolean(),
  origin: z.enum(["untrained", "update", "rollback"]),
  parent: z.string().nullable(),
  restores: z.string().nullable(),
});
const list = z.object({ policies: z.array(policy) });
const listed = async () => (await json(list, 0, "policy", "list")).policies;

async function newest(): Promise<string> {
  return (await listed())[0]?.version ?? "";
}

async function oldest(): Promise<string> {
  return (await listed()).at(-1)?.version ?? "";
}

describe("versions of a policy", () => {
  it("are listed newest first, with what made them", async () => {
    const versions = await listed();
    expect(versions.map(({ origin }) => origin)).toEqual(["update", "update", "untrained"]);
    expect(versions.map((one) => one.newest)).toEqual([true, false, false]);
    expect(versions.map(({ parent }) => parent)).toEqual([
      ...versions.slice(1).map(({ version }) => version),
      null,
    ]);
    expect((await inside("policy", "list", "--model", "nobody")).stdout).toContain("There are none yet");
  });

  it("are shown with what they learnt and where they played", async () => {
    const [, second] = await listed();
    const shown = await json(
      z.object({
        updates: z.number(),
        ancestors: z.number(),
        rounds: z.array(z.string()),
        evaluations: z.array(z.object({ campaignId: z.string(), success: z.number() })),
        skill: z.array(z.object({ strategy: z.string(), skill: z.number() })),
      }),
      0,
      "policy",
      "show",
      second?.version ?? "",
    );
    expect(shown).toMatchObject({ updates: 1, ancestors: 1, rounds: ["c1r2"], evaluations: [] });
    expect(shown.skill.length).toBeGreaterThan(5);
    const { stdout } = await inside("policy", "show", await newest());
    expect(stdout).toContain("this is its newest version");
    expect(stdout).toMatch(/held-out, c1 after 2 +\d+\.\d % of 4/);
  });

  it(
    "are compared on the same held-out environments with the same draws",
    async () => {
      const side = z.object({ version: z.string(), success: z.number(), episodes: z.number() });
      const compared = z.object({
        a: side,
        b: side,
        difference: z.object({ mean: z.number(), low: z.number(), high: z.number(), pairs: z.number() }),
        apart: z.object({ agent: z.number(), designer: z.number() }),
      });
      const first = await oldest();
      const last = await newest();
      const words = ["policy", "compare", first, last, "--evaluations", "6"];
      const one = await json(compared, 0, ...words);
      expect([one.a.version, one.b.version]).toEqual([first, last]);
      expect(one.difference.pairs).toBe(6);
      expect(one.difference.mean).toBeCloseTo(one.b.success - one.a.success, 9);
      expect(one.apart.agent).toBeGreaterThan(0);
      // A version beside itself makes the same plays: its draws are keyed by the environments alone.
      const same = await json(compared, 0, "policy", "compare", last, last, "--evaluations", "6");
      expect(same.difference).toMatchObject({ mean: 0, low: 0, high: 0 });
      expect(same.apart).toMatchObject({ agent: 0, designer: 0 });
      expect(same.a.success).toBe(one.b.success);
    },
    timeout,
  );

  it("are refused where there is none of that name, and by chat's form where the number is none", async () => {
    for (const words of [
      ["show", "embedded-nope"],
      ["rollback", "embedded-nope"],
      ["compare", "embedded-nope", await newest()],
    ]) {
      const { error } = await json(errorDocument, 2, "policy", ...words);
      expect(error).toMatchObject({ code: "input.not-found" });
      expect(error.message).toContain("policy list");
    }
    expect((await inside("policy", "compare", "a", "b", "--evaluations", "0")).code).toBe(2);
  });
});

describe("who played", () => {
  it("is told by the round, its environments and its episodes", async () => {
    const [, , first] = await listed();
    const version = first?.version ?? "";
    const round = await json(
      z.object({ policyVersion: z.string(), environments: z.array(z.object({ id: z.string() })) }),
      0,
      "resume",
      "c1r1",
    );
    expect(round.policyVersion).toBe(version);
    const episodes = await json(
      z.object({ episodes: z.array(z.object({ id: z.string(), policyVersion: z.string() })) }),
      0,
      "episodes",
      "c1r1",
    );
    expect(new Set(episodes.episodes.map(({ policyVersion }) => policyVersion))).toEqual(new Set([version]));
    const id = episodes.episodes[0]?.id ?? "";
    expect((await inside("episode", id)).stdout).toMatch(new RegExp(`^policy +${version}$`, "m"));
    const environment = await json(
      z.object({
        designer: z.object({ policyVersion: z.string() }),
        modelsPlays: z.array(z.object({ policyVersion: z.string(), plays: z.number() })),
      }),
      0,
      "env",
      "show",
      id.split(".")[1] ?? "",
    );
    expect(environment).toMatchObject({
      designer: { policyVersion: version },
      modelsPlays: [{ policyVersion: version, plays: 8 }],
    });
  });
});

describe("a rollback", () => {
  it("makes a version more, tells the audit log, and refuses to be made twice", async () => {
    const first = await oldest();
    const before = await listed();
    const made = await json(policy, 0, "policy", "rollback", first);
    expect(made).toMatchObject({ newest: true, origin: "rollback", restores: first });
    expect(made.parent).toBe(before[0]?.version);
    expect(await listed()).toHaveLength(before.length + 1);
    const { error } = await json(errorDocument, 3, "policy", "rollback", first);
    expect(error.code).toBe("input.conflict");
    expect((await inside("audit")).stdout).toContain("policy.rollback");
  });

  it(
    "lets a round that began before it go on with the version that it is pinned to, and nothing learn from that",
    async () => {
      const config = configSchema.parse({ dataDir, sandbox: { hosts: 1 } });
      const services = await composeServices(config, { log: silent, emit: () => {} });
      try {
        const { store } = services;
        const pinned = (await store.policies.latest("embedded"))?.version ?? "";
        const asked = roundOptionsOf({ envs: 2, plays: 2, model: "embedded", seed: 5 });
        const { id } = await createRound(services, asked, "tester");
        const [, , trained] = (await store.policies.list("embedded", { limit: 3 })).items;
        const made = await rollback(services, trained?.version ?? "", "tester");
        expect((await runRound(services, id)).status).toBe("finished");
        const episodes = await store.episodes.ofRound(id);
        expect(episodes.length).toBeGreaterThan(0);
        expect(episodes.every(({ policyVersion }) => policyVersion === pinned)).toBe(true);
        const batch = await gatherBatch(store, { roundIds: [id], groups: "plain" });
        const trainer = await createTrainer("embedded", services);
        await expect(trainer.update(batch)).rejects.toMatchObject({ code: "trainer.stale" });
        expect((await store.policies.latest("embedded"))?.version).toBe(made.version);
      } finally {
        await services.close();
      }
    },
    timeout,
  );
});

describe("the chart of a campaign", () => {
  it("is written to a file, as PNG or SVG by its name", async () => {
    const png = join(dataDir, "deep", "c1.png");
    const { stdout } = await inside("campaign", "chart", "c1", "--out", png);
    expect(stdout).toContain("Campaign c1 after 2 of 2 rounds: held-out success");
    expect(readFileSync(png).subarray(1, 4).toString("latin1")).toBe("PNG");
    const svg = join(dataDir, "c1.svg");
    expect((await inside("campaign", "chart", "c1", "--out", svg)).code).toBe(0);
    expect(readFileSync(svg, "utf8")).toContain("held-out success</text>");
  });

  it("is refused for other names, for campaigns that there are not, and where nothing can be written", async () => {
    expect((await inside("campaign", "chart", "c1", "--out", "c1.jpg")).code).toBe(2);
    expect((await inside("campaign", "chart", "c9")).code).toBe(2);
    const blocked = join(dataDir, "spadework.db", "c1.png");
    const { code, stderr } = await inside("campaign", "chart", "c1", "--out", blocked);
    expect(code).toBe(2);
    expect(stderr).toContain("could not be written");
  });
});
