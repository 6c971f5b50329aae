/** Rounds with the embedded policy: they repeat exactly, and keep what a trainer needs. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { composeServices } from "../../config/compose.ts";
import { configSchema } from "../../config/schema.ts";
import { createRound, runRound } from "../../graph/control.ts";
import { type RoundResult, roundResult } from "../../graph/result.ts";
import type { Services } from "../../graph/services.ts";
import { transcript } from "../../graph/transcript.ts";
import { roundOptionsOf, silent } from "../support/services.ts";

const directories: string[] = [];
const labs: Services[] = [];
const results: RoundResult[] = [];

beforeAll(async () => {
  for (let i = 0; i < 2; i += 1) {
    const dataDir = await mkdtemp(join(tmpdir(), "spadework-embedded-"));
    directories.push(dataDir);
    const services = await composeServices(configSchema.parse({ dataDir }), {
      log: silent,
      emit: () => undefined,
    });
    labs.push(services);
    // The second round of a lab is told what the first one found out.
    for (const seed of [21, 22]) {
      const options = roundOptionsOf({ model: "embedded", envs: 3, plays: 4, seed });
      const { id } = await createRound(services, options, "tester");
      expect((await runRound(services, id)).status).toBe("finished");
      results.push(await roundResult(services.store, id));
    }
  }
});
afterAll(async () => {
  for (const services of labs) await services.close();
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

test("the same seed and data give the same rounds", () => {
  const timeless = (result: RoundResult | undefined) => ({
    ...result,
    wallMs: 0,
    environments: result?.environments.map((environment) => ({
      ...environment,
      gates: environment.gates.map((gate) => ({ ...gate, ms: 0 })),
    })),
  });
  const [first, second, again, secondAgain] = results.map(timeless);
  expect(again).toEqual(first);
  expect(secondAgain).toEqual(second);
  expect(first?.environments?.some(({ status }) => status === "admitted")).toBe(true);
});

test("decisions, log-probabilities and the policy's version are on designs and episodes", async () => {
  const services = labs[0];
  if (services === undefined) throw new Error("no lab");
  const { items } = await services.store.environments.list({ roundId: "r1" }, { limit: 10 });
  expect(items).toHaveLength(3);
  for (const { designer } of items) {
    expect(designer.policyVersion).toMatch(/^embedded/);
    expect(designer.decisions?.length).toBeGreaterThan(0);
    for (const { logprob } of designer.decisions ?? []) expect(logprob).toBeLessThanOrEqual(0);
  }
  const [episode] = await services.store.episodes.ofRound("r1");
  expect(episode?.policyVersion).toBe(items[0]?.designer.policyVersion);
  const told = transcript.parse(JSON.parse(await services.store.texts.get(episode?.transcriptId ?? "")));
  expect(told.turns.flatMap(({ decisions }) => decisions ?? []).length).toBeGreaterThan(0);
});
