/** What a hint is held against: solutions and first observations of the instances that a round plays. */
import type { EnvironmentRecord } from "../../store/records.ts";
import { instanceSeed } from "../instance-seed.ts";
import type { Services } from "../services.ts";
import type { HintSubject } from "./leak.ts";

/** Instances whose solutions a hint is held against. */
const checkedSeeds = 8;

export interface SubjectOptions {
  readonly record: EnvironmentRecord;
  readonly source: string;
  /** The round's seed, and the environment's slot in it. */
  readonly seed: number;
  readonly slot: number;
  readonly signal?: AbortSignal;
}

/** Throws what the signal was aborted with. */
export async function hintSubject(
  services: Pick<Services, "sandbox">,
  { record, source, seed, slot, signal }: SubjectOptions,
): Promise<HintSubject> {
  const sandbox = await services.sandbox();
  const opened = await sandbox.open(source, {
    language: record.language,
    ...(signal === undefined ? {} : { signal }),
  });
  if (!opened.ok) return { source, solutions: [], firstObservations: [record.firstObservation] };
  const solutions: { seed: number; actions: readonly string[] }[] = [];
  const firstObservations: string[] = [];
  try {
    const seeds = Array.from({ length: checkedSeeds }, (_, instance) => instanceSeed(seed, slot, instance));
    const runs = await opened.value.runAll(
      seeds.map((played) => ({ seed: played, actions: [], solution: true })),
    );
    for (const [instance, run] of runs.entries()) {
      if (run.failure?.verdict === "closed") signal?.throwIfAborted();
      if (run.reset !== null) firstObservations.push(run.reset.observation);
      if (run.solution !== null) solutions.push({ seed: seeds[instance] ?? seed, actions: run.solution });
    }
  } finally {
    await opened.value.close();
  }
  return { source, solutions, firstObservations };
}
