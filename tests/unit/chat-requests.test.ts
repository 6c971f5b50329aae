/** What people are shown of what they asked for, and what their hints are worth. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { environmentButtons } from "../../bot/cards/environment-card.ts";
import { liftText } from "../../bot/cards/lift.ts";
import { requestCard } from "../../bot/cards/request-card.ts";
import { envRequest } from "../../bot/commands/env-request.ts";
import { parseOptions } from "../../bot/commands/option.ts";
import { configSchema } from "../../config/schema.ts";
import { cancelRound, createRound, runRound } from "../../graph/control.ts";
import { addDocuments } from "../../graph/corpus/documents.ts";
import { humanLift, type Play } from "../../graph/rewards/statistics.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { anEnvironment } from "../contract/store-records.ts";
import { answerWith, numberSearch } from "../support/designs.ts";
import { drawn } from "../support/memory-room.ts";
import { type Script, scriptedModel } from "../support/scripted-model.ts";
import { roundOptionsOf, silent, type TestServices, testServices } from "../support/services.ts";

const play = (index: number, got: number | null, seed = index): Play => ({
  roundId: "r1",
  index,
  seed,
  return: got,
});

describe("a person's hint", () => {
  it("is worth the paired difference of returns, with its standard error", () => {
    const lift = humanLift([play(0, 1), play(1, 1), play(2, 0.5)], [play(0, 0), play(1, 1), play(2, 0.5)]);
    // Differences 1, 0, 0: mean 1/3, standard deviation 0.577, over the root of 3.
    expect(lift.mean).toBeCloseTo(1 / 3);
    expect(lift.stderr).toBeCloseTo(1 / 3);
  });

  it("is compared by means where the two arms share no play", () => {
    const lift = humanLift([play(0, 1), play(1, 0)], [play(8, 0), play(9, 0.5)]);
    expect(lift.mean).toBeCloseTo(0.25);
    expect(lift.stderr).toBeCloseTo(Math.hypot(0.5, 0.25));
    expect(humanLift([play(0, 1)], [play(8, 0.25)])).toEqual({ mean: 0.75, stderr: null });
    expect(humanLift([], [play(0, 1)])).toEqual({ mean: null, stderr: null });
    expect(humanLift([play(0, null)], [play(8, 1)])).toEqual({ mean: null, stderr: null });
  });

  it("is said in words", () => {
    expect(liftText({ humanLift: 0.25, humanLiftStderr: 0.125 })).toBe(
      "A person's hint returns 0.25 ±0.13 more than its designer's.",
    );
    expect(liftText({ humanLift: -0.5, humanLiftStderr: null })).toBe(
      "A person's hint returns 0.50 less than its designer's.",
    );
    expect(liftText({ humanLift: 0.001, humanLiftStderr: 0.1 })).toContain("as much as");
    expect(liftText({ humanLift: null, humanLiftStderr: null })).toBeNull();
  });
});

describe("an environment's buttons", () => {
  it("are all of them while it is admitted, and its source afterwards", () => {
    const labels = (status: "admitted" | "retired", sourceId: string | null = "0".repeat(64)): string[] =>
      environmentButtons(anEnvironment({ id: "e1", status, sourceId })).map(({ label }) => label);
    expect(labels("admitted")).toEqual(["Play", "Add hint", "Measure", "Source", "Retire"]);
    expect(labels("retired")).toEqual(["Source"]);
    expect(labels("retired", null)).toEqual([]);
    const hint = environmentButtons(anEnvironment({ id: "e1" }))[1];
    expect(hint).toMatchObject({ command: "hint add", options: { id: "e1" }, ask: ["text"] });
  });
});

describe("the card of a request", () => {
  let sandbox: Sandbox;
  let services: TestServices;
  let script: Script;

  beforeAll(async () => {
    sandbox = await createSandbox(configSchema.parse({ sandbox: { hosts: 1 } }).sandbox, silent);
  });
  afterAll(() => sandbox.close());
  beforeEach(async () => {
    script = {};
    services = await testServices({
      model: scriptedModel({ design: (call, repairs) => script.design?.(call, repairs) ?? "" }),
      sandbox,
    });
    return () => services.close();
  });

  const ask = async (documentIds: string[] = []) => {
    const brief = "a game about numbers";
    const options = roundOptionsOf({ envs: 1, plays: 2, brief, kind: "game", documentIds });
    return (await createRound(services, options, "Ada")).id;
  };

  it("shows the environment that came of it", async () => {
    script = { design: () => answerWith(numberSearch("Asked", 900, 10)) };
    const shown = await requestCard(services, await runRound(services, await ask()));
    expect(shown.title).toBe("r1-1 AskedEnv: admitted");
    expect(drawn(shown)).toContain("a game about numbers");
    expect(drawn(shown)).toContain("A number between 1 and 900 is hidden.");
    expect(drawn(shown)).toMatch(/plain\s+.*over 2 plays/);
    expect(drawn(shown)).toMatch(/gates passed\s+parse, contract/);
    expect(drawn(shown)).toMatch(/not judged\s+review/);
    expect(shown.files).toMatchObject([{ name: "AskedEnv.js" }]);
    expect(shown.buttons.map(({ label }) => label)).toEqual([
      "Play",
      "Add hint",
      "Run a round",
      "Source",
      "Retire",
    ]);
    expect(shown.buttons[2]).toMatchObject({ command: "round", options: { pool: "r1-1" } });
  });

  it("says why nothing came of it, and offers to try again", async () => {
    script = { design: () => answerWith("class AskedEnv { reset() { return 7; } step() {} }") };
    const shown = await requestCard(services, await runRound(services, await ask()));
    expect(shown.title).toBe("r1-1 AskedEnv: rejected");
    expect(shown.tone).toBe("bad");
    expect(drawn(shown)).toMatch(/What was designed did not pass\. \w+: /);
    expect(shown.files).toMatchObject([{ name: "AskedEnv.js" }]);
    expect(shown.buttons).toMatchObject([
      { label: "Try again", command: "env request", options: { brief: "a game about numbers" } },
      { label: "Change the brief", ask: ["brief"], chatOnly: true },
      { label: "Show it", command: "env show" },
    ]);
  });

  it("offers the same again: kind, plays and documents as they were asked for", async () => {
    const ids = [];
    for (const name of ["a.txt", "b.txt"]) {
      const file = { name, bytes: Buffer.from(`Words of ${name}.`) };
      ids.push(...(await addDocuments(services, file, "Ada")).documentIds);
    }
    const shown = await requestCard(services, await cancelRound(services, await ask(ids), "Ada"));
    const raw = shown.buttons[0]?.options ?? {};
    expect(raw).toEqual({ brief: "a game about numbers", kind: "game", plays: 2, ground: ids.join(" ") });
    expect(parseOptions(envRequest.options, raw, "discord")).toMatchObject({ ground: ids, plays: 2 });
  });

  it("says why where there was no code at all", async () => {
    script = { design: () => "I would rather not." };
    const shown = await requestCard(services, await runRound(services, await ask()));
    expect(shown.title).toContain("rejected");
    expect(shown.files).toEqual([]);
    expect(drawn(shown)).toContain("did not pass");
  });

  it("of a round that was cancelled offers to ask again", async () => {
    const id = await ask();
    const shown = await requestCard(services, await cancelRound(services, id, "Ada"));
    expect(shown.title).toBe("Round r1: cancelled");
    expect(shown.buttons.map(({ label }) => label)).toEqual(["Try again", "Change the brief"]);
  });
});
