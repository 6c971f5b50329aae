/** What can be done with a campaign from outside: create it, pause it, take it up again, stop it. */
import { InputError } from "../../config/errors.ts";
import type { CampaignOptions, CampaignRecord, CampaignStatus } from "../../store/campaign-records.ts";
import { audit } from "../decisions.ts";
import type { Services } from "../services.ts";
import { existing } from "./run.ts";

/** Stores a campaign under the next id `c<N>`; nothing runs yet. Throws ProviderError if its model can't be had. */
export async function createCampaign(
  services: Services,
  options: CampaignOptions,
  by: string,
): Promise<CampaignRecord> {
  await services.model(options.round.model);
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

const from: Readonly<Record<"pause" | "resume" | "stop", readonly CampaignStatus[]>> = {
  pause: ["running"],
  resume: ["running", "paused", "failed"],
  stop: ["running", "paused", "failed"],
};
const to = { pause: "paused", resume: "running", stop: "stopped" } as const;

/**
 * Pauses, takes up or stops a campaign, whoever works on it: that process finishes the episodes in flight and lets go.
 * A stopped one is over for good. Throws `input.not-found`, and `input.conflict` where its status does not allow it.
 */
export async function changeCampaign(
  services: Services,
  id: string,
  what: keyof typeof from,
  by: string,
): Promise<CampaignRecord> {
  await existing(services, id);
  const record = await services.store.campaigns.update(id, (current) => {
    if (!from[what].includes(current.status)) {
      throw new InputError("input.conflict", `Campaign ${id} is ${current.status} already.`);
    }
    const endedAt = what === "stop" ? services.now() : null;
    return { ...current, status: to[what], endedAt, error: what === "resume" ? null : current.error };
  });
  await audit(services, by, `campaign.${what}`, id);
  return record;
}
