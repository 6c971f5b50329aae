/** A store full of plays that nobody played: as large as a test needs, the same each time. */
import { keyedRandom } from "../../config/random.ts";
import type { AnswerTokens } from "../../graph/models/answer-tokens.ts";
import type { EpisodeRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { anEnvironment, anEpisode, aRound } from "../contract/store-records.ts";

export interface Filling {
  readonly rounds: number;
  readonly environments: number;
  readonly plays: number;
  /** Characters that a play's agent says in a turn. */
  readonly characters: number;
}

const words = ["left", "right", "open", "close", "wait", "naïve", "“quoted”", "\u2028", "🎲", '"', "\\n"];

/** Rounds `r1`, `r2`, … of finished plays; the returns of a group differ, and seeds are shared by two plays each. */
export async function fillStore(
  store: Store,
  { rounds, environments, plays, characters }: Filling,
): Promise<void> {
  for (let number = 1; number <= rounds; number += 1) {
    const roundId = `r${number}`;
    const { options } = aRound({ id: roundId });
    await store.rounds.insert(
      aRound({
        id: roundId,
        status: "finished",
        startedAt: number,
        options: { ...options, playsPerSeed: 2 },
      }),
    );
    for (let slot = 0; slot < environments; slot += 1) {
      const environmentId = `${roundId}-${slot + 1}`;
      await store.environments.insert(anEnvironment({ id: environmentId, roundId, slot }));
      await store.episodes.insertWithTranscripts(
        Array.from({ length: plays }, (_, index) =>
          aPlay(
            {
              roundId,
              environmentId,
              index,
              seed: Math.floor(index / 2),
              return: index % 2,
              startedAt: number * 1_000 + index,
              endedAt: number * 1_000 + index + 500,
            },
            saidOf(characters, [number, slot, index]),
          ),
        ),
      );
    }
  }
}

function saidOf(characters: number, key: readonly number[]): string[] {
  const random = keyedRandom("export", ...key);
  return Array.from({ length: 1 + random.below(3) }, () => {
    let said = `turn of ${key.join(".")}`;
    while (said.length < characters) said += ` ${random.pick(words)}`;
    return said;
  });
}

/** A play with these answers; `tokens` are those of each turn, if its model reported any. */
export function aPlay(
  over: Partial<EpisodeRecord>,
  said: readonly string[],
  tokens: readonly AnswerTokens[] = [],
): { readonly record: Omit<EpisodeRecord, "transcriptId">; readonly transcript: string } {
  const { transcriptId: _written, ...record } = anEpisode({ turns: said.length, ...over });
  const transcript = JSON.stringify({
    system: "You play.",
    firstObservation: `Instance ${record.seed} of ${record.environmentId}.`,
    turns: said.map((text, at) => ({
      said: text,
      action: text,
      observation: `After ${at}.`,
      reward: 0,
      terminated: at === said.length - 1,
      truncated: false,
      info: {},
      decisions: null,
      usage: { calls: 1, inputTokens: 1, outputTokens: 1, costUsd: 0 },
      ms: 1,
      ...(tokens[at] === undefined ? {} : { tokens: tokens[at] }),
    })),
  });
  return { record, transcript };
}
