/** A self-play round from its options to its result, on the real store and the real sandbox. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { keyedSeed } from "../../config/random.ts";
import { configSchema } from "../../config/schema.ts";
import { createRound, runRound } from "../../graph/control.ts";
import { conversation } from "../../graph/conversation.ts";
import { playSeed } from "../../graph/instance-seed.ts";
import { lessons } from "../../graph/lessons.ts";
import type { ModelCall } from "../../graph/models/model.ts";
import { roundResult, roundResultSchema } from "../../graph/result.ts";
import { transcript } from "../../graph/transcript.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { RoundOptions } from "../../store/records.ts";
import { answerWith, ledger, numberSearch, switches } from "../support/designs.ts";
import { playByRules, type Script, scriptedModel, someDesign } from "../support/scripted-model.ts";
import { roundOptionsOf, silent, type TestServices, testServices } from "../support/services.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, silent);
});
afterAll(() => sandbox.close());

async function played(script: Script, options: Partial<RoundOptions> = {}) {
  const services = await testServices({ model: scriptedModel(script), sandbox });
  const { id } = await createRound(services, roundOptionsOf(options), "tester");
  const record = await runRound(services, id);
  return { services, id, record, result: await roundResult(services.store, id) };
}

/** What must be the same whenever a round is repeated: everything but times. */
function timeless(result: Awaited<ReturnType<typeof roundResult>>) {
  return {
    ...result,
    wallMs: 0,
    environments: result.environments.map((environment) => ({
      ...environment,
      gates: environment.gates.map((gate) => ({ ...gate, ms: 0 })),
    })),
  };
}

test("a round designs, admits, hints, plays both arms and scores them", async () => {
  const { services, id, record, result } = await played({}, { envs: 4, plays: 4 });
  expect(record.status).toBe("finished");
  expect(roundResultSchema.parse(result)).toEqual(result);
  expect(result.environments).toHaveLength(4);
  const admitted = result.environments.filter(({ status }) => status === "admitted");
  expect(admitted.length).toBeGreaterThanOrEqual(2);
  for (const environment of admitted) {
    expect(environment.gates).toHaveLength(13);
    expect(environment.hint).not.toBeNull();
    expect(environment.plain.plays).toBe(4);
    expect(environment.hinted.plays).toBe(4);
    expect(environment.regret).toBeCloseTo(
      (environment.hinted.meanReturn ?? 0) - (environment.plain.meanReturn ?? 0),
    );
    expect(environment.designerReward).not.toBeNull();
    expect(environment.hintedHuman).toBeNull();
  }

  const episodes = await services.store.episodes.ofRound(id);
  expect(episodes).toHaveLength(admitted.length * 8);
  for (const episode of episodes) {
    const slot = Number(episode.environmentId.split("-")[1]) - 1;
    expect(episode.seed).toBe(playSeed(7, slot, episode.index, 1));
    const told = transcript.parse(JSON.parse(await services.store.texts.get(episode.transcriptId)));
    expect(told.turns).toHaveLength(episode.turns);
    expect(told.firstObservation.includes("<hint>")).toBe(episode.arm === "hinted");
  }

  expect(result.totals.episodes).toBe(episodes.length);
  expect(result.totals.steps).toBe(episodes.reduce((sum, episode) => sum + episode.turns, 0));
  const designed = await services.store.environments.list({ roundId: id }, { limit: 10 });
  const designerCalls = designed.items
    .flatMap(({ designer }) => Object.values(designer.usage ?? {}))
    .reduce((sum, usage) => sum + usage.calls, 0);
  // Two calls for what needed no repair: its design and its hint.
  expect(designerCalls).toBeGreaterThanOrEqual(admitted.length * 2);
  expect(result.totals.modelCalls).toBe(result.totals.steps + designerCalls);

  const written = lessons.parse(JSON.parse(await services.store.texts.get(record.lessonsId ?? "")));
  expect(written.keptGroups + written.droppedGroups).toBe(admitted.length);
  expect(result.totals.droppedGroups).toBe(written.droppedGroups);
  expect(written.designer).toHaveLength(4);

  const remembered = await services.store.environments.get(admitted[0]?.id ?? "");
  expect(remembered?.score?.plain.returns).toEqual(admitted[0]?.plain.returns);
  await services.close();
});

test("every scored plain play weighs the designer's advantage, with or without a spread in its group", async () => {
  // One mechanic is never played rightly, so that its group teaches the agent nothing.
  const play = (call: ModelCall): string => {
    const opening = call.messages[1]?.content;
    return typeof opening === "string" && opening.includes("ledger") ? "\\boxed{look}" : playByRules(call);
  };
  const made = [numberSearch("Search", 900, 10), ledger("Books", 6, 7), switches("Board", 9, 17)];
  const design = ({ seed }: ModelCall): string => {
    const slot = made.findIndex((_, i) => keyedSeed(7, i, "design", 0) === seed);
    return answerWith(made[slot] ?? "");
  };
  const { services, result } = await played({ play, design }, { envs: 3, plays: 4, repairs: 0 });
  expect(result.totals.droppedGroups).toBeGreaterThanOrEqual(1);
  const rewards = result.environments.map(({ designerReward }) => designerReward ?? Number.NaN);
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  const scored = result.environments.reduce((sum, { plain }) => sum + plain.plays, 0);
  expect(new Set(result.environments.map(({ skill }) => skill)).size).toBe(3);
  expect(result.environments.some(({ designerAdvantage }) => designerAdvantage !== 0)).toBe(true);
  for (const [i, { designerAdvantage }] of result.environments.entries()) {
    expect(designerAdvantage).toBeCloseTo(((rewards[i] ?? Number.NaN) - mean) * (scored / 3), 9);
  }
  await services.close();
});

test("events tell every unit of work, and checkpoints stay small", async () => {
  const { services, id } = await played({}, { envs: 4, plays: 8 });
  const episodes = services.events.filter(({ type }) => type === "episode");
  const plays = services.events.filter((event) => event.type === "stage" && event.stage === "play");
  expect(episodes.length).toBe(plays.length - 1);
  expect(services.events[0]).toMatchObject({ type: "round-started", resumed: false, seed: 7 });
  expect(services.events.at(-1)).toMatchObject({ type: "round-ended", status: "finished" });
  let bytes = 0;
  const saver = await services.store.checkpoints();
  for await (const tuple of saver.list({ configurable: { thread_id: id } })) {
    bytes += JSON.stringify(tuple).length;
  }
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(50_000);
  await services.close();
});

test("the same seed gives the same round", async () => {
  const [first, second] = await Promise.all([played({}, { seed: 11 }), played({}, { seed: 11 })]);
  expect(timeless(first.result)).toEqual(timeless(second.result));
  const other = await played({}, { seed: 12 });
  expect(timeless(other.result).environments).not.toEqual(timeless(first.result).environments);
  for (const { services } of [first, second, other]) await services.close();
});

test("plays that share a seed are clustered", async () => {
  const { services, id, result } = await played({}, { envs: 1, plays: 4, playsPerSeed: 2, repairs: 0 });
  const plain = await services.store.episodes.ofRound(id, { arm: "plain" });
  expect(new Set(plain.map(({ seed }) => seed)).size).toBe(2);
  expect(plain[0]?.seed).toBe(plain[1]?.seed);
  expect(result.environments[0]?.status).toBe("admitted");
  await services.close();
});

test("answers without an environment are rejected with the reason, and the round finishes", async () => {
  const answers: Readonly<Record<number, string>> = {
    0: "I would rather talk about the weather.",
    1: "",
    2: answerWith("const x = 1;\n"),
    3: answerWith("class BrokenEnv { reset( { return"),
    4: answerWith(`class HugeEnv { reset() { return "${"x".repeat(250_000)}"; } }\n`),
  };
  const slots = new Map<string, number>();
  const seen: string[] = [];
  const design: Script["design"] = (call, repairs) => {
    const request = call.messages[1]?.text ?? "";
    if (repairs > 0) seen.push(call.messages.at(-1)?.text ?? "");
    const slot = slots.get(request) ?? slots.size;
    slots.set(request, slot);
    return answers[slot % 5] ?? "";
  };
  const { services, record, result } = await played({ design }, { envs: 5, repairs: 1 });
  expect(record.status).toBe("finished");
  expect(result.environments.map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
  for (const environment of result.environments) {
    expect(environment.reason).toMatch(/^parse: .+/);
    expect(environment.gates.find(({ gate }) => gate === "parse")?.verdict).toBe("fail");
    expect(environment.repairs).toBe(1);
    expect(environment.designerReward).toBe(0);
    expect(environment.plain).toMatchObject({ plays: 0, meanReturn: null, returns: [] });
  }
  const reasons = result.environments.map(({ reason }) => reason).join("\n");
  expect(reasons).toContain("holds no code");
  expect(reasons).toContain("is empty");
  expect(reasons).toContain("at most 200000");
  expect(seen).toHaveLength(5);
  expect(seen.every((text) => text.includes("<gates>\nparse: fail:"))).toBe(true);
  expect(result.totals.episodes).toBe(0);
  await services.close();
});

test("a repaired design is played, but its designer earns nothing for it", async () => {
  const design: Script["design"] = (call, repairs) =>
    repairs === 0 ? "Let me think." : answerWith(someDesign(call.seed));
  const { services, id, result } = await played({ design }, { envs: 2 });
  const repaired = result.environments.filter(({ status }) => status === "admitted");
  expect(repaired.length).toBeGreaterThan(0);
  for (const environment of repaired) {
    expect(environment.repairs).toBe(1);
    expect(environment.plain.plays).toBe(4);
    expect(environment.designerReward).toBe(0);
    const record = await services.store.environments.get(environment.id);
    expect(record?.firstAnswerAdmitted).toBe(false);
    const said = conversation.parse(
      JSON.parse(await services.store.texts.get(record?.designer.conversationId ?? "")),
    );
    expect(said.map(({ by }) => by)).toEqual(["system", "lab", "designer", "lab", "designer"]);
  }
  expect((await services.store.rounds.get(id))?.status).toBe("finished");
  await services.close();
});

test("of equal designs the one in the first slot is new, whichever is judged first", async () => {
  const source = answerWith(numberSearch("Twin", 1_000, 9));
  const { services, result } = await played({ design: () => source }, { envs: 4, repairs: 0, plays: 1 });
  expect(result.environments.map(({ status }) => status)).toEqual([
    "admitted",
    "rejected",
    "rejected",
    "rejected",
  ]);
  expect(result.environments[3]?.reason).toMatch(/^novelty: /);
  await services.close();
});

test("a hint that can't be used is rewritten once; if that fails, there is none", async () => {
  const asked: number[] = [];
  const hint: Script["hint"] = (_source, rewrites) => {
    asked.push(rewrites);
    return rewrites === 0 ? "word ".repeat(150) : "A short and useful approach: halve what is left.";
  };
  const rewritten = await played({ hint }, { envs: 1, repairs: 0 });
  expect(asked).toEqual([0, 1]);
  expect(rewritten.result.environments[0]?.hint).toBe("A short and useful approach: halve what is left.");
  await rewritten.services.close();

  const refused = await played(
    { hint: () => "word ".repeat(150) },
    { envs: 1, repairs: 0, reward: "regret" },
  );
  const [environment] = refused.result.environments;
  expect(environment).toMatchObject({ status: "admitted", hint: null, regret: null, designerReward: 0 });
  expect(environment?.hinted.plays).toBe(0);
  expect(environment?.plain.plays).toBe(4);
  await refused.services.close();
});

test("an episode ends at the turn cap and at the context limit with return 0", async () => {
  const play: Script["play"] = () => `${"I wonder. ".repeat(20)}\\boxed{nothing of use}`;
  const design: Script["design"] = () => answerWith(numberSearch("Long", 900, 9));
  const capped = await played({ play, design }, { envs: 1, repairs: 0, plays: 1, turnCap: 9 });
  expect(capped.result.environments[0]?.plain.returns).toEqual([0]);
  const tight = await played({ play, design }, { envs: 1, repairs: 0, plays: 1, contextTokens: 256 });
  const [episode] = await tight.services.store.episodes.ofRound(tight.id, { arm: "plain" });
  expect(episode).toMatchObject({ return: 0, terminated: false, truncated: true, failure: null });
  expect(episode?.turns).toBeLessThan(9);
  await capped.services.close();
  await tight.services.close();
});

test("an environment that throws while it is played is data", async () => {
  // It behaves in admission, which never says this word.
  const source = numberSearch("Touchy", 700, 9).replace(
    "this.turn += 1;",
    'this.turn += 1;\n    if (action.includes("abracadabra")) throw new Error("ouch");',
  );
  const { services, id, result } = await played(
    { design: () => answerWith(source), play: () => "\\boxed{abracadabra}" },
    { envs: 1, repairs: 0, plays: 2 },
  );
  const episodes = await services.store.episodes.ofRound(id);
  expect(result.environments[0]?.reason).toBeNull();
  expect(episodes).toHaveLength(4);
  for (const episode of episodes) {
    expect(episode).toMatchObject({
      return: 0,
      turns: 1,
      failure: { code: "environment-threw", ours: false },
    });
  }
  expect(result.environments[0]?.plain).toMatchObject({ plays: 2, failed: 0, returns: [0, 0] });
  await services.close();
});

test("the memory of one round reaches the designer of the next", async () => {
  const prompts: string[] = [];
  const services: TestServices = await testServices({
    sandbox,
    model: scriptedModel({
      design: (call) => {
        prompts.push(call.messages[1]?.text ?? "");
        return answerWith(someDesign(call.seed));
      },
    }),
  });
  for (const seed of [1, 2]) {
    const { id } = await createRound(services, roundOptionsOf({ seed, envs: 2 }), "tester");
    await runRound(services, id);
  }
  expect(prompts.slice(0, 2).some((text) => text.includes("<memory>"))).toBe(false);
  expect(prompts.slice(-2).some((text) => text.includes("<memory>"))).toBe(true);
  await services.close();
});
