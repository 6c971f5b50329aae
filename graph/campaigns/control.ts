/** What can be done with a campaign from outside: create it, pause it, take it up again, stop it. */
import { InputError } from "../../config/errors.ts";
import type { CampaignOptions, CampaignRecord, CampaignStatus } from "../../store/campaign-records.ts";
import { audit } from "../decisions.ts";
import { embeddedProvider } from "../models/embedded/policy-store.ts";
import type { Services } from "../services.ts";
import { existing } from "./held.ts";

/** How names of models begin that a training server trains. */
const tinkerModels = "tinker:";

/** The trainer that fits a model: its own if it can be trained, else none. */
export function trainerFor(model: string): CampaignOptions["trainer"] {
  if (model === embeddedProvider) return "embedded";
  return model.startsWith(tinkerModels) ? "tinker" : "none";
}

/**
 * Stores a campaign under the next id `c<N>`; nothing runs yet. Throws ProviderError if its model can't be had,
 * `input.bad-option` for options that don't go together, `input.not-found` for an environment or document that there is
 * not, and `input.conflict` while another campaign trains the same policy.
 */
export async function createCampaign(
  services: Services,
  options: CampaignOptions,
  by: string,
): Promise<CampaignRecord> {
  checkOptions(options);
  await checkNamed(services, options);
  await services.model(options.round.model);
  await requireFreePolicy(services, options, null);
  const record: CampaignRecord = {
    id: `c${await services.store.nextNumber("campaign")}`,
    status: "running",
    options,
    startedBy: by,
    startedAt: services.now(),
    endedAt: null,
    wallMs: 0,
    poolRounds: [],
    pool: [],
    rounds: [],
    evaluations: [],
    warnings: [],
    error: null,
  };
  await services.store.campaigns.insert(record);
  await audit(services, by, "campaign.create", record.id, `${options.rounds} rounds`);
  return record;
}

function checkOptions({
  trainer,
  round: { model, plays, hintedPlays, pool },
  poolSize,
}: CampaignOptions): void {
  if (trainer !== "none" && trainer !== trainerFor(model)) {
    const takes =
      trainer === "embedded" ? "the model embedded" : `a model whose name begins with ${tinkerModels}`;
    throw new InputError(
      "input.bad-option",
      `The trainer ${trainer} takes ${takes}, and the model is ${model}: name another model, or the trainer none to measure without learning.`,
    );
  }
  if (hintedPlays !== undefined && hintedPlays > plays) {
    throw new InputError(
      "input.bad-option",
      `${hintedPlays} hinted plays are more than ${plays} plays: they share their seeds with the plain ones.`,
    );
  }
  if (pool.length > 0 && poolSize > 0) {
    throw new InputError("input.bad-option", "A pool is either named or designed: give one of the two.");
  }
}

async function checkNamed({ store }: Services, { round }: CampaignOptions): Promise<void> {
  for (const id of round.pool) {
    if ((await store.environments.get(id)) === null) {
      throw new InputError("input.not-found", `There is no environment ${id}.`);
    }
  }
  for (const id of round.documentIds) {
    if ((await store.documents.get(id)) === null) {
      throw new InputError("input.not-found", `There is no document ${id}.`);
    }
  }
}

/** Two campaigns that train one policy would make each other's rounds too late to train on. `self` may. */
async function requireFreePolicy(
  services: Services,
  { trainer, round: { model } }: CampaignOptions,
  self: string | null,
): Promise<void> {
  if (trainer === "none") return;
  const all = await listCampaigns(services);
  const other = all.find(
    ({ id, status, options }) =>
      id !== self && status === "running" && options.trainer !== "none" && options.round.model === model,
  );
  if (other === undefined) return;
  throw new InputError(
    "input.conflict",
    `Campaign ${other.id} trains ${model} already, and one at a time may: let it finish, or pause or stop it first.`,
  );
}

/** Every campaign, newest first. */
export async function listCampaigns({ store }: Pick<Services, "store">): Promise<CampaignRecord[]> {
  const all: CampaignRecord[] = [];
  let after: string | undefined;
  do {
    const page = await store.campaigns.list("", { limit: 100, after });
    all.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return all.sort((a, b) => b.startedAt - a.startedAt || numberOf(b) - numberOf(a));
}

const numberOf = ({ id }: CampaignRecord): number => Number(id.slice(1));

const from: Readonly<Record<"pause" | "resume" | "stop", readonly CampaignStatus[]>> = {
  pause: ["running"],
  resume: ["running", "paused", "failed"],
  stop: ["running", "paused", "failed"],
};
const to = { pause: "paused", resume: "running", stop: "stopped" } as const;

/**
 * Pauses, takes up or stops a campaign, whoever works on it: that process finishes the episodes in flight and lets go.
 * A stopped one is over for good. Throws `input.not-found`, and `input.conflict` where its status does not allow it or,
 * for one that is taken up, while another campaign trains its policy.
 */
export async function changeCampaign(
  services: Services,
  id: string,
  what: keyof typeof from,
  by: string,
): Promise<CampaignRecord> {
  const before = await existing(services, id);
  if (what === "resume") await requireFreePolicy(services, before.options, id);
  const record = await services.store.campaigns.update(id, (current) => {
    if (!from[what].includes(current.status)) {
      throw new InputError("input.conflict", `Campaign ${id} is ${current.status} already.`);
    }
    if (what === "resume") return { ...current, status: to.resume, endedAt: null, error: null };
    return { ...current, status: to[what], endedAt: services.now() };
  });
  await audit(services, by, `campaign.${what}`, id);
  return record;
}
