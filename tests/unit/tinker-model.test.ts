/** The numbers: a real model's log-probabilities and gradients, through the client and what the trainer sends. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AnswerTokens } from "../../graph/models/answer-tokens.ts";
import { datumOf, type Example, inRequests, spadeLoss, Tally } from "../../graph/trainers/tinker/examples.ts";
import { Sampler } from "../../graph/trainers/tinker/sampler.ts";
import { TinkerSession } from "../../graph/trainers/tinker/session.ts";
import { TrainingModel } from "../../graph/trainers/tinker/training-model.ts";
import { silent } from "../support/services.ts";
import { call, quickClient } from "../support/tinker/client.ts";
import { LanguageModel } from "../support/tinker/language-model.ts";
import { startTinkerServer, type TinkerServer } from "../support/tinker/server.ts";
import { idOf, newline } from "../support/tinker/tokenizer.ts";

const adam = { learning_rate: 0.1, beta1: 0.9, beta2: 0.95, eps: 1e-8, weight_decay: 0 };
const prompt = [84, idOf(" red"), 46, idOf("<|im_end|>"), newline];
const params = { max_tokens: 12, temperature: 1, top_p: 1, top_k: -1, stop: [idOf("<|im_end|>")] };

let server: TinkerServer;
let session: TinkerSession;
let model: TrainingModel;
beforeEach(async () => {
  server = await startTinkerServer();
  session = await TinkerSession.open(quickClient(server.baseUrl).client, { log: silent }, call);
  model = await TrainingModel.create(session, { baseModel: "toy", rank: 8, seed: 1 }, call);
});
afterEach(async () => {
  session.close();
  await server.close();
});

async function sampled(modelPath: string | null, seed: number, temperature = 1): Promise<AnswerTokens> {
  const sampler = new Sampler({ baseModel: "toy", modelPath, session: async () => session });
  const { tokens, logprobs } = await sampler.sample(prompt, { ...params, temperature, seed }, call);
  return { prompt, sampled: tokens, logprobs };
}

const example = (tokens: AnswerTokens, advantage: number): Example => ({ role: "agent", tokens, advantage });

/** The model's log-probabilities of what was sampled. */
async function logprobsOf(tokens: AnswerTokens): Promise<number[]> {
  const { loss_fn_outputs } = await model.forward([datumOf(example(tokens, 1))], spadeLoss, call);
  return (loss_fn_outputs[0]?.logprobs.data ?? []).slice(tokens.prompt.length - 1);
}

async function train(...examples: readonly Example[]): Promise<Tally> {
  const tally = new Tally();
  const pending = await model.beginForwardBackward(examples.map(datumOf), spadeLoss, call);
  tally.add(examples, await pending.result());
  await model.optimStep(adam, call);
  return tally;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

test("the model's gradient is that of finite differences, clipped and not", () => {
  const tokens = [...prompt, idOf("\\boxed{left}"), 65, idOf("<|im_end|>")];
  for (const [advantage, shift] of [
    [1, 0.1],
    [1, -0.5],
    [-2, -0.1],
    [-2, 0.5],
  ] as const) {
    const inputs = tokens.slice(0, -1);
    const targets = tokens.slice(1);
    const lm = new LanguageModel();
    const logprobs = lm.forward({ inputs, targets }).map((logprob) => logprob - shift);
    const all = (value: number): number[] => targets.map(() => value);
    const one = { inputs, targets, logprobs, advantages: all(advantage), weights: all(1) };
    const clip = { low: 0.8, high: 1.28 };
    const { loss } = lm.backward(one, clip);
    // With so large an eps Adam's step is a plain one of length h along the gradient, which changes the loss by −h |g|².
    const [h, eps] = [1e-6, 1e12];
    lm.step({ learning_rate: h * eps, beta1: 0, beta2: 0, eps, weight_decay: 0 });
    const moved = new LanguageModel(lm.state());
    const after = moved.backward(one, clip).loss;
    const [lastMean, , nearMean] = lm.state().moments;
    const squared = sum([...(lastMean ?? []), ...(nearMean ?? [])].map((g) => g * g));
    expect((loss - after) / h).toBeCloseTo(squared, 2);
    const isClipped = (advantage > 0 && shift > 0.25) || (advantage < 0 && shift < -0.23);
    expect(squared > 0).toBe(!isClipped);
  }
});

test("log-probabilities of a forward pass are those of sampling, at any temperature", async () => {
  for (const [seed, temperature] of [
    [1, 1],
    [2, 0.6],
    [3, 1.7],
  ] as const) {
    const tokens = await sampled(null, seed, temperature);
    expect(tokens.sampled.length).toBeGreaterThan(1);
    for (const [i, logprob] of (await logprobsOf(tokens)).entries()) {
      expect(logprob).toBeCloseTo(tokens.logprobs[i] ?? 0, 6);
    }
  }
});

test("a positive advantage raises the log-probability of what was sampled, a negative one lowers it", async () => {
  const [liked, disliked] = [await sampled(null, 1), await sampled(null, 5)];
  expect(liked.sampled[0]).not.toBe(disliked.sampled[0]);
  const before = [await logprobsOf(liked), await logprobsOf(disliked)].map((all) => all[0] ?? 0);
  const tally = await train(example(liked, 1), example(disliked, -1));
  expect(tally.clipFraction).toBe(0);
  expect(tally.apart).toBeCloseTo(0, 6);
  const after = [await logprobsOf(liked), await logprobsOf(disliked)].map((all) => all[0] ?? 0);
  expect(after[0]).toBeGreaterThan((before[0] ?? 0) + 0.05);
  expect(after[1]).toBeLessThan((before[1] ?? 0) - 0.05);
});

test("what moved beyond SPADE's bounds is clipped and moves no further", async () => {
  const tokens = await sampled(null, 1);
  for (let step = 0; step < 5; step += 1) await train(example(tokens, 1));
  const before = await logprobsOf(tokens);
  expect(Math.exp(sum(before.slice(0, 1)) - (tokens.logprobs[0] ?? 0))).toBeGreaterThan(1.28);
  const tally = await train(example(tokens, 1));
  expect(tally.clipFraction).toBeGreaterThan(0);
});

test("a prompt carries no loss: training on an answer leaves what the model says of the prompt's tokens as it was", async () => {
  const tokens = await sampled(null, 1);
  const datum = datumOf(example(tokens, 2));
  const { weights, advantages, target_tokens } = datum.loss_fn_inputs;
  const lead = prompt.length - 1;
  expect(weights.data).toEqual([...Array(lead).fill(0), ...tokens.sampled.map(() => 1)]);
  expect(advantages.data).toEqual([...Array(lead).fill(0), ...tokens.sampled.map(() => 2)]);
  expect(target_tokens.data).toEqual([...prompt.slice(1), ...tokens.sampled]);
  expect(datum.model_input.chunks[0].tokens).toEqual([...prompt, ...tokens.sampled.slice(0, -1)]);
  for (const { shape, data } of Object.values(datum.loss_fn_inputs)) expect(shape).toEqual([data.length]);

  const probe = { prompt: prompt.slice(0, 1), sampled: prompt.slice(1, 3), logprobs: [0, 0] };
  const before = await logprobsOf(probe);
  await train(example(tokens, 2));
  expect(await logprobsOf(probe)).toEqual(before);
});

test("a checkpoint is sampled from as it was saved, and trained on with its optimiser", async () => {
  const tokens = await sampled(null, 1);
  await train(example(tokens, 1));
  const [state, toSample] = [await model.saveState("a", call), await model.saveForSampler("a", call)];
  const said = await sampled(toSample, 9);
  await train(example(tokens, -1));
  const trained = await logprobsOf(tokens);
  expect(await sampled(toSample, 9)).toEqual(said);

  model = await TrainingModel.create(session, { baseModel: "toy", rank: 8, seed: 1 }, call);
  await model.load(state, call);
  expect(await logprobsOf(said)).toEqual(said.logprobs);
  await train(example(tokens, -1));
  expect(await logprobsOf(tokens)).toEqual(trained);
});

test("requests hold so many tokens, in order, and a longer example stands alone", () => {
  const of = (length: number): Example =>
    example({ prompt: [1], sampled: Array(length - 1).fill(2), logprobs: Array(length - 1).fill(0) }, 1);
  const examples = [3, 4, 3, 12, 2, 8, 1].map((length) => of(Math.max(2, length)));
  const parts = inRequests(examples, 10);
  expect(parts.flat()).toEqual(examples);
  expect(parts.map((part) => part.length)).toEqual([3, 1, 2, 1]);
});
