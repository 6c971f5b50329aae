/** Sampled tokens stay with what they were sampled for, from the model's answer to the trainer's batch. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRound, runRound } from "../../graph/control.ts";
import type { AnswerTokens } from "../../graph/models/answer-tokens.ts";
import type { Model, ModelCall } from "../../graph/models/model.ts";
import { gatherBatch } from "../../graph/trainers/batch.ts";
import { transcript } from "../../graph/transcript.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { roundOptionsOf, type TestServices, testServices } from "../support/services.ts";

const codes = (text: string): number[] => [...text].map((character) => character.codePointAt(0) ?? 0);
const text = (tokens: readonly number[]): string => String.fromCodePoint(...tokens);

/** One token a character, with a log-probability that can be told again. */
function tokensOf({ messages }: Pick<ModelCall, "messages">, said: string): AnswerTokens {
  const sampled = codes(said);
  return {
    prompt: codes(messages.map((message) => message.text).join("\n")),
    sampled,
    logprobs: sampled.map((code, at) => -(code + at) / 1_000),
  };
}

const scripted = scriptedModel();
const counting: Model = {
  ...scripted,
  async call(call) {
    const answer = await scripted.call(call);
    return { ...answer, policyVersion: "t-1", tokens: tokensOf(call, answer.text) };
  },
};

let services: TestServices;
let roundId: string;
beforeAll(async () => {
  services = await testServices({ model: counting });
  ({ id: roundId } = await createRound(services, roundOptionsOf({ envs: 4 }), "tester"));
  expect(await runRound(services, roundId)).toMatchObject({ status: "finished" });
});
afterAll(() => services.close());

test("every turn of every trajectory has its own, and plain groups hold no hinted prompt", async () => {
  const { store } = services;
  const batch = await gatherBatch(store, { roundIds: [roundId], groups: "plain" });
  expect(batch.policyVersion).toBe("t-1");
  expect(batch.agent.length).toBeGreaterThan(3);
  for (const { episodeId, tokens = [], firstObservation } of batch.agent) {
    const episode = await store.episodes.get(episodeId);
    expect(episode?.arm).toBe("plain");
    const { turns } = transcript.parse(JSON.parse(await store.texts.get(episode?.transcriptId ?? "")));
    expect(tokens.map(({ sampled }) => text(sampled))).toEqual(turns.map(({ said }) => said));
    for (const { prompt, sampled, logprobs } of tokens) {
      expect(text(prompt)).toContain(firstObservation);
      expect(text(prompt)).not.toContain("<hint");
      expect(logprobs).toEqual(sampled.map((code, at) => -(code + at) / 1_000));
    }
  }
  expect(batch.designer.length).toBeGreaterThan(0);
  for (const { messages, tokens } of batch.designer) {
    expect(text(tokens?.prompt ?? [])).toBe(messages.map((message) => message.text).join("\n"));
    expect(text(tokens?.sampled ?? [])).toContain("class ");
  }
});

test("a hinted play that is scored under the plain prompt has none", async () => {
  const { agent } = await gatherBatch(services.store, { roundIds: [roundId], groups: "cross-arm" });
  const arms = new Map<string, number>();
  for (const { episodeId, prompt, tokens } of agent) {
    const arm = (await services.store.episodes.get(episodeId))?.arm;
    expect(tokens !== undefined).toBe(arm === prompt);
    for (const one of tokens ?? []) expect(text(one.prompt).includes("<hint")).toBe(prompt === "hinted");
    arms.set(`${arm} as ${prompt}`, (arms.get(`${arm} as ${prompt}`) ?? 0) + 1);
  }
  expect([...arms.keys()].sort()).toContain("hinted as plain");
});

test("transcripts of models that report none are as they were", async () => {
  const plain = await testServices({ model: scripted });
  try {
    const { id } = await createRound(plain, roundOptionsOf({ envs: 1, plays: 2 }), "tester");
    await runRound(plain, id);
    const [episode] = await plain.store.episodes.ofRound(id);
    const kept = await plain.store.texts.get(episode?.transcriptId ?? "");
    expect(kept).not.toContain('"tokens"');
    expect(transcript.parse(JSON.parse(kept)).turns.length).toBeGreaterThan(0);
  } finally {
    await plain.close();
  }
});
