/** `approve` and `reject`: what people decide about environments that a round asks about. */
import { z } from "zod";
import type { Decided } from "../../graph/decisions.ts";
import { type Button, card, text } from "../cards/card.ts";
import { counted } from "../cards/numbers.ts";
import { type Answer, defineCommand } from "./command.ts";
import { environmentArgument } from "./shared.ts";

function answerOf({ environment, roundId, waiting, mayGoOn }: Decided, verdict: string): Answer {
  const blocks = [];
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
    json: {
      environmentId: environment.id,
      roundId,
      decision: verdict,
      status: environment.status,
      waiting,
      mayGoOn,
    },
  };
}

export const approve = defineCommand({
  name: "approve",
  summary: "Approve an environment that a round asks about",
  details: "When nothing of the round waits any more, resume it.",
  role: "researcher",
  options: { id: environmentArgument },
  async run({ id }, caller, context) {
    const services = await context.services();
    const { decide } = await import("../../graph/decisions.ts");
    const decided = await decide(services, id, { status: "approved", by: caller.name, reason: null });
    return answerOf(decided, "approved");
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
    const { decide } = await import("../../graph/decisions.ts");
    const decided = await decide(services, id, { status: "rejected", by: caller.name, reason });
    return answerOf(decided, "rejected");
  },
});
