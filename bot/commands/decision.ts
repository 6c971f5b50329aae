/** `approve` and `reject`: what people decide about environments that a round asks about. */
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import type { Decided } from "../../graph/decisions.ts";
import type { Services } from "../../graph/services.ts";
import { requireRole } from "../caller.ts";
import { approvalQueueCard } from "../cards/approval-card.ts";
import { type Button, card, text } from "../cards/card.ts";
import { counted, moment } from "../cards/numbers.ts";
import { type Answer, type CommandContext, defineCommand } from "./command.ts";
import { environmentArgument, environmentOf } from "./shared.ts";

const id = environmentArgument.schema;

/** Without an environment, chat shows what waits; on a command line that is `status`. */
const chosenArgument = { ...environmentArgument, schema: id.optional() } as const;

async function answerOf(
  services: Services,
  { environment, roundId, waiting, mayGoOn }: Decided,
  verdict: string,
  context: CommandContext,
): Promise<Answer> {
  const json = {
    environmentId: environment.id,
    roundId,
    decision: verdict,
    status: environment.status,
    waiting,
    mayGoOn,
  };
  // In a chat the request itself shows the decision, and the round goes on by itself.
  if (context.team !== null && roundId !== null) {
    const approval = await services.store.approvals.get(roundId, environment.id);
    const { approvalCardOf } = await import("../chat/approval-desk.ts");
    const drawn = approval === null ? null : await approvalCardOf(services, approval, context.team.moment);
    if (drawn !== null) return { card: drawn, json, replaces: true };
  }

  const blocks = verdict === "rejected" && environment.reason !== null ? [text(environment.reason)] : [];
  const buttons: Button[] = [];
  if (waiting > 0) {
    blocks.push(
      text(
        `${counted(waiting, "environment")} of round ${roundId} still ${waiting === 1 ? "waits" : "wait"}.`,
      ),
    );
    buttons.push({ label: "See which", command: "status", options: {} });
  } else if (mayGoOn && roundId !== null) {
    blocks.push(text(`Nothing of round ${roundId} waits any more; it can go on.`));
    buttons.push({ label: "Go on with it", command: "resume", options: { id: roundId } });
  }
  return {
    card: card(`${environment.id} ${environment.name}: ${verdict}`, {
      tone: verdict === "approved" ? "good" : "warning",
      blocks,
      buttons,
    }),
    json,
  };
}

/** Whether a round asks, or asked, about it. Rejecting what none asks about takes it out of play, as retiring does. */
async function wasAskedAbout({ store }: Services, environmentId: string): Promise<boolean> {
  const { roundId } = await environmentOf(store, environmentId);
  if (roundId !== null && (await store.approvals.get(roundId, environmentId)) !== null) return true;
  return (await store.approvals.waiting()).some((approval) => approval.environmentId === environmentId);
}

/** Everything that waits for people. */
async function queueOf(services: Services): Promise<Answer> {
  const { approvalDeadline, expireApprovals } = await import("../../graph/decisions.ts");
  await expireApprovals(services);
  const waiting = await services.store.approvals.waiting();
  const queue = await Promise.all(
    waiting.map(async ({ environmentId, roundId, askedAt }) => ({
      environmentId,
      roundId,
      name: (await services.store.environments.get(environmentId))?.name ?? environmentId,
      asked: moment(askedAt),
      until: moment(approvalDeadline(services, askedAt)),
    })),
  );
  return { card: approvalQueueCard(queue), json: { waiting: queue } };
}

export const approve = defineCommand({
  name: "approve",
  summary: "Approve an environment that a round asks about",
  details:
    "When nothing of the round waits any more, resume it; in chat it goes on by itself, and without an environment chat shows what waits.",
  role: "researcher",
  options: { id: chosenArgument },
  async run({ id }, caller, context) {
    const services = await context.services();
    if (id === undefined) {
      if (caller.surface === "command-line") {
        throw new InputError("input.bad-option", "ENV is missing; `status` shows what waits.");
      }
      return queueOf(services);
    }
    const { decide } = await import("../../graph/decisions.ts");
    const decided = await decide(services, id, { status: "approved", by: caller.name, reason: null });
    return answerOf(services, decided, "approved", context);
  },
});

export const reject = defineCommand({
  name: "reject",
  summary: "Reject an environment, saying why",
  role: "researcher",
  options: {
    id: environmentArgument,
    reason: {
      kind: "long-text",
      summary: "why, in words",
      schema: z.string().trim().min(1).max(2_000),
      placeholder: "TEXT",
    },
  },
  async run({ id, reason }, caller, context) {
    const services = await context.services();
    if (!(await wasAskedAbout(services, id))) requireRole(caller, "admin", "reject outside of an approval");
    const { decide } = await import("../../graph/decisions.ts");
    const decided = await decide(services, id, { status: "rejected", by: caller.name, reason });
    return answerOf(services, decided, "rejected", context);
  },
});
