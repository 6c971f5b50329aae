/** `status`: what runs, what waits for people, and what the lab holds. */
import type { Config } from "../../config/schema.ts";
import { listCampaigns } from "../../graph/campaigns/control.ts";
import { campaignLease } from "../../graph/campaigns/held.ts";
import { ownRounds } from "../../graph/campaigns/ids.ts";
import { leaseName } from "../../graph/hold.ts";
import type { Services } from "../../graph/services.ts";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import type { RoundRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { statusCard } from "../cards/status-card.ts";
import type { Team } from "../chat/team.ts";
import { defineCommand } from "./command.ts";
import { collect } from "./shared.ts";

export interface OpenRound {
  readonly round: RoundRecord;
  /** Whether a process works on it now; a running round that nobody works on was interrupted. */
  readonly worked: boolean;
  /** Rounds that have their turn before it; null unless a chat's process keeps it in its queue. */
  readonly ahead: number | null;
  /** Where in the chat it is shown; null if nowhere. */
  readonly link: string | null;
  readonly episodes: number;
}

export interface WaitingApproval {
  readonly environmentId: string;
  readonly roundId: string;
  readonly name: string;
  readonly askedAt: number;
}

export interface LabFacts {
  readonly dataDir: string;
  readonly rounds: number;
  readonly environments: Readonly<Record<"admitted" | "rejected" | "retired", number>>;
  readonly documents: number;
  readonly policyVersion: string | null;
  readonly model: string;
  readonly sandbox: Pick<Config["sandbox"], "stepTimeoutMs" | "memoryMb" | "livePerHost"> & {
    readonly hosts: number;
  };
}

export interface LabStatus {
  readonly campaigns: readonly OpenCampaign[];
  readonly open: readonly OpenRound[];
  readonly waiting: readonly WaitingApproval[];
  readonly facts: LabFacts;
}

/** A campaign that runs, is paused or failed. */
export interface OpenCampaign {
  readonly campaign: CampaignRecord;
  /** Whether a process works on it now; a running one that nobody works on was interrupted. */
  readonly worked: boolean;
}

async function openCampaigns(services: Pick<Services, "store">): Promise<OpenCampaign[]> {
  const all = await listCampaigns(services);
  const open = all.filter(({ status }) => status !== "finished" && status !== "stopped");
  return Promise.all(
    open.map(async (campaign) => ({
      campaign,
      worked: (await services.store.leases.holder(campaignLease(campaign.id))) !== null,
    })),
  );
}

async function openRounds(
  store: Store,
  all: readonly RoundRecord[],
  team: Team | null,
): Promise<OpenRound[]> {
  const open = all.filter(
    ({ status }) => status === "running" || status === "waiting" || status === "failed",
  );
  return Promise.all(
    open.map(async (round) => ({
      round,
      ...((await team?.whereabouts(round.id)) ?? { ahead: null, link: null }),
      worked: (await store.leases.holder(leaseName(round.id))) !== null,
      episodes: await store.episodes.countOfRound(round.id),
    })),
  );
}

async function waitingApprovals(store: Store): Promise<WaitingApproval[]> {
  const waiting = await store.approvals.waiting();
  return Promise.all(
    waiting.map(async ({ environmentId, roundId, askedAt }) => ({
      environmentId,
      roundId,
      name: (await store.environments.get(environmentId))?.name ?? environmentId,
      askedAt,
    })),
  );
}

async function statusOf(store: Store, config: Config, team: Team | null): Promise<LabStatus> {
  const { items: rounds } = await collect((page) => store.rounds.list(page, ownRounds));
  const { environments } = store;
  const { availableParallelism } = await import("node:os");
  const { stepTimeoutMs, memoryMb, livePerHost, hosts } = config.sandbox;
  return {
    campaigns: await openCampaigns({ store }),
    open: await openRounds(store, rounds, team),
    waiting: await waitingApprovals(store),
    facts: {
      dataDir: config.dataDir,
      rounds: await store.rounds.count(""),
      environments: {
        admitted: await environments.count("admitted"),
        rejected: await environments.count("rejected"),
        retired: await environments.count("retired"),
      },
      documents: await store.documents.count(),
      policyVersion: (await store.policies.latest("embedded"))?.version ?? null,
      model: config.model,
      sandbox: { stepTimeoutMs, memoryMb, livePerHost, hosts: hosts === 0 ? availableParallelism() : hosts },
    },
  };
}

export const status = defineCommand({
  name: "status",
  summary: "Show what runs, what waits for people, and what the lab holds",
  role: "viewer",
  options: {},
  async run(_options, caller, context) {
    const config = await context.config();
    const { store } = await context.services();
    const found = await statusOf(store, config, context.team);
    return {
      card: statusCard(found, caller.surface !== "discord"),
      json: {
        campaigns: found.campaigns.map(({ campaign: { id, status, rounds, options, error }, worked }) => ({
          campaignId: id,
          status,
          interrupted: status === "running" && !worked,
          rounds: rounds.length,
          of: options.rounds,
          error,
        })),
        rounds: found.open.map(({ round, worked, ahead, episodes }) => ({
          roundId: round.id,
          status: round.status,
          interrupted: round.status === "running" && !worked && ahead === null,
          startedAt: new Date(round.startedAt).toISOString(),
          episodes,
          error: round.error,
        })),
        approvals: found.waiting.map((one) => ({ ...one, askedAt: new Date(one.askedAt).toISOString() })),
        lab: found.facts,
      },
    };
  },
});
