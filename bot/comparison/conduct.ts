/** Conducts a comparison: hands its runs to worker processes, a few at a time, and gathers their outcomes. */
import { fork } from "node:child_process";
import { SpadeworkError } from "../../config/errors.ts";
import { type ComparisonRun, type ComparisonSizes, runName } from "../../graph/comparison/arms.ts";
import type { RunOutcome } from "../../graph/comparison/lab.ts";
import { inParallel } from "../../graph/in-parallel.ts";
import type { ComparisonFiles } from "./files.ts";
import { type Job, type Report, report } from "./job.ts";

export interface ConductOptions {
  readonly files: ComparisonFiles;
  readonly sizes: ComparisonSizes;
  /** Worker processes at once. */
  readonly workers: number;
  /** Lets workers finish the episodes in flight and stops. */
  readonly drain: AbortSignal;
  readonly onProgress: (progress: ComparisonProgress) => void;
}

export interface ComparisonProgress {
  /** Rounds that this process has seen done, and those that were done before it began. */
  readonly done: number;
  readonly before: number;
  readonly total: number;
  readonly runsDone: number;
  readonly runs: number;
}

/** Tries of a run whose process dies. */
const mostTries = 3;

/**
 * The outcomes of the runs, those that were there before included; null where it was stopped before. Throws
 * SpadeworkError when a run fails.
 */
export async function conduct(
  runs: readonly ComparisonRun[],
  { files, sizes, workers, drain, onProgress }: ConductOptions,
): Promise<readonly RunOutcome[] | null> {
  const outcomes = new Map<string, RunOutcome>();
  for (const run of runs) {
    const kept = files.read(run);
    if (kept !== null) outcomes.set(runName(run), kept);
  }
  const open = runs.filter((run) => !outcomes.has(runName(run)));
  const before = outcomes.size * sizes.rounds;
  const rounds = new Map<string, number>();
  const tell = (): void =>
    onProgress({
      done: before + [...rounds.values()].reduce((sum, one) => sum + one, 0),
      before,
      total: runs.length * sizes.rounds,
      runsDone: outcomes.size,
      runs: runs.length,
    });
  tell();
  const failed = new AbortController();
  const stop = AbortSignal.any([drain, failed.signal]);
  await inParallel(
    open,
    { limit: workers, signal: new AbortController().signal, draining: () => stop.aborted },
    async (run) => {
      try {
        const outcome = await work({ dir: files.lab(run), run, sizes }, stop, (done) => {
          rounds.set(runName(run), done);
          tell();
        });
        if (outcome === null) return;
        files.keep(run, outcome);
        outcomes.set(runName(run), outcome);
        rounds.set(runName(run), sizes.rounds);
        tell();
      } catch (error) {
        // The others stop as well, in good order.
        failed.abort();
        throw error;
      }
    },
  ).catch((error: unknown) => {
    if (!drain.aborted || error instanceof SpadeworkError) throw error;
  });
  const all = runs.flatMap((run) => outcomes.get(runName(run)) ?? []);
  return all.length === runs.length ? all : null;
}

/** One run in a process of its own; a process that dies is replaced, and goes on where the last one was. */
async function work(
  given: Job,
  stop: AbortSignal,
  onProgress: (done: number) => void,
): Promise<RunOutcome | null> {
  for (let tries = 1; ; tries += 1) {
    const last = await oneProcess(given, stop, onProgress);
    if (last?.type === "done") return last.outcome;
    if (last?.type === "stopped" || stop.aborted) return null;
    if (last?.type === "failed") {
      throw new SpadeworkError("trainer.comparison-failed", `${runName(given.run)}: ${last.message}`, {
        data: { run: runName(given.run), code: last.code },
      });
    }
    if (tries >= mostTries) {
      throw new SpadeworkError(
        "trainer.comparison-failed",
        `The process of ${runName(given.run)} ended ${tries} times without saying why.`,
      );
    }
  }
}

function oneProcess(
  given: Job,
  stop: AbortSignal,
  onProgress: (done: number) => void,
): Promise<Report | null> {
  return new Promise((resolve) => {
    const child = fork(new URL("./worker.ts", import.meta.url), [JSON.stringify(given)], {
      execArgv: ["--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    let last: Report | null = null;
    const end = (): void => void child.kill("SIGTERM");
    if (stop.aborted) end();
    stop.addEventListener("abort", end, { once: true });
    child.on("message", (message) => {
      const said = report.safeParse(message);
      if (!said.success) return;
      if (said.data.type === "progress") onProgress(said.data.done);
      else last = said.data;
    });
    const ended = (): void => {
      stop.removeEventListener("abort", end);
      resolve(last);
    };
    child.once("error", ended);
    child.once("exit", ended);
  });
}
