/** `round`: one self-play round, or a round over environments that exist. */
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import { presetNames } from "../../config/presets.ts";
import { type Config, configSchema } from "../../config/schema.ts";
import { difficulty, skill } from "../../config/words.ts";
import type { Services } from "../../graph/services.ts";
import type { RoundOptions } from "../../store/records.ts";
import type { Caller, Surface } from "../caller.ts";
import { defineCommand } from "./command.ts";
import { addSources } from "./doc-add.ts";
import type { GivenFile } from "./given-file.ts";
import { labelOf, type OptionDefinition, type OptionValues } from "./option.ts";
import { askedApproval, randomSeed, runAndAnswer } from "./run-round.ts";
import { collect, requireModel, seedOption } from "./shared.ts";

const settings = configSchema.shape.round.unwrap().shape;

/** The default of a setting, in words. */
const fallbackOf = (setting: z.ZodType): string => String(setting.parse(undefined));

/** The word that stands for every environment that can be played. */
const everything = "all";

/** What can be said of a round. */
export const options = {
  envs: {
    kind: "whole-number",
    summary: "designs in the round",
    schema: settings.envs.unwrap().optional(),
    placeholder: "N",
    fallback: fallbackOf(settings.envs),
  },
  plays: {
    kind: "whole-number",
    summary: "plays of each environment in each arm",
    schema: settings.plays.unwrap().optional(),
    placeholder: "N",
    fallback: fallbackOf(settings.plays),
  },
  playsPerSeed: {
    kind: "whole-number",
    summary: "plays that share one seed",
    schema: settings.playsPerSeed.unwrap().optional(),
    placeholder: "N",
    fallback: fallbackOf(settings.playsPerSeed),
  },
  kind: {
    kind: "choice",
    summary: "kinds of environments to design",
    schema: settings.kind.unwrap().optional(),
    fallback: fallbackOf(settings.kind),
  },
  skill: {
    kind: "choice",
    summary: "the skill to train",
    schema: skill.optional(),
    completed: true,
    placeholder: "NAME",
    fallback: "a different one for each design",
  },
  difficulty: {
    kind: "choice",
    summary: "difficulty of the designs",
    schema: difficulty.optional(),
    fallback: "spread over all",
  },
  language: {
    kind: "choice",
    summary: "language of the designs",
    schema: z.enum(["javascript"]).default("javascript"),
    fallback: "javascript",
  },
  model: {
    kind: "model",
    summary: "embedded, or provider:model",
    schema: z.string().trim().min(1).optional(),
    fallback: "embedded",
  },
  brief: {
    kind: "long-text",
    summary: "what the designer is asked for, in words",
    schema: z.string().trim().min(1).max(10_000).optional(),
    placeholder: "TEXT",
  },
  docs: {
    kind: "path-or-link",
    summary: "documents to add and to ground this round on",
    schema: z.array(z.string().min(1)).optional(),
    many: true,
    placeholder: "PATH",
    fallback: "the whole corpus",
  },
  pool: {
    kind: "environment",
    summary: "play these environments instead of designing new ones, or all",
    schema: z.array(z.string().trim().min(1)).optional(),
    many: true,
    placeholder: "ID",
  },
  preset: {
    kind: "choice",
    summary: "a set of settings under one name",
    completed: true,
    schema: z.enum(presetNames).optional(),
    placeholder: "NAME",
  },
  reward: {
    kind: "choice",
    summary: "what the designer is rewarded for",
    schema: settings.reward.unwrap().optional(),
    placeholder: "VARIANT",
    fallback: fallbackOf(settings.reward),
  },
  seed: seedOption,
  approve: {
    kind: "switch",
    summary: "wait for a person's approval before anything is played",
    schema: z.boolean().default(false),
    fallback: "as the setting approvals.policy says",
  },
} as const satisfies Record<string, OptionDefinition>;

type Values = OptionValues<typeof options>;

/** What to play when `pool` was given: every id once, in order, or all that can be played, oldest first. */
export async function poolOf(
  services: Services,
  given: readonly string[],
  surface: Surface,
): Promise<string[]> {
  if (!given.includes(everything)) return [...new Set(given)];
  if (given.length > 1) {
    throw new InputError(
      "input.bad-option",
      `${labelOf("pool", options.pool, surface)} is "${given.join(" ")}"; it takes ids, or "${everything}" alone.`,
    );
  }
  const { items } = await collect((page) => services.store.environments.list({ status: "admitted" }, page));
  const waiting = new Set(
    (await services.store.approvals.waiting()).map(({ environmentId }) => environmentId),
  );
  return items
    .map(({ id }) => id)
    .filter((id) => !waiting.has(id))
    .reverse();
}

/** The documents of `--docs`, added where they are new. */
export async function groundOn(
  services: Services,
  sources: readonly (string | GivenFile)[],
  caller: Caller,
): Promise<string[]> {
  if (sources.length === 0) return [];
  const { documentIds, problems, failed } = await addSources(services, sources, caller);
  // A round that is grounded on less than was named would not be the round that was asked for.
  if (failed > 0) throw new InputError("input.bad-document", problems.join(" "));
  for (const problem of problems) services.log.warn(problem);
  return [...documentIds];
}

/** Everything a round is asked to do: what was said, and the settings for the rest. */
export function roundOptions(
  values: Omit<Values, "docs" | "seed"> & Partial<Pick<Values, "docs" | "seed">>,
  config: Config,
  found: { readonly pool: string[]; readonly documentIds: string[]; readonly seed: number },
): RoundOptions {
  const { round } = config;
  return {
    mode: values.pool === undefined ? "self-play" : "pool",
    envs: values.envs ?? round.envs,
    plays: values.plays ?? round.plays,
    playsPerSeed: values.playsPerSeed ?? round.playsPerSeed,
    kind: values.kind ?? round.kind,
    skill: values.skill ?? null,
    difficulty: values.difficulty ?? null,
    language: values.language,
    model: values.model ?? config.model,
    brief: values.brief ?? null,
    preset: values.preset ?? null,
    reward: values.reward ?? round.reward,
    ...askedApproval(config, values.approve),
    repairs: round.repairs,
    turnCap: round.turnCap,
    contextTokens: round.contextTokens,
    temperature: round.temperature,
    maxOutputTokens: round.maxOutputTokens,
    ...found,
  };
}

/** Options that say what to design, and so mean nothing for environments that exist. */
const designing = ["envs", "kind", "skill", "difficulty", "brief", "docs"] as const;

function refuseMixture(values: Values, { surface }: Caller): void {
  if (values.pool === undefined) return;
  const meaningless = designing.find((key) => values[key] !== undefined);
  if (meaningless === undefined) return;
  throw new InputError(
    "input.bad-option",
    `${labelOf(meaningless, options[meaningless], surface)} is about designs, and ${labelOf("pool", options.pool, surface)} plays environments that exist: give one of the two.`,
  );
}

export const round = defineCommand({
  name: "round",
  summary: "Run one round: design environments, admit them, play them with and without a hint",
  details:
    "With --pool the round plays environments that exist: the baseline of a fixed pool. The same seed, model and data directory give the same round with the embedded policy.",
  examples: [
    "round",
    "round --envs 8 --kind game --difficulty hard --seed 7",
    "round --docs papers/ --brief 'a game about scheduling'",
    "round --pool all --plays 32",
    "round --preset paper-games --model openai:NAME",
  ],
  role: "researcher",
  starts: "round",
  options,
  async run(values, caller, context) {
    refuseMixture(values, caller);
    const config = await context.config(values.preset ?? null);
    requireModel(values.model, config, caller, "round");
    const services = await context.services();
    const pool = values.pool === undefined ? [] : await poolOf(services, values.pool, caller.surface);
    const documentIds = await groundOn(services, values.docs ?? [], caller);
    const asked = roundOptions(values, config, { pool, documentIds, seed: values.seed ?? randomSeed() });
    const { createRound } = await import("../../graph/control.ts");
    const { id } = await createRound(services, asked, caller.name);
    return runAndAnswer(context, services, id, caller);
  },
});
