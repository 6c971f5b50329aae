/**
 * The watch desk: turns what happens in rounds into alerts, and sees to it that they are delivered. What ended while
 * nobody was there to listen is told after the next start.
 */
import type { Logger } from "pino";
import { listCampaigns } from "../../graph/campaigns/control.ts";
import { campaignLease } from "../../graph/campaigns/held.ts";
import { campaignOf, ownRounds } from "../../graph/campaigns/ids.ts";
import type { RoundEvent } from "../../graph/events.ts";
import { leaseName } from "../../graph/hold.ts";
import { type RoundResult, roundResult } from "../../graph/result.ts";
import type { Services } from "../../graph/services.ts";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import type { RoundRecord } from "../../store/records.ts";
import { duration } from "../cards/numbers.ts";
import type { Room } from "../chat/room.ts";
import { campaignAlerts } from "./campaign-alerts.ts";
import { createNotifier } from "./notifier.ts";
import { meanRegret, roundAlerts } from "./round-alerts.ts";

export interface WatchDeskOptions {
  readonly services: Services;
  readonly room: Room;
  readonly log: Logger;
  /** How often what is due is looked for, milliseconds. */
  readonly lookEveryMs?: number;
  /** A round that runs and of which nothing was heard for so long is stuck, milliseconds. */
  readonly stuckAfterMs?: number;
}

export interface WatchDesk {
  listen(event: RoundEvent): void;
  resume(): Promise<void>;
  /** Ends; what is being told is told. */
  close(): Promise<void>;
}

/** Rounds that are looked at after a start, and for the frontier. */
const recentRounds = 50;
/** What ended longer ago is history, milliseconds. */
const tellWithinMs = 24 * 3_600_000;
const providerCodes = new Set(["provider.unreachable", "provider.timed-out"]);

export function createWatchDesk({
  services,
  room,
  log,
  lookEveryMs = 5_000,
  stuckAfterMs = 600_000,
}: WatchDeskOptions): WatchDesk {
  const { store, config, now } = services;
  const notifier = createNotifier({ store, room, log, now, debounceMs: config.watch.debounceMs });
  /** When something was last heard of a round that runs in this process. */
  const heard = new Map<string, number>();
  /** Rounds and the model they play with, as long as they run here. */
  const models = new Map<string, string>();
  const downModels = new Set<string>();
  let queue: Promise<void> = Promise.resolve();
  let looking = false;
  let closed = false;

  /** One thing after another, so that what is told comes in its order and no group is written twice at once. */
  const then = (work: () => Promise<void>): void => {
    if (closed) return;
    queue = queue.then(async () => {
      try {
        await work();
      } catch (error) {
        log.error({ err: error }, "watching failed");
      }
    });
  };

  /** Rounds of no campaign, newest first. */
  const latest = async (): Promise<readonly RoundRecord[]> =>
    (await store.rounds.list({ limit: recentRounds }, ownRounds)).items;

  const stuckKey = (id: string): string => `queue-stuck:${id}`;

  /** Whether a campaign is stuck, as it was told last. */
  const stuckCampaigns = new Map<string, boolean>();
  const lookIfStuck = async ({
    id,
    status,
    rounds,
    evaluations,
    startedAt,
  }: CampaignRecord): Promise<void> => {
    const holder = await store.leases.holder(campaignLease(id));
    const here = [...heard].filter(([roundId]) => campaignOf(roundId) === id).map(([, at]) => at);
    const done = [rounds.findLast(({ update }) => update !== null)?.update?.at, evaluations.at(-1)?.at];
    const since = Math.max(startedAt, ...here, ...done.filter((at) => at !== undefined));
    // Another process may work on it, whose events don't reach this one.
    const isSeen = holder === null || here.length > 0;
    const isStuck = status === "running" && isSeen && now() - since >= stuckAfterMs;
    if (stuckCampaigns.get(id) === isStuck) return;
    stuckCampaigns.set(id, isStuck);
    if (!isStuck)
      return notifier.resolve(stuckKey(id), status === "running" ? "it goes on" : `it is ${status}`);
    const why = holder === null ? "nobody works on it" : "nothing comes of it";
    const text = `Campaign ${id} makes no progress: ${why} for ${duration(now() - since)}.`;
    await notifier.tell({ key: stuckKey(id), event: "queue-stuck", text, roundId: null, resolves: true });
  };

  /** What was told of a campaign, as its alerts; others have nothing new to tell. */
  const toldOf = new Map<string, string>();
  const lookAtCampaigns = async (): Promise<void> => {
    for (const campaign of await listCampaigns(services)) {
      const { id, status, endedAt } = campaign;
      await lookIfStuck(campaign);
      if (status !== "running" && now() - (endedAt ?? 0) > tellWithinMs) continue;
      const alerts = campaignAlerts(campaign, now());
      const state = alerts.map(({ told, over }) => `${told.key}=${over ?? ""}`).join(" ");
      if (toldOf.get(id) === state) continue;
      for (const { told, over } of alerts) {
        if (over !== null) await notifier.resolve(told.key, over);
        else if (now() - told.since < tellWithinMs) await notifier.tell(told);
      }
      toldOf.set(id, state);
    }
  };

  const ended = async (roundId: string, since: number): Promise<void> => {
    const result = await roundResult(store, roundId);
    // What there is to say of a campaign's rounds, the campaign says.
    if (campaignOf(roundId) !== null) return providerDown(result, since);
    const finished = (await latest()).filter(
      ({ status, options, id }) =>
        status === "finished" && options.mode === "self-play" && isUpTo(id, roundId),
    );
    const recent: RoundResult[] = [];
    for (const { id } of finished.slice(0, config.watch.frontierRounds)) {
      recent.push(id === roundId ? result : await roundResult(store, id));
    }
    const alerts = roundAlerts(result, recent, config.watch);
    for (const told of alerts) await notifier.tell({ ...told, since });
    const regret = meanRegret(result);
    if (result.mode === "self-play" && regret !== null && regret >= config.watch.frontierRegret) {
      await notifier.resolve("frontier-lost", `mean regret of ${roundId} is ${regret.toFixed(2)}`);
    }
    await providerDown(result, since);
  };

  const providerDown = async (result: RoundResult, since: number): Promise<void> => {
    const { error, roundId } = result;
    if (result.status === "failed" && error !== null && providerCodes.has(error.code)) {
      downModels.add(result.model);
      const text = `${result.model} does not answer: ${error.message}`;
      await notifier.tell({
        key: `provider:${result.model}`,
        event: "provider",
        text,
        roundId,
        resolves: true,
        since,
      });
    }
  };

  const answered = async (roundId: string): Promise<void> => {
    const model = models.get(roundId);
    if (model === undefined || !downModels.delete(model)) return;
    await notifier.resolve(`provider:${model}`, "it answers again");
  };

  const approvalKey = (event: { readonly roundId: string; readonly environmentId: string }): string =>
    `approval-waiting:${event.roundId}:${event.environmentId}`;

  const lookForStuck = async (): Promise<void> => {
    for (const round of await latest()) {
      if (round.status !== "running") {
        if (heard.delete(round.id)) await notifier.resolve(stuckKey(round.id), `it is ${round.status}`);
        continue;
      }
      const holder = await store.leases.holder(leaseName(round.id));
      const since = heard.get(round.id) ?? round.startedAt;
      // Another process may work on it, whose events don't reach this one.
      if (holder !== null && !heard.has(round.id)) continue;
      if (now() - since < stuckAfterMs) continue;
      const why = holder === null ? "nobody works on it" : "nothing comes of it";
      const text = `Round ${round.id} makes no progress: ${why} for ${duration(now() - since)}.`;
      await notifier.tell({
        key: stuckKey(round.id),
        event: "queue-stuck",
        text,
        roundId: round.id,
        resolves: true,
      });
    }
  };

  const look = (): void => {
    if (looking) return;
    looking = true;
    then(async () => {
      looking = false;
      await lookForStuck();
      await lookAtCampaigns();
      await notifier.deliver();
    });
  };

  const timer = setInterval(look, lookEveryMs);
  timer.unref();

  return {
    listen(event) {
      const { roundId } = event;
      // What is told later has happened now.
      const since = now();
      const silentFor = now() - (heard.get(roundId) ?? now());
      heard.set(roundId, now());
      if (silentFor >= stuckAfterMs) then(() => notifier.resolve(stuckKey(roundId), "it goes on"));
      switch (event.type) {
        case "round-started":
          models.set(roundId, event.model);
          break;
        case "designed":
          then(() => answered(roundId));
          break;
        case "episode":
          if (event.return !== null && downModels.size > 0) then(() => answered(roundId));
          break;
        case "approval-asked":
          then(async () => {
            const { environmentId } = event;
            const name = (await store.environments.get(environmentId))?.name ?? "";
            const text = `${environmentId} ${name} of round ${roundId} waits for approval.`;
            const key = approvalKey(event);
            await notifier.tell({ key, event: "approval-waiting", text, roundId, resolves: true, since });
          });
          break;
        case "approval-decided":
          then(async () => {
            const approval = await store.approvals.get(roundId, event.environmentId);
            const by = approval?.decidedBy === null ? "" : ` by ${approval?.decidedBy}`;
            await notifier.resolve(approvalKey(event), `${approval?.status ?? "decided"}${by}`);
          });
          break;
        case "budget":
          then(() =>
            notifier.tell({
              key: `budget:${roundId}:${event.percent}`,
              event: "budget",
              text: `Round ${roundId} has used ${event.percent} % of its budget.`,
              roundId,
              since,
            }),
          );
          break;
        case "round-ended":
          models.delete(roundId);
          heard.delete(roundId);
          then(() => ended(roundId, since));
          break;
        default:
      }
    },

    async resume() {
      then(async () => {
        const missed = (await latest()).filter(
          ({ endedAt, startedAt, status }) =>
            (endedAt !== null || status === "failed") && now() - (endedAt ?? startedAt) < tellWithinMs,
        );
        for (const { id, endedAt, startedAt } of missed.toReversed()) {
          await ended(id, endedAt ?? startedAt);
        }
        const waiting = await store.approvals.waiting();
        for (const { roundId, environmentId } of waiting) {
          const text = `${environmentId} of round ${roundId} waits for approval.`;
          const key = approvalKey({ roundId, environmentId });
          await notifier.tell({ key, event: "approval-waiting", text, roundId, resolves: true });
        }
        await lookAtCampaigns();
        await notifier.deliver();
      });
      await queue;
    },

    async close() {
      clearInterval(timer);
      then(async () => {
        await lookAtCampaigns();
        await notifier.deliver();
      });
      closed = true;
      await queue;
    },
  };
}

/** Rounds are numbered in their order: `r2` is not after `r10`. */
function isUpTo(id: string, other: string): boolean {
  return Number(id.slice(1)) <= Number(other.slice(1));
}
