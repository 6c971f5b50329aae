/** Small complete records for tests of a store, each with what the test cares about laid over it. */
import {
  type DocumentRecord,
  type EnvironmentRecord,
  type EpisodeRecord,
  episodeId,
  type RoundRecord,
} from "../../store/records.ts";

const someText = "0".repeat(64);

const noPlays = { plays: 0, meanReturn: null, stderr: null, returns: [], failed: 0 };

export const someScore: NonNullable<EnvironmentRecord["score"]> = {
  plain: { plays: 2, meanReturn: 0.5, stderr: 0.25, returns: [1, null, 0], failed: 1 },
  hinted: noPlays,
  hintedHuman: null,
  regret: 0.1,
  regretStderr: null,
  humanRegret: null,
  humanRegretStderr: null,
  winRate: 0.5,
  designerReward: 0.4,
  designerAdvantage: -0.1,
};

export function anEnvironment(over: Partial<EnvironmentRecord> & { readonly id: string }): EnvironmentRecord {
  return {
    roundId: "r1",
    slot: 0,
    name: "VaultDialEnv",
    kind: "game",
    language: "javascript",
    skill: "Logical Deduction",
    difficulty: "easy",
    documentId: null,
    brief: null,
    status: "admitted",
    reason: null,
    sourceId: someText,
    gates: [{ gate: "parse", verdict: "pass", detail: "It parses.", ms: 0.25 }],
    repairs: 0,
    firstAnswerAdmitted: true,
    hintId: null,
    firstObservation: "A vault with a dial.",
    maxTurns: 12,
    tags: ["vault"],
    fingerprint: { structure: [1, 4_294_967_295], literals: [2] },
    designer: { model: "embedded", policyVersion: "p1", decisions: null, conversationId: null },
    score: null,
    createdAt: 1_000,
    ...over,
  };
}

export function anEpisode(over: Partial<EpisodeRecord> = {}): EpisodeRecord {
  const key = { roundId: "r1", environmentId: "e1", arm: "plain" as const, index: 0, ...over };
  return {
    id: episodeId(key),
    seed: 7,
    player: "embedded",
    policyVersion: "p1",
    return: 0.1 + 0.2,
    terminated: true,
    truncated: false,
    turns: 3,
    failure: null,
    hintId: null,
    transcriptId: someText,
    usage: { calls: 3, inputTokens: 100, outputTokens: 20, costUsd: 0 },
    startedAt: 1_000,
    endedAt: 2_000,
    ...key,
  };
}

export function aRound(over: Partial<RoundRecord> & { readonly id: string }): RoundRecord {
  return {
    status: "running",
    options: {
      mode: "self-play",
      envs: 4,
      plays: 8,
      playsPerSeed: 1,
      kind: "mixed",
      skill: null,
      difficulty: null,
      language: "javascript",
      model: "embedded",
      brief: null,
      documentIds: [],
      pool: [],
      preset: null,
      reward: "blend",
      seed: 1,
      approve: false,
      repairs: 2,
      turnCap: 25,
      contextTokens: 32_768,
      temperature: 0.6,
      maxOutputTokens: 8_192,
    },
    startedBy: "somebody",
    startedAt: 1_000,
    endedAt: null,
    wallMs: 0,
    environmentIds: [],
    scores: {},
    totals: null,
    error: null,
    ...over,
  };
}

export function aDocument(id: string): DocumentRecord {
  return {
    id,
    title: `Document ${id}`,
    origin: `${id}.txt`,
    part: 0,
    parts: 1,
    textId: someText,
    characters: 10,
    addedBy: "somebody",
    addedAt: 1_000,
  };
}
