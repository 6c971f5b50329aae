/** Token-level rows: a play is one row as long as its context only grows, and only sampled tokens are learnt from. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import type { AnswerTokens } from "../../graph/models/answer-tokens.ts";
import { openStore } from "../../store/open.ts";
import type { EpisodeRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { anEnvironment, aRound } from "../contract/store-records.ts";
import { aPlay } from "../support/export-store.ts";
import { exported } from "../support/exports.ts";
import { silent } from "../support/services.ts";

const tokens = z.array(z.number().int());
const row = z.strictObject({
  tokens,
  response_length: z.number().int(),
  loss_mask: z.array(z.union([z.literal(0), z.literal(1)])),
  rollout_log_probs: z.array(z.number()),
  reward: z.number(),
  advantage: z.number(),
  status: z.enum(["completed", "truncated", "failed"]),
  metadata: z.looseObject({
    episodeId: z.string(),
    policyVersion: z.string().nullable(),
    promptHoldsHint: z.boolean(),
    part: z.number().int(),
    parts: z.number().int(),
    spread: z.boolean(),
  }),
});

let dataDir: string;
let store: Store;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "spadework-tokens-"));
  store = await openStore({ dataDir, log: silent });
  await store.rounds.insert(aRound({ id: "r1", status: "finished" }));
  await store.environments.insert(anEnvironment({ id: "r1-1" }));
});

afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

function turnOf(prompt: readonly number[], sampled: readonly number[]): AnswerTokens {
  return { prompt: [...prompt], sampled: [...sampled], logprobs: sampled.map((token) => -token / 100) };
}

async function put(over: Partial<EpisodeRecord>, turns: readonly AnswerTokens[]): Promise<void> {
  const said = turns.map((_, at) => `answer ${at}`);
  await store.episodes.insertWithTranscripts([
    aPlay({ roundId: "r1", environmentId: "r1-1", ...over }, said, turns),
  ]);
}

test("a play whose context only grows is one row; what the environment said has mask and log-probability 0", async () => {
  await put({ index: 0, return: 1 }, [turnOf([1, 2, 3], [4, 5]), turnOf([1, 2, 3, 4, 5, 6, 7], [8])]);
  await put({ index: 1, return: 0, terminated: false, truncated: true }, [turnOf([1, 2, 3], [9])]);
  const { rows } = await exported({ store }, row, { format: "tokens" });
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({
    tokens: [1, 2, 3, 4, 5, 6, 7, 8],
    response_length: 5,
    loss_mask: [1, 1, 0, 0, 1],
    rollout_log_probs: [-0.04, -0.05, 0, 0, -0.08],
    reward: 1,
    status: "completed",
    metadata: { episodeId: "r1.r1-1.plain.0", part: 0, parts: 1, spread: true },
  });
  expect(rows[1]).toMatchObject({ tokens: [1, 2, 3, 9], response_length: 1, status: "truncated" });
  expect(rows.map(({ advantage }) => advantage)).toEqual([expect.closeTo(1, 6), expect.closeTo(-1, 6)]);
});

test("where earlier turns are rewritten, a new row begins with the rewritten prompt", async () => {
  await put({ index: 0, return: 1 }, [
    turnOf([1, 2], [3, 4]),
    turnOf([1, 2, 4, 5], [6]),
    turnOf([1, 2, 4, 5, 6, 7], [8]),
  ]);
  const { rows } = await exported({ store }, row, { format: "tokens" });
  expect(rows.map((one) => [one.tokens, one.loss_mask, one.metadata.part, one.metadata.parts])).toEqual([
    [[1, 2, 3, 4], [1, 1], 0, 2],
    [[1, 2, 4, 5, 6, 7, 8], [1, 0, 1], 1, 2],
  ]);
});

test("a group without any spread has advantage 0 and says so", async () => {
  await put({ index: 0, return: 1 }, [turnOf([1], [2])]);
  await put({ index: 1, return: 1 }, [turnOf([1], [3])]);
  const { rows, outcome } = await exported({ store }, row, { format: "tokens" });
  expect(rows.map(({ advantage, metadata }) => [advantage, metadata.spread])).toEqual([
    [0, false],
    [0, false],
  ]);
  expect(outcome).toMatchObject({ card: { counts: { rowsWithoutSpread: 2 } } });
});

test("plays without tokens are left out and counted", async () => {
  await put({ index: 0 }, [turnOf([1], [2])]);
  await store.episodes.insertWithTranscripts([
    aPlay({ roundId: "r1", environmentId: "r1-1", index: 1 }, ["no tokens"]),
  ]);
  const { rows, outcome } = await exported({ store }, row, { format: "tokens" });
  expect(rows).toHaveLength(1);
  expect(outcome).toMatchObject({ card: { counts: { leftOut: { "no-tokens": 1 } } } });
});
