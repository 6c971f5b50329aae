/** `campaign start`: many rounds in a row with updates of the policy between them. */
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import type { Config } from "../../config/schema.ts";
import type { CampaignOptions } from "../../store/campaign-records.ts";
import { campaignOptions } from "../../store/campaign-records.ts";
import type { RoundOptions } from "../../store/records.ts";
import type { Caller } from "../caller.ts";
import { defineCommand } from "./command.ts";
import { labelOf, type OptionDefinition, type OptionValues } from "./option.ts";
import { groundOn, poolOf, options as round, roundOptions } from "./round.ts";
import { runCampaignAndAnswer } from "./run-campaign.ts";
import { randomSeed } from "./run-round.ts";
import { requireModel } from "./shared.ts";

/** What a campaign does when nobody says otherwise. */
const defaults = { rounds: 400, envs: 25, plays: 8, every: 4, evaluateEvery: 20, evaluations: 300 } as const;

const whole = (least: number, most: number) => z.number().int().min(least).max(most).optional();
const { trainer, groups, designer } = campaignOptions.shape;

/** What can be said of a campaign: of its rounds as of one, and of how they follow each other. */
const options = {
  rounds: {
    kind: "whole-number",
    summary: "rounds to play and train on",
    schema: whole(1, 100_000),
    placeholder: "N",
    fallback: String(defaults.rounds),
  },
  envs: { ...round.envs, summary: "environments a round", fallback: String(defaults.envs) },
  plays: { ...round.plays, fallback: String(defaults.plays) },
  hintedPlays: {
    kind: "whole-number",
    summary: "plays of each environment with the hint",
    schema: whole(1, 1_000),
    placeholder: "N",
    fallback: "as many as without",
  },
  every: {
    kind: "whole-number",
    summary: "rounds that environments are played for before new ones are designed",
    schema: whole(1, 1_000),
    placeholder: "N",
    fallback: String(defaults.every),
  },
  trainer: {
    kind: "choice",
    summary: "what updates the policy; none measures without learning",
    schema: trainer.optional(),
    fallback: "the model's own, if it has one",
  },
  groups: {
    kind: "choice",
    summary: "which episodes of the agent are compared with each other",
    schema: groups.optional(),
    fallback: "cross-arm for the embedded policy, plain for others",
  },
  designer: {
    kind: "choice",
    summary: "what trains the designer: its reward, an entropy bonus alone, or nothing",
    schema: designer.default("reward"),
    fallback: "reward",
  },
  reward: round.reward,
  evaluateEvery: {
    kind: "whole-number",
    summary: "rounds between two evaluations on held-out environments; 0 for none",
    schema: whole(0, 100_000),
    placeholder: "N",
    fallback: String(defaults.evaluateEvery),
  },
  evaluations: {
    kind: "whole-number",
    summary: "held-out environments of an evaluation",
    schema: whole(1, defaults.evaluations),
    placeholder: "N",
    fallback: String(defaults.evaluations),
  },
  pool: round.pool,
  poolSize: {
    kind: "whole-number",
    summary: "environments to design before the first round, and to play ever after",
    schema: whole(1, 100_000),
    placeholder: "N",
  },
  playsPerSeed: round.playsPerSeed,
  kind: round.kind,
  skill: round.skill,
  difficulty: round.difficulty,
  language: round.language,
  model: round.model,
  brief: round.brief,
  docs: round.docs,
  preset: round.preset,
  seed: round.seed,
  approve: round.approve,
} as const satisfies Record<string, OptionDefinition>;

type Values = OptionValues<typeof options>;

/** Options that say what to design, and so mean nothing for environments that exist. */
const designing = ["kind", "skill", "difficulty", "brief", "docs", "poolSize", "every"] as const;

function refuseMixture(values: Values, { surface }: Caller): void {
  const refuse = (
    one: keyof Values & keyof typeof options,
    other: keyof typeof options,
    why: string,
  ): never => {
    throw new InputError(
      "input.bad-option",
      `${labelOf(one, options[one], surface)} ${why} ${labelOf(other, options[other], surface)}: give one of the two.`,
    );
  };
  if (values.pool !== undefined) {
    const meaningless = designing.find((key) => values[key] !== undefined);
    if (meaningless !== undefined)
      refuse(meaningless, "pool", "is about designs, and environments that exist are played with");
  }
  if (values.poolSize !== undefined && values.every !== undefined) {
    refuse("every", "poolSize", "says when new environments are designed, and none are with");
  }
}

/** Everything a campaign is asked to do: what was said, and the settings for the rest. */
export function campaignOptionsOf(
  values: Values,
  config: Config,
  found: { readonly pool: string[]; readonly documentIds: string[]; readonly seed: number },
  own: CampaignOptions["trainer"],
): CampaignOptions {
  const { envs, plays } = values.preset === undefined ? defaults : config.round;
  const asked: RoundOptions = roundOptions(
    { ...values, envs: values.envs ?? envs, plays: values.plays ?? plays },
    config,
    found,
  );
  return {
    rounds: values.rounds ?? defaults.rounds,
    every: values.every ?? defaults.every,
    trainer: values.trainer ?? own,
    groups: values.groups ?? (own === "embedded" ? "cross-arm" : "plain"),
    designer: values.designer,
    evaluateEvery: values.evaluateEvery ?? defaults.evaluateEvery,
    evaluations: values.evaluations ?? defaults.evaluations,
    poolSize: values.poolSize ?? 0,
    round: { ...asked, ...(values.hintedPlays === undefined ? {} : { hintedPlays: values.hintedPlays }) },
  };
}

export const campaignStart = defineCommand({
  name: "campaign start",
  summary: "Run many rounds in a row, and train the policy on each",
  details:
    "New environments are designed every few rounds; what their designer earned is settled when they are played for the last time. With --pool or --pool-size the environments stay the same: the baseline of a fixed pool. A campaign that is interrupted, paused or killed goes on where it stopped.",
  examples: [
    "campaign start",
    "campaign start --rounds 40 --envs 8 --every 1 --evaluate-every 10 --seed 7",
    "campaign start --pool-size 50 --rounds 100",
    "campaign start --trainer none --model openai:NAME --rounds 10",
  ],
  role: "researcher",
  starts: "round",
  options,
  async run(values, caller, context) {
    refuseMixture(values, caller);
    const config = await context.config(values.preset ?? null);
    requireModel(values.model, config, caller, "campaign start");
    const services = await context.services();
    const pool = values.pool === undefined ? [] : await poolOf(services, values.pool, caller.surface);
    if (values.pool !== undefined && pool.length === 0) {
      throw new InputError("input.bad-option", "There is no environment that can be played yet.");
    }
    const documentIds = await groundOn(services, values.docs ?? [], caller);
    const { createCampaign, trainerFor } = await import("../../graph/campaigns/control.ts");
    const seed = values.seed ?? randomSeed();
    const own = trainerFor(values.model ?? config.model);
    const asked = campaignOptionsOf(values, config, { pool, documentIds, seed }, own);
    const { id } = await createCampaign(services, asked, caller.name);
    return runCampaignAndAnswer(context, services, id, caller);
  },
});
