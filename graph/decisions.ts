/** What people decide about environments: approving, rejecting and retiring, each once, each with its audit line. */
import { InputError } from "../config/errors.ts";
import type { ApprovalRecord, EnvironmentRecord, RoundRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import type { Services } from "./services.ts";

export interface Decision {
  readonly status: "approved" | "rejected";
  readonly by: string;
  /** Why; required of a rejection by the commands, not here. */
  readonly reason: string | null;
  /** The round that asked; by default the one that waits for it, else the one that designed it. */
  readonly roundId?: string;
}

export interface Decided {
  readonly environment: EnvironmentRecord;
  readonly roundId: string | null;
  /** Environments of the round that are still undecided. */
  readonly waiting: number;
  /** Whether the round waited for this decision alone and can be resumed now. */
  readonly mayGoOn: boolean;
}

/**
 * Decides about one environment by compare-and-set: of two people at once one decides and the other is told so. An
 * admitted environment that no round asks about can be rejected too. Throws `input.not-found` and `input.conflict`.
 */
export async function decide(
  services: Services,
  environmentId: string,
  decision: Decision,
): Promise<Decided> {
  const { store } = services;
  const environment = await existing(store, environmentId);
  await expireApprovals(services);
  const roundId = decision.roundId ?? (await waitingRoundOf(store, environmentId)) ?? environment.roundId;
  const approval = roundId === null ? null : await store.approvals.get(roundId, environmentId);
  if (roundId === null || approval === null) {
    if (decision.status === "approved") {
      throw new InputError("input.conflict", `No round asks for an approval of ${environmentId}.`);
    }
    return {
      environment: await close(services, environmentId, "rejected", decision),
      roundId,
      waiting: 0,
      mayGoOn: false,
    };
  }
  const round = await store.rounds.get(roundId);
  const won =
    approval.status === "waiting" &&
    (await store.approvals.decide(roundId, environmentId, {
      status: decision.status,
      by: decision.by,
      reason: decision.reason,
      at: services.now(),
    }));
  if (!won) {
    const first = (await store.approvals.get(roundId, environmentId)) ?? approval;
    throw new InputError(
      "input.conflict",
      `${environmentId} was ${first.status} already${first.decidedBy === null ? "" : ` by ${first.decidedBy}`}.`,
    );
  }
  await audit(services, decision.by, `environment.${decision.status}`, environmentId, decision.reason);
  const decided = await store.approvals.get(roundId, environmentId);
  if (decided !== null) await applyDecision(store, decided);
  services.emit({ type: "approval-decided", roundId, environmentId, status: decision.status });
  const waiting = await undecided(store, roundId);
  return {
    environment: await existing(store, environmentId),
    roundId,
    waiting,
    mayGoOn: waiting === 0 && (round?.status === "waiting" || round?.status === "running"),
  };
}

async function waitingRoundOf(store: Store, environmentId: string): Promise<string | null> {
  const waiting = await store.approvals.waiting();
  return waiting.find((approval) => approval.environmentId === environmentId)?.roundId ?? null;
}

/** Until when people can decide about what was asked then, milliseconds since 1970. */
export function approvalDeadline({ config }: Pick<Services, "config">, askedAt: number): number {
  return askedAt + config.approvals.expireHours * 3_600_000;
}

/** Whoever decides that time is up. */
export const expiry = "expiry";

/** Rejects what nobody decided about in time. Returns what expired. */
export async function expireApprovals(services: Services): Promise<readonly ApprovalRecord[]> {
  const { store, now, config } = services;
  const expired: ApprovalRecord[] = [];
  for (const { roundId, environmentId, askedAt } of await store.approvals.waiting()) {
    if (now() < approvalDeadline(services, askedAt)) continue;
    const reason = `Nobody decided within ${config.approvals.expireHours} hours.`;
    const decision = { status: "rejected", by: expiry, reason, at: now() } as const;
    if (!(await store.approvals.decide(roundId, environmentId, decision))) continue;
    await audit(services, expiry, "environment.rejected", environmentId, reason);
    const decided = await store.approvals.get(roundId, environmentId);
    if (decided === null) continue;
    await applyDecision(store, decided);
    services.emit({ type: "approval-decided", roundId, environmentId, status: "rejected" });
    expired.push(decided);
  }
  return expired;
}

/** Takes an admitted environment out of play. Throws `input.not-found` and `input.conflict`. */
export async function retire(
  services: Services,
  environmentId: string,
  by: string,
  reason: string | null = null,
): Promise<EnvironmentRecord> {
  await existing(services.store, environmentId);
  return close(services, environmentId, "retired", { by, reason });
}

/** Makes an environment what a decision says; doing it again changes nothing. */
export async function applyDecision(
  store: Pick<Store, "environments">,
  { environmentId, status, decidedBy, reason }: ApprovalRecord,
): Promise<void> {
  if (status !== "rejected") return;
  await store.environments.update(environmentId, (record) =>
    record.status !== "admitted"
      ? record
      : { ...record, status: "rejected", reason: reason ?? `Rejected by ${decidedBy ?? "a person"}.` },
  );
}

/** Environments of a round that nobody has decided about. */
export async function undecided(store: Pick<Store, "approvals">, roundId: string): Promise<number> {
  const asked = await store.approvals.ofRound(roundId);
  return asked.filter(({ status }) => status === "waiting").length;
}

/** Ends what a cancelled round left open: nobody decides about it and nothing more is designed. */
export async function closeRound(services: Services, round: RoundRecord, by: string): Promise<void> {
  const { store } = services;
  const reason = "The round was cancelled.";
  for (const approval of await store.approvals.ofRound(round.id)) {
    if (approval.status !== "waiting") continue;
    const decision = { status: "rejected", by, reason, at: services.now() } as const;
    await store.approvals.decide(round.id, approval.environmentId, decision);
    const decided = await store.approvals.get(round.id, approval.environmentId);
    if (decided !== null) await applyDecision(store, decided);
  }
  let after: string | undefined;
  do {
    const page = await store.environments.list(
      { roundId: round.id, status: "designed" },
      { limit: 100, after },
    );
    for (const { id } of page.items) {
      await store.environments.update(id, (record) =>
        record.status === "designed" ? { ...record, status: "rejected", reason } : record,
      );
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
}

/** One line of the audit log. */
export async function audit(
  services: Services,
  who: string,
  what: string,
  subject: string,
  detail: string | null = null,
): Promise<void> {
  await services.store.audit.append({ at: services.now(), who, what, subject, detail: detail ?? "" });
}

async function close(
  services: Services,
  environmentId: string,
  status: "rejected" | "retired",
  { by, reason }: { readonly by: string; readonly reason: string | null },
): Promise<EnvironmentRecord> {
  const record = await services.store.environments.update(environmentId, (current) => {
    if (current.status !== "admitted") {
      throw new InputError("input.conflict", `${environmentId} is ${current.status}, not admitted.`);
    }
    return {
      ...current,
      status,
      reason: reason ?? `${status === "retired" ? "Retired" : "Rejected"} by ${by}.`,
    };
  });
  await audit(services, by, `environment.${status}`, environmentId, reason);
  return record;
}

async function existing(store: Pick<Store, "environments">, id: string): Promise<EnvironmentRecord> {
  const record = await store.environments.get(id);
  if (record === null) throw new InputError("input.not-found", `There is no environment ${id}.`);
  return record;
}
