/** Telling lost plays from an outage. */
import { expect, test } from "vitest";
import { ProviderError } from "../../config/errors.ts";
import { Outage } from "../../graph/outage.ts";
import type { EpisodeRecord } from "../../store/records.ts";

function episode(index: number, lost: boolean): EpisodeRecord {
  return {
    id: `r1.r1-1.plain.${index}`,
    roundId: "r1",
    environmentId: "r1-1",
    arm: "plain",
    index,
    seed: index,
    player: "scripted",
    policyVersion: null,
    return: lost ? null : 1,
    terminated: !lost,
    truncated: false,
    turns: 1,
    failure: lost ? { code: "provider.refused", detail: "Against the rules.", ours: true } : null,
    hintId: null,
    transcriptId: "0".repeat(64),
    usage: { calls: 1, inputTokens: 0, outputTokens: 0, costUsd: 0 },
    startedAt: 0,
    endedAt: 0,
  };
}

const refusal = new ProviderError("provider.refused", "It answered 400.", { data: { status: 400 } });
const down = new ProviderError("provider.unreachable", "It answered 503.", { data: { status: 503 } });

async function losses(storedBefore: number, cause: ProviderError): Promise<string[]> {
  const kept: string[] = [];
  const outage = new Outage(async ({ id }: EpisodeRecord) => {
    kept.push(id);
  }, storedBefore);
  for (let index = 0; index < 20; index += 1) await outage.take(episode(index, true), cause);
  await outage.end();
  return kept;
}

test("an environment whose every play is refused does not keep a round from ending", async () => {
  expect(await losses(5, refusal)).toHaveLength(20);
});

test("a model that refuses every request from the start ends the round", async () => {
  await expect(losses(0, refusal)).rejects.toBe(refusal);
});

test("a provider that is down ends the round, however much went well before", async () => {
  await expect(losses(5, down)).rejects.toBe(down);
});

test("plays that are refused between others that go well are kept with them", async () => {
  const kept: string[] = [];
  const outage = new Outage(async ({ id }: EpisodeRecord) => {
    kept.push(id);
  }, 0);
  await outage.take(episode(0, false), null);
  for (let index = 1; index < 15; index += 1) await outage.take(episode(index, true), refusal);
  await outage.take(episode(15, false), null);
  await outage.end();
  expect(kept).toHaveLength(16);
});
