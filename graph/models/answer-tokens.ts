/** The tokens of one answer, of models that report them: what such a model is trained on, as it was sampled. */
import { z } from "zod";

const token = z.number().int().nonnegative();

export const answerTokens = z
  .object({
    /** What the model was sent, as ids of its own tokenizer. */
    prompt: z.array(token),
    /** What it answered. Never encoded anew from the text: that can give other ids. */
    sampled: z.array(token),
    /** Of each sampled token when it was sampled, nats. */
    logprobs: z.array(z.number()),
  })
  .refine(({ sampled, logprobs }) => sampled.length === logprobs.length, {
    message: "there is not one log-probability for each sampled token",
  });
export type AnswerTokens = z.infer<typeof answerTokens>;
