/** The words of the Tinker protocol: what is sent as types, what comes back as schemas. Unknown fields are left unread. */
import { z } from "zod";

export interface Tensor {
  readonly data: readonly number[];
  readonly dtype: "int64" | "float32";
  readonly shape: readonly [number];
}

/** Tokens of an example without the last one, and for each of them what follows and what it counts for. */
export interface Datum {
  readonly model_input: ModelInput;
  readonly loss_fn_inputs: {
    /** The token after each input token. */
    readonly target_tokens: Tensor;
    /** Of the targets when they were sampled, nats; 0 where the weight is 0. */
    readonly logprobs: Tensor;
    readonly advantages: Tensor;
    /** 1 for targets that carry loss, else 0. */
    readonly weights: Tensor;
  };
}

export interface ModelInput {
  readonly chunks: readonly [{ readonly type: "encoded_text"; readonly tokens: readonly number[] }];
}

export function encodedText(tokens: readonly number[]): ModelInput {
  return { chunks: [{ type: "encoded_text", tokens }] };
}

/** `ppo` with absolute bounds of the ratio is SPADE's clipped loss; `importance_sampling` has none. */
export interface Loss {
  readonly loss_fn: "ppo" | "importance_sampling" | "cross_entropy";
  readonly loss_fn_config?: { readonly clip_low_threshold: number; readonly clip_high_threshold: number };
}

export interface AdamParams {
  readonly learning_rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weight_decay: number;
}

export interface SamplingParams {
  readonly max_tokens: number;
  readonly temperature: number;
  readonly seed?: number;
  readonly top_p: number;
  /** −1: no limit. */
  readonly top_k: number;
  /** Ids of tokens that end an answer. */
  readonly stop: readonly number[];
}

/** What a request is promised under; some servers write it as a number. */
export const promise = z.object({ request_id: z.union([z.string(), z.number()]).transform(String) });

/** An answer to a poll that says nothing yet. */
export const tryAgain = z.object({ type: z.literal("try_again") });

/** An answer to a poll that says that the request failed, with a status that does not. */
export const failedResult = z.object({ error: z.string() });

/** What servers say with an error's status. */
export const errorBody = z.union([
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
]);

export const health = z.object({ status: z.string() });
export const capabilities = z.object({ supported_models: z.array(z.object({ model_name: z.string() })) });
export const createdSession = z.object({ session_id: z.string().min(1) });
export const heartbeat = z.object({});
export const createdModel = z.object({ model_id: z.string().min(1) });
export const createdSamplingSession = z.object({ sampling_session_id: z.string().min(1) });
export const saved = z.object({ path: z.string().min(1) });
export const done = z.object({});

const metrics = z.record(z.string(), z.number()).nullish();

const forwardOutput = z.object({ logprobs: z.object({ data: z.array(z.number()) }) });
export const forwardResult = z.object({
  /** One for each datum, with the log-probability of each target. */
  loss_fn_outputs: z.array(forwardOutput),
  metrics,
});
export type ForwardResult = z.infer<typeof forwardResult>;

export const optimResult = z.object({ metrics });
export type OptimResult = z.infer<typeof optimResult>;

const sequence = z
  .object({
    tokens: z.array(z.number().int().nonnegative()),
    logprobs: z.array(z.number()),
    /** `stop`: a token of `stop` ended it; `length`: the limit did. */
    stop_reason: z.string(),
  })
  .refine(({ tokens, logprobs }) => tokens.length === logprobs.length, {
    message: "not one log-probability for each token",
  });
export const sampleResult = z.object({ sequences: z.array(sequence).min(1) });
export type SampledSequence = z.infer<typeof sequence>;
