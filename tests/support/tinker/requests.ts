/** What the protocol server takes, checked as strictly as a server would. */
import { z } from "zod";

const tensor = (dtype: "int64" | "float32") =>
  z
    .object({ data: z.array(z.number()), dtype: z.literal(dtype), shape: z.tuple([z.number().int()]) })
    .refine(({ data, shape }) => data.length === shape[0], "data and shape differ");

const tokens = z.object({
  chunks: z.tuple([z.object({ type: z.literal("encoded_text"), tokens: z.array(z.number().int()).min(1) })]),
});

const datum = z
  .object({
    model_input: tokens,
    loss_fn_inputs: z.strictObject({
      target_tokens: tensor("int64"),
      logprobs: tensor("float32"),
      advantages: tensor("float32"),
      weights: tensor("float32"),
    }),
  })
  .refine(({ model_input, loss_fn_inputs }) => {
    const length = model_input.chunks[0].tokens.length;
    return Object.values(loss_fn_inputs).every(({ data }) => data.length === length);
  }, "inputs and targets differ in length")
  .refine(
    ({ loss_fn_inputs: { weights } }) => weights.data.every((weight) => weight === 0 || weight === 1),
    "weights are 0 or 1",
  );
export type TakenDatum = z.infer<typeof datum>;

const pass = z.strictObject({
  data: z.array(datum).min(1),
  loss_fn: z.literal("ppo"),
  loss_fn_config: z.strictObject({
    clip_low_threshold: z.number().max(1),
    clip_high_threshold: z.number().min(1),
  }),
});

const name = z.string().regex(/^[\w-]{1,255}$/);
const numbered = { model_id: z.string(), seq_id: z.number().int().min(1) };

export const taken = {
  create_session: z.object({
    tags: z.array(z.string()),
    user_metadata: z.record(z.string(), z.unknown()),
    sdk_version: z.string(),
  }),
  session_heartbeat: z.object({ session_id: z.string() }),
  create_model: z.object({
    session_id: z.string(),
    model_seq_id: z.number().int().nonnegative(),
    base_model: z.string(),
    lora_config: z.strictObject({ rank: z.number().int().positive(), seed: z.number().int().optional() }),
  }),
  create_sampling_session: z
    .object({
      session_id: z.string(),
      sampling_session_seq_id: z.number().int().nonnegative(),
      base_model: z.string().optional(),
      model_path: z.string().optional(),
    })
    .refine((body) => (body.base_model === undefined) !== (body.model_path === undefined)),
  asample: z.object({
    sampling_session_id: z.string(),
    seq_id: z.number().int().min(1),
    prompt: tokens,
    num_samples: z.literal(1),
    sampling_params: z.strictObject({
      max_tokens: z.number().int().positive(),
      temperature: z.number().nonnegative(),
      top_p: z.number(),
      top_k: z.number().int(),
      seed: z.number().int().optional(),
      stop: z.array(z.number().int()),
    }),
  }),
  forward: z.object({ ...numbered, forward_input: pass }),
  forward_backward: z.object({ ...numbered, forward_backward_input: pass }),
  optim_step: z.object({
    ...numbered,
    adam_params: z.strictObject({
      learning_rate: z.number(),
      beta1: z.number(),
      beta2: z.number(),
      eps: z.number().positive(),
      weight_decay: z.number(),
    }),
  }),
  save_weights: z.object({ ...numbered, path: name }),
  save_weights_for_sampler: z.object({ ...numbered, path: name }),
  load_weights: z.object({ ...numbered, path: z.string() }),
  unload_model: z.object({ model_id: z.string() }),
  retrieve_future: z.object({ request_id: z.string() }),
};
export type Path = keyof typeof taken;
