/** Runs a round that is in the store, and answers with its result or with how to go on. */
import { RoundError } from "../../config/errors.ts";
import type { Config } from "../../config/schema.ts";
import type { Services } from "../../graph/services.ts";
import type { RoundOptions, RoundRecord } from "../../store/records.ts";
import type { Caller } from "../caller.ts";
import { roundCard } from "../cards/round-card.ts";
import type { RoundPurpose } from "../chat/team.ts";
import type { Answer, CommandContext } from "./command.ts";

/** The result of a round as it is now. */
export async function answerOf(services: Services, roundId: string): Promise<Answer> {
  const { roundResult } = await import("../../graph/result.ts");
  const result = await roundResult(services.store, roundId);
  const waiting =
    result.status === "waiting"
      ? (await services.store.approvals.ofRound(roundId))
          .filter(({ status }) => status === "waiting")
          .map(({ environmentId }) => environmentId)
      : [];
  return {
    card: roundCard(result, waiting),
    json: result,
    exit: result.status === "failed" || result.status === "cancelled" ? 3 : 0,
  };
}

/**
 * Works on the round until it ends, waits for people, or is asked to stop. Throws `round.interrupted` in the last
 * case, and what runRound throws. In a chat the round goes on in the background, and the answer says where.
 */
export async function runAndAnswer(
  context: CommandContext,
  services: Services,
  roundId: string,
  caller: Caller,
  purpose: RoundPurpose = "round",
): Promise<Answer> {
  if (context.team !== null && context.place !== null) {
    const shown = await context.team.startRound(roundId, caller, context.place, purpose);
    return { card: shown, json: { roundId } };
  }
  const { runRound } = await import("../../graph/control.ts");
  const record = await runRound(services, roundId, { drain: context.drainable() });
  if (record.status === "running") {
    const kept = (await services.store.episodes.ofRound(roundId)).length;
    throw new RoundError(
      "round.interrupted",
      `Round ${roundId} was interrupted; ${kept} finished ${kept === 1 ? "episode is" : "episodes are"} kept.`,
      { data: { roundId, episodes: kept } },
    );
  }
  const answer = await answerOf(services, roundId);
  return purpose === "request" ? requested(services, record, answer) : answer;
}

/** The answer to a request shows its environment; one that was rejected is a job that failed. */
async function requested(services: Services, record: RoundRecord, answer: Answer): Promise<Answer> {
  const { requestCard } = await import("../cards/request-card.ts");
  const [id] = record.environmentIds;
  const environment = id === undefined ? null : await services.store.environments.get(id);
  const exit = environment?.status === "rejected" ? 3 : (answer.exit ?? 0);
  // On a command line the source has a command of its own; it would bury the rest.
  return { ...answer, card: { ...(await requestCard(services, record)), files: [] }, exit };
}

/** Whether a round asks people, and about what: as whoever starts it says, else as the policy of the lab does. */
export function askedApproval(
  { approvals }: Pick<Config, "approvals">,
  given: boolean,
): Pick<RoundOptions, "approve" | "asks"> {
  if (given || approvals.policy === "always") return { approve: true, asks: "always" };
  return approvals.policy === "never" ? { approve: false } : { approve: true, asks: "first-use" };
}

/** A seed that nobody chose: any of the 2^31 that rounds and environments take. */
export function randomSeed(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return drawn & 0x7fff_ffff;
}
