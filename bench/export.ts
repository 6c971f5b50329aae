/** Exports: how many bytes a second are written, and that memory does not grow with the number of episodes. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pino } from "pino";
import { z } from "zod";
import { keyedRandom } from "../config/random.ts";
import { openStore } from "../store/open.ts";
import { anEnvironment, anEpisode, aRound } from "../tests/contract/store-records.ts";
import type { Row } from "./row.ts";

const once = join(import.meta.dirname, "export-once.ts");
const result = z.object({ bytes: z.number(), ms: z.number(), peakMb: z.number() });
type Result = z.infer<typeof result>;

const environmentsOfRound = 25;
const playsOfEnvironment = 16;
const turnsOfPlay = 12;
const smallRounds = 2;
/** How many times as large the other lab is. */
const larger = 10;
const runs = 3;

export async function run(): Promise<Row[]> {
  const directory = await mkdtemp(join(tmpdir(), "spadework-bench-export-"));
  try {
    const [small, large] = [join(directory, "small"), join(directory, "large")];
    await fill(small, smallRounds);
    await fill(large, smallRounds * larger);
    const rows: Row[] = [];
    for (const format of ["trl-sft", "episodes"]) {
      const few: Result[] = [];
      const many: Result[] = [];
      for (let at = 0; at < runs; at += 1) {
        few.push(await exported(small, format, join(directory, `small-${format}-${at}`)));
        many.push(await exported(large, format, join(directory, `large-${format}-${at}`)));
      }
      const rate = median(many.map(({ bytes, ms }) => bytes / 1_000 / ms));
      const growth = median(many.map(({ peakMb }) => peakMb)) - median(few.map(({ peakMb }) => peakMb));
      const megabytes = Math.round((many[0]?.bytes ?? 0) / 1_000_000);
      rows.push({
        name: `export: ${format}, ${megabytes} MB, median of ${runs}`,
        value: rate,
        unit: "MB/s",
        goal: ">= 50",
        ok: rate >= 50,
      });
      rows.push({
        name: `export: peak memory of ${format} over that of ${larger} times fewer episodes`,
        value: growth,
        unit: "MB",
        goal: "< 50",
        ok: growth < 50,
      });
    }
    return rows;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function exported(dataDir: string, format: string, out: string): Promise<Result> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--disable-warning=ExperimentalWarning",
    once,
    dataDir,
    format,
    out,
  ]);
  await rm(out, { recursive: true });
  return result.parse(JSON.parse(stdout));
}

/** A lab of rounds as a language model plays them: a dozen turns, a screen of thoughts in each. */
async function fill(dataDir: string, rounds: number): Promise<void> {
  const store = await openStore({ dataDir, log: pino({ level: "silent" }) });
  for (let number = 1; number <= rounds; number += 1) {
    const roundId = `r${number}`;
    await store.rounds.insert(aRound({ id: roundId, status: "finished", startedAt: number }));
    for (let slot = 0; slot < environmentsOfRound; slot += 1) {
      const environmentId = `${roundId}-${slot + 1}`;
      await store.environments.insert(
        anEnvironment({ id: environmentId, roundId, slot, status: "admitted" }),
      );
      await store.episodes.insertWithTranscripts(
        Array.from({ length: playsOfEnvironment }, (_, index) => {
          const { transcriptId: _unwritten, ...record } = anEpisode({
            id: `${roundId}.${environmentId}.plain.${index}`,
            roundId,
            environmentId,
            arm: "plain",
            index,
            hintId: null,
          });
          return { record, transcript: transcriptOf([number, slot, index]) };
        }),
      );
    }
  }
  await store.close();
}

const words =
  "the range is halved again so what is left must lie above seven and below nine unless a rule says".split(
    " ",
  );

function transcriptOf(key: readonly number[]): string {
  const random = keyedRandom(...key);
  const prose = (length: number): string => Array.from({ length }, () => random.pick(words)).join(" ");
  return JSON.stringify({
    system: prose(60),
    firstObservation: prose(200),
    turns: Array.from({ length: turnsOfPlay }, (_, turn) => ({
      said: `${prose(250)}\n\\boxed{guess ${random.below(1_000)}}`,
      action: "\\boxed{guess 7}",
      observation: prose(60),
      reward: 0,
      terminated: turn === turnsOfPlay - 1,
      truncated: false,
      info: { turn },
      decisions: null,
      usage: { calls: 1, inputTokens: 100, outputTokens: 100, costUsd: 0 },
      ms: 1_000,
    })),
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
