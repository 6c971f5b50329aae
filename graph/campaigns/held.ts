/** What a process holds while it works on a campaign: its lease, and that of the policy that it trains. */
import { InputError } from "../../config/errors.ts";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import { type Held, Hold } from "../hold.ts";
import type { Services } from "../services.ts";

/** The lease of a campaign, and, if it trains one, that of its policy: two trainers would take turns being too late. */
export async function holdAll(services: Services, record: CampaignRecord): Promise<Hold[]> {
  const own = heldCampaign(services, record.id);
  const first = await Hold.take(services, own, false);
  if (record.options.trainer === "none") return [first];
  const { model } = record.options.round;
  try {
    const policy: Held = {
      ...own,
      lease: `training:${model}`,
      said: `a campaign that trains ${model}`,
      // The campaign's own hold looks after both.
      isCalledOff: async () => false,
      addTime: async () => {},
    };
    return [first, await Hold.take(services, policy, false)];
  } catch (error) {
    await first.release();
    throw error;
  }
}

function heldCampaign({ store }: Services, id: string): Held {
  return {
    lease: campaignLease(id),
    said: `campaign ${id}`,
    isCalledOff: async () => (await store.campaigns.get(id))?.status !== "running",
    addTime: async (ms) => {
      await store.campaigns.update(id, (record) => ({ ...record, wallMs: record.wallMs + ms }));
    },
  };
}

/** The lease that a process holds while it works on the campaign. */
export function campaignLease(id: string): string {
  return `campaign:${id}`;
}

/** Throws `input.not-found`. */
export async function existing({ store }: Services, id: string): Promise<CampaignRecord> {
  const record = await store.campaigns.get(id);
  if (record === null) throw new InputError("input.not-found", `There is no campaign ${id}.`);
  return record;
}
