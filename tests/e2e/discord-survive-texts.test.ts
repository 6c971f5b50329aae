/** Whatever a model prints or a person writes: the lab's own cards of it stay within everything that Discord says of messages. */
import { beforeAll, expect, it } from "vitest";
import { alertCard } from "../../bot/cards/alert-card.ts";
import { approvalCard } from "../../bot/cards/approval-card.ts";
import { auditCard } from "../../bot/cards/audit-card.ts";
import type { Card } from "../../bot/cards/card.ts";
import { documentCard, documentsCard } from "../../bot/cards/document-card.ts";
import { environmentCard, environmentsCard } from "../../bot/cards/environment-card.ts";
import { episodeCard } from "../../bot/cards/episode-card.ts";
import { errorCard } from "../../bot/cards/error-card.ts";
import { roundCard, roundsCard } from "../../bot/cards/round-card.ts";
import { roundProgressCard, roundStarterCard } from "../../bot/cards/round-progress-card.ts";
import { designCard, designsCard, episodesVoiceCard } from "../../bot/cards/round-voice-card.ts";
import type { RoundView } from "../../bot/chat/round-view.ts";
import { SpadeworkError } from "../../config/errors.ts";
import type { EnvironmentResult } from "../../graph/result.ts";
import type { Transcript } from "../../graph/transcript.ts";
import type { EnvironmentRecord } from "../../store/records.ts";
import { aDocument, anEnvironment, anEpisode, aRound, someScore } from "../contract/store-records.ts";
import { type CheckSchema, loadSchemas } from "../support/discord/schemas.ts";
import { faultsOf, render } from "../support/discord-message.ts";
import { nastyText } from "../support/nasty-texts.ts";

let check: CheckSchema;
beforeAll(async () => {
  check = await loadSchemas();
});

/** Each kind of card with a nasty text wherever somebody else's words stand. */
const cards: Readonly<Record<string, (nasty: string) => Card>> = {
  approval: (nasty) => approvalCard(approvalOf(nasty, "waiting")),
  "decided approval": (nasty) => approvalCard(approvalOf(nasty, "rejected")),
  alerts: (nasty) =>
    alertCard(
      Array.from({ length: 20 }, (_, at) => ({
        key: `round-failed:r${at}`,
        event: "round-failed" as const,
        text: nasty,
        resolves: true,
        roundId: `r${at}`,
        at: 1,
        resolvedAt: at % 2 === 0 ? null : 2,
        resolution: nasty,
      })),
      String,
    ),
  audit: (nasty) =>
    auditCard(
      Array.from({ length: 30 }, () => ({
        at: 1,
        who: nasty,
        what: "hint.add",
        subject: nasty,
        detail: nasty,
      })),
      null,
    ),
  document: (nasty) => documentCard({ ...aDocument("d1"), title: nasty, origin: nasty }, nasty),
  documents: (nasty) =>
    documentsCard(
      Array.from({ length: 20 }, (_, at) => ({ ...aDocument(`d${at}`), title: nasty, origin: nasty })),
      20,
    ),
  environment: (nasty) =>
    environmentCard({
      record: environmentOf(nasty),
      hint: nasty,
      peoplesHints: [{ author: nasty, text: nasty }],
      peoplesPlays: [{ player: nasty, return: 1 }],
      modelsPlays: [{ player: nasty, policyVersion: nasty, plays: 3, meanPlainReturn: 0.5 }],
      documentTitle: nasty,
      lift: { humanLift: 0.1, humanLiftStderr: 0.1 },
    }),
  environments: (nasty) =>
    environmentsCard(
      Array.from({ length: 20 }, () => environmentOf(nasty)),
      { more: true, filtered: false },
    ),
  error: (nasty) => errorCard(new SpadeworkError("input.conflict", nasty), (text) => text),
  episode: (nasty) => episodeCard({ ...anEpisode(), player: nasty }, transcriptOf(nasty)),
  design: (nasty) => designCard(designOf(nasty)),
  designs: (nasty) => designsCard(Array.from({ length: 12 }, () => designOf(nasty))),
  "episode played twice": (nasty) => {
    const played = { episode: { ...anEpisode(), player: nasty }, transcript: transcriptOf(nasty) };
    return episodesVoiceCard({
      environment: environmentOf(nasty),
      hint: nasty,
      plain: played,
      hinted: { ...played, episode: { ...played.episode, arm: "hinted" } },
    });
  },
  round: (nasty) =>
    roundCard({
      roundId: "r1",
      mode: "self-play",
      seed: 1,
      model: nasty,
      policyVersion: nasty,
      status: "failed",
      wallMs: 1,
      environments: Array.from({ length: 12 }, () => resultOf(nasty)),
      totals: {
        inputTokens: 1,
        outputTokens: 1,
        costUsd: 0,
        episodes: 2,
        steps: 2,
        modelCalls: 1,
        droppedGroups: 0,
      },
      error: { code: "provider.unreachable", message: nasty },
    }),
  rounds: (nasty) =>
    roundsCard(
      Array.from({ length: 12 }, () => roundOf(nasty)),
      true,
    ),
  "a round's status": (nasty) => roundProgressCard(viewOf(nasty), { moment: String, note: nasty }),
  "a round's first message": (nasty) => roundStarterCard(roundOf(nasty), { type: "running" }),
};

function environmentOf(nasty: string): EnvironmentRecord {
  return anEnvironment({
    id: "r1-1",
    name: nasty,
    brief: nasty,
    reason: nasty,
    documentId: "d1",
    hintEditedBy: nasty,
    firstObservation: nasty,
    gates: [
      { gate: "parse", verdict: "pass", detail: nasty, ms: 1 },
      { gate: "winnable", verdict: "fail", detail: nasty, ms: 1 },
      { gate: "review", verdict: "fail", detail: nasty, ms: 1 },
    ],
    score: someScore,
  });
}

function approvalOf(nasty: string, status: "waiting" | "rejected") {
  const record = environmentOf(nasty);
  return {
    record,
    approval: {
      roundId: "r1",
      environmentId: record.id,
      status,
      decidedBy: status === "waiting" ? null : nasty,
      reason: status === "waiting" ? null : nasty,
      askedAt: 1,
      decidedAt: null,
    },
    source: nasty,
    hint: nasty,
    documentTitle: nasty,
    until: "tomorrow",
    decidedAt: null,
  };
}

function transcriptOf(nasty: string): Transcript {
  const turn = {
    said: nasty,
    action: nasty,
    observation: nasty,
    reward: 0,
    terminated: false,
    truncated: false,
    info: {},
    decisions: null,
    usage: { calls: 1, inputTokens: 1, outputTokens: 1, costUsd: 0 },
    ms: 1,
  };
  return { system: nasty, firstObservation: nasty, turns: [turn, turn, turn] };
}

function designOf(nasty: string) {
  const memory = { good: [nasty, nasty], bad: [nasty] };
  return { record: environmentOf(nasty), words: nasty, memory, documentTitle: nasty };
}

function resultOf(nasty: string): EnvironmentResult {
  const { winRate: _, ...scored } = someScore;
  const { id, name, kind, language, skill, difficulty, documentId, gates, repairs, reason } =
    environmentOf(nasty);
  const facts = { id, name, kind, language, skill, difficulty, documentId, gates, repairs, reason };
  return { ...facts, ...scored, status: "rejected", hint: nasty, humanLift: null, humanLiftStderr: null };
}

function roundOf(nasty: string) {
  const { options, ...round } = aRound({ id: "r1", startedBy: nasty });
  return { ...round, options: { ...options, brief: nasty, model: nasty } };
}

function viewOf(nasty: string): RoundView {
  const { id, options, startedBy, startedAt } = roundOf(nasty);
  return {
    roundId: id,
    options,
    startedBy,
    startedAt,
    job: { type: "broken", error: new SpadeworkError("input.conflict", nasty) },
    stage: "play",
    stages: [{ stage: "play", done: 1, total: 2, startedAt: null }],
    designs: new Map([["r1-1", { name: nasty, verdict: "admitted" }]]),
    returns: new Map(),
    episodes: 1,
    failed: 0,
    warnings: [nasty, nasty, nasty],
    at: 2,
  };
}

const kinds = Object.entries(cards);
const texts = 1_000;
/** Every text in every kind of card takes a minute; by default each of the texts is in one. */
const everywhere = process.env.NASTY_EVERYWHERE === "1";

it.each(kinds)("a card of %s takes nasty texts", async (kind, made) => {
  const at = kinds.findIndex(([name]) => name === kind);
  const found: string[] = [];
  for (let number = 0; number < texts; number += 1) {
    if (!everywhere && number % kinds.length !== at) continue;
    const message = await render(made(nastyText(number)));
    found.push(...faultsOf(message, check).map((fault) => `${number}: ${fault}`));
    if (message.allowedMentions.parse.length > 0 || message.allowedMentions.users !== undefined) {
      found.push(`${number}: somebody is mentioned`);
    }
  }
  expect(found.slice(0, 8)).toEqual([]);
});
