/** `env measure`: plays one environment many times in every arm it has. */
import { z } from "zod";
import { configSchema } from "../../config/schema.ts";
import { defineCommand } from "./command.ts";
import type { OptionDefinition } from "./option.ts";
import { askedApproval, randomSeed, runAndAnswer } from "./run-round.ts";
import { environmentArgument, requireModel, seedOption } from "./shared.ts";

const settings = configSchema.shape.round.unwrap().shape;
const measuredPlays = 64;

const options = {
  id: environmentArgument,
  plays: {
    kind: "whole-number",
    summary: "plays in each arm",
    schema: settings.plays.unwrap().default(measuredPlays),
    placeholder: "N",
    fallback: String(measuredPlays),
  },
  playsPerSeed: {
    kind: "whole-number",
    summary: "plays that share one seed",
    schema: settings.playsPerSeed.unwrap().optional(),
    placeholder: "N",
    fallback: "1",
  },
  model: {
    kind: "model",
    summary: "embedded, or provider:model",
    schema: z.string().trim().min(1).optional(),
    fallback: "embedded",
  },
  seed: seedOption,
} as const satisfies Record<string, OptionDefinition>;

export const envMeasure = defineCommand({
  name: "env measure",
  summary: "Measure an environment: many plays without a hint, with its hint, and with a person's",
  role: "researcher",
  starts: "round",
  options,
  async run(values, caller, context) {
    const config = await context.config();
    requireModel(values.model, config, caller, "env measure");
    const services = await context.services();
    const { createRound } = await import("../../graph/control.ts");
    const { round } = config;
    const { id } = await createRound(
      services,
      {
        mode: "measure",
        envs: 1,
        plays: values.plays,
        playsPerSeed: values.playsPerSeed ?? round.playsPerSeed,
        kind: "mixed",
        skill: null,
        difficulty: null,
        language: "javascript",
        model: values.model ?? config.model,
        brief: null,
        documentIds: [],
        pool: [values.id],
        preset: null,
        reward: round.reward,
        seed: values.seed ?? randomSeed(),
        ...askedApproval(config, false),
        repairs: round.repairs,
        turnCap: round.turnCap,
        contextTokens: round.contextTokens,
        temperature: round.temperature,
        maxOutputTokens: round.maxOutputTokens,
      },
      caller.name,
    );
    return runAndAnswer(context, services, id, caller);
  },
});
