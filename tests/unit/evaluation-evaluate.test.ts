/** Evaluation in the real sandbox: what it counts, that it repeats exactly, and that it stops. */
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ProviderError } from "../../config/errors.ts";
import { configSchema } from "../../config/schema.ts";
import { type EvaluateOptions, evaluate } from "../../graph/evaluation/evaluate.ts";
import { type HeldOut, heldOutSet, setOf, spread } from "../../graph/evaluation/held-out-set.ts";
import type { Concept } from "../../graph/models/embedded/mechanics/concepts.ts";
import { heldOutMechanics } from "../../graph/models/embedded/mechanics/held-out/source.ts";
import { initialWeights } from "../../graph/models/embedded/weights.ts";
import type { Model } from "../../graph/models/model.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Failure, Sandbox } from "../../sandbox/sandbox.ts";
import { embeddedModel, masterOf } from "../support/embedded-play.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, pino({ level: "silent" }));
});
afterAll(async () => {
  await sandbox.close();
});

const untrained = embeddedModel(initialWeights());
const limits = { turnCap: 25, contextTokens: 32_768, temperature: 0.6, maxOutputTokens: 8_192 };

function options(given: Partial<EvaluateOptions> = {}): EvaluateOptions {
  return { count: 30, seed: 7, concurrency: 4, limits, signal: new AbortController().signal, ...given };
}

/** The set's environments of one concept, three of them, as a set of their own. */
function ofConcept(concept: Concept) {
  const names = heldOutMechanics.filter((one) => one.concept === concept).map(({ name }) => name);
  return setOf(
    heldOutSet()
      .environments.filter(({ mechanic }) => names.includes(mechanic))
      .slice(-3),
  );
}

test("a player that knows one concept wins its environments and no others", async () => {
  const recall = embeddedModel(masterOf("recall"));
  const own = await evaluate(recall, sandbox, options({ set: ofConcept("recall") }));
  expect(own).toMatchObject({ success: 1, meanReturn: 1, episodes: 3, failed: 0, policyVersion: "test" });
  expect(own.perMechanic).toEqual([{ mechanic: "rehearsal", success: 1, meanReturn: 1, episodes: 3 }]);
  const others = await evaluate(recall, sandbox, options({ set: ofConcept("ratio") }));
  expect(others.success).toBe(0);
});

test("the same weights and seed give the same result, however many are played at once", async () => {
  const alone = await evaluate(untrained, sandbox, options({ concurrency: 1 }));
  expect(await evaluate(untrained, sandbox, options({ concurrency: 16 }))).toEqual(alone);
  expect(await evaluate(untrained, sandbox, options({ seed: 8 }))).not.toEqual(alone);

  expect(alone.setId).toBe(heldOutSet().id);
  expect(alone).toMatchObject({ episodes: 30, failed: 0 });
  expect(alone.plays.map(({ index }) => index)).toEqual(
    spread(heldOutSet().environments, 30).map(({ index }) => index),
  );
  const won = alone.plays.filter(({ success }) => success);
  expect(alone.success).toBeCloseTo(won.length / 30);
  expect(won.every((play) => play.return === 1)).toBe(true);
  // What it says of the mechanics adds up to what it says of all.
  const sum = alone.perMechanic.reduce((total, one) => total + one.success * one.episodes, 0);
  expect(sum).toBeCloseTo(won.length);
});

test("a smaller count plays a part of what a larger one plays, with the same outcomes", async () => {
  const [few, more] = [
    await evaluate(untrained, sandbox, options({ count: 10 })),
    await evaluate(untrained, sandbox, options({ count: 20 })),
  ];
  expect(few.plays).toHaveLength(10);
  expect(more.plays).toEqual(expect.arrayContaining([...few.plays]));
});

/** A sandbox that can't open the environments for which `broken` holds. */
function failing(broken: (one: HeldOut) => boolean): Pick<Sandbox, "open"> {
  const sources = new Set(
    heldOutSet()
      .environments.filter(broken)
      .map(({ source }) => source),
  );
  const failure: Failure = {
    verdict: "sandbox-failed",
    call: "open",
    turn: 0,
    detail: "No host could be started.",
  };
  return {
    open: async (source, open) => (sources.has(source) ? { ok: false, failure } : sandbox.open(source, open)),
  };
}

test("plays that we lose are left out and counted, and an outage is an error", async () => {
  const whole = await evaluate(untrained, sandbox, options());
  const broken = whole.plays[3]?.index ?? 0;
  const one = await evaluate(
    untrained,
    failing(({ index }) => index === broken),
    options(),
  );
  expect(one).toMatchObject({ episodes: 29, failed: 1 });
  const rest = whole.plays.filter(({ index }) => index !== broken);
  expect(one.success).toBeCloseTo(rest.filter(({ success }) => success).length / 29);
  expect(one.plays[3]).toMatchObject({ index: broken, return: null, success: false });

  await expect(
    evaluate(
      untrained,
      failing(() => true),
      options(),
    ),
  ).rejects.toThrow("The sandbox failed 8 plays in a row");
  const refusing: Model = {
    name: "refusing",
    call: async () => {
      throw new ProviderError("provider.unreachable", "There is nobody there.");
    },
  };
  await expect(evaluate(refusing, sandbox, options())).rejects.toThrow("There is nobody there.");
});

test("it stops when it is aborted, and leaves no environment open", async () => {
  const stop = new AbortController();
  const reason = new Error("enough");
  let calls = 0;
  const stopping: Model = {
    name: "stopping",
    call: (call) => {
      calls += 1;
      if (calls === 20) stop.abort(reason);
      return untrained.call(call);
    },
  };
  const evaluation = evaluate(stopping, sandbox, options({ count: 300, signal: stop.signal }));
  await expect(evaluation).rejects.toBe(reason);
  expect(calls).toBeLessThan(60);
  expect(sandbox.stats()).toMatchObject({ live: 0, waiting: 0 });
});
