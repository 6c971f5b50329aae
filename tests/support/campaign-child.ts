/**
 * A process that works on one campaign until it is done, or kills itself at a chosen moment:
 * `node campaign-child.ts DATA_DIR CAMPAIGN [MOMENT N before|after]`. Moments are model calls, writes of environments,
 * episodes and versions, and the steps of the campaign as they are written down.
 */
import { composeServices } from "../../config/compose.ts";
import { configSchema } from "../../config/schema.ts";
import { runCampaign } from "../../graph/campaigns/run.ts";
import type { Services } from "../../graph/services.ts";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import { silent } from "./services.ts";

const [dataDir = "", id = "", moment = "", nth = "1", when = "before"] = process.argv.slice(2);
let met = 0;

async function at<T>(what: string, work: () => Promise<T>): Promise<T> {
  const isMoment = what === moment && ++met === Number(nth);
  if (isMoment && when === "before") process.kill(process.pid, "SIGKILL");
  const result = await work();
  if (isMoment && when === "after") process.kill(process.pid, "SIGKILL");
  return result;
}

/** What a campaign has done, as a word of what it did last. */
function stepBetween(before: CampaignRecord, after: CampaignRecord): string {
  const played = ({ rounds }: CampaignRecord): number =>
    rounds.filter(({ summary }) => summary !== null).length;
  const trained = ({ rounds }: CampaignRecord): number =>
    rounds.filter(({ update }) => update !== null).length;
  if (after.status !== before.status) return after.status;
  if (after.evaluations.length > before.evaluations.length) return "evaluated";
  if (after.poolRounds.length > before.poolRounds.length) return "pooled";
  if (trained(after) > trained(before)) return "trained";
  if (played(after) > played(before)) return "played";
  return after.rounds.length > before.rounds.length ? "begun" : "other";
}

const config = configSchema.parse({ dataDir, sandbox: { hosts: 1 } });
const real = await composeServices(config, { log: silent, emit: () => {} });
const { campaigns, policies, episodes, environments } = real.store;
const services: Services = {
  ...real,
  model: async (name, version) => {
    const model = await real.model(name, version);
    return Object.assign(Object.create(model), {
      call: (...given: Parameters<typeof model.call>) => at("called", () => model.call(...given)),
    });
  },
  store: {
    ...real.store,
    policies: { ...policies, insert: (record) => at("version", () => policies.insert(record)) },
    environments: {
      ...environments,
      insert: (record) => at("designed", () => environments.insert(record)),
    },
    episodes: {
      ...episodes,
      insertWithTranscripts: (list) => at("episode", () => episodes.insertWithTranscripts(list)),
    },
    campaigns: {
      ...campaigns,
      async update(campaignId, change) {
        const before = await campaigns.get(campaignId);
        const step = before === null ? "other" : stepBetween(before, change(before));
        return at(step, () => campaigns.update(campaignId, change));
      },
    },
  },
};
const { status } = await runCampaign(services, id);
await services.close();
process.stdout.write(`${status}\n`);
process.exit(0);
