/**
 * A batch as the examples that a training server takes: one for each answer, with the prompt and the tokens just as they
 * were sent and sampled. One for each answer is right for every chat template, also for those that drop earlier
 * thoughts from the prompt, where a whole conversation is no continuation of its beginning.
 */
import { TrainerError } from "../../../config/errors.ts";
import type { AnswerTokens } from "../../models/answer-tokens.ts";
import { clipped, spadeClip } from "../clip.ts";
import type { Batch } from "../trainer.ts";
import { type Datum, encodedText, type ForwardResult, type Loss, type Tensor } from "./protocol.ts";

/** SPADE's clipped objective; the server's bounds of the ratio are absolute. */
export const spadeLoss: Loss = {
  loss_fn: "ppo",
  loss_fn_config: { clip_low_threshold: spadeClip.low, clip_high_threshold: spadeClip.high },
};

export interface Example {
  readonly role: "agent" | "designer";
  readonly tokens: AnswerTokens;
  /** Of each of its tokens: the trajectory's advantage times its weight. */
  readonly advantage: number;
}

/**
 * The examples that carry a gradient: answers without a token and trajectories whose advantage is 0 are left out. Throws
 * `trainer.bad-batch` for a trajectory without tokens under its prompt.
 */
export function examplesOf({ id, agent, designer }: Pick<Batch, "id" | "agent" | "designer">): Example[] {
  const examples: Example[] = [];
  const add = (role: Example["role"], tokens: AnswerTokens, advantage: number): void => {
    if (advantage === 0 || tokens.sampled.length === 0) return;
    if (tokens.prompt.length === 0) {
      throw new TrainerError("trainer.bad-batch", `Batch ${id} holds an answer to an empty prompt.`);
    }
    examples.push({ role, tokens, advantage });
  };
  for (const { episodeId, prompt, tokens, advantage, weight } of agent) {
    if (tokens === undefined) {
      throw new TrainerError(
        "trainer.bad-batch",
        `Episode ${episodeId} has no tokens under the ${prompt} prompt: another model played it, or it was played with a hint that it is scored without, as cross-arm groups do. Train in groups \`plain\`.`,
      );
    }
    for (const one of tokens) add("agent", one, advantage * weight);
  }
  for (const { environmentId, tokens, advantage, weight } of designer) {
    if (tokens === undefined) {
      throw new TrainerError(
        "trainer.bad-batch",
        `The design ${environmentId} has no tokens: another model made it.`,
      );
    }
    add("designer", tokens, advantage * weight);
  }
  return examples;
}

/** Inputs are all tokens but the last, targets all but the first; what was sampled carries loss, the prompt none. */
export function datumOf({ tokens: { prompt, sampled, logprobs }, advantage }: Example): Datum {
  const whole = [...prompt, ...sampled];
  const before = prompt.length - 1;
  const along = (value: (i: number) => number): number[] =>
    Array.from({ length: whole.length - 1 }, (_, at) => (at < before ? 0 : value(at - before)));
  return {
    model_input: encodedText(whole.slice(0, -1)),
    loss_fn_inputs: {
      target_tokens: tensor("int64", whole.slice(1)),
      logprobs: tensor(
        "float32",
        along((i) => single(logprobs[i] ?? 0)),
      ),
      advantages: tensor(
        "float32",
        along(() => single(advantage)),
      ),
      weights: tensor(
        "float32",
        along(() => 1),
      ),
    },
  };
}

function tensor(dtype: Tensor["dtype"], data: readonly number[]): Tensor {
  return { data, dtype, shape: [data.length] };
}

/** The digits that a float32 has: the others would fill the wire. */
function single(value: number): number {
  return Number(value.toPrecision(8));
}

/** In lists of about so many tokens at most, each of them one request. A single example may be longer. */
export function inRequests(examples: readonly Example[], mostTokens: number): Example[][] {
  const requests: Example[][] = [];
  let room = 0;
  for (const example of examples) {
    const { prompt, sampled } = example.tokens;
    const length = prompt.length + sampled.length;
    const last = requests.at(-1);
    if (last === undefined || length > room) {
      requests.push([example]);
      room = mostTokens - length;
    } else {
      last.push(example);
      room -= length;
    }
  }
  return requests;
}

/** What a forward pass over the examples told, counted token by token. */
export class Tally {
  #tokens = 0;
  #clipped = 0;
  /** Sum of the log-probability when sampled minus that of the trainer: how far the two engines are apart. */
  #apart = 0;

  /** Throws RangeError if the result is not one of these examples. */
  add(examples: readonly Example[], { loss_fn_outputs: outputs }: ForwardResult): void {
    if (outputs.length !== examples.length) {
      throw new RangeError(`${outputs.length} outputs for ${examples.length} examples`);
    }
    for (const [at, { tokens, advantage }] of examples.entries()) {
      const now = outputs[at]?.logprobs.data ?? [];
      const before = tokens.prompt.length - 1;
      if (now.length !== before + tokens.sampled.length) {
        throw new RangeError(`${now.length} log-probabilities for ${before + tokens.sampled.length} targets`);
      }
      for (const [i, sampled] of tokens.logprobs.entries()) {
        const logratio = (now[before + i] ?? 0) - sampled;
        this.#tokens += 1;
        this.#clipped += clipped(logratio, advantage, spadeClip).isClipped ? 1 : 0;
        this.#apart -= logratio;
      }
    }
  }

  get tokens(): number {
    return this.#tokens;
  }

  /** In [0, 1]; null without tokens. */
  get clipFraction(): number | null {
    return this.#tokens === 0 ? null : this.#clipped / this.#tokens;
  }

  /** Mean of log-probability when sampled − the trainer's before the step, nats; about 0 on one policy. */
  get apart(): number {
    return this.#tokens === 0 ? 0 : this.#apart / this.#tokens;
  }
}

/** Minus the mean log-probability of what was sampled, nats: an estimate of the entropy a token. Null without tokens. */
export function sampledEntropy(answers: Iterable<AnswerTokens>): number | null {
  let sum = 0;
  let count = 0;
  for (const { logprobs } of answers) {
    for (const logprob of logprobs) sum -= logprob;
    count += logprobs.length;
  }
  return count === 0 ? null : sum / count;
}
