/** How far each stage of a round is, and how long it has taken and will take: what every progress display shows. */
import type { Stage } from "../graph/events.ts";

export interface StageProgress {
  readonly stage: Stage;
  readonly done: number;
  readonly total: number;
  /** Time since the stage began; stands still once it is done. Milliseconds. */
  readonly elapsedMs: number;
  /** Linear guess from what is done so far; null before the first unit and after the last. Milliseconds. */
  readonly remainingMs: number | null;
}

/** A stage that has begun. Times are milliseconds of the clock that it is read with. */
export interface TimedStage {
  readonly stage: Stage;
  readonly done: number;
  readonly total: number;
  readonly startedAt: number;
  /** Units that were done already when the stage began, as after a resume: they say nothing about speed. */
  readonly doneAtStart: number;
  readonly endedAt: number | null;
}

/** The stage after an event. A total of 0 is a stage with nothing to do: it ends as it begins. */
export function timedStage(
  before: TimedStage | undefined,
  { stage, done, total }: Pick<TimedStage, "stage" | "done" | "total">,
  now: number,
): TimedStage {
  return {
    stage,
    done,
    total,
    startedAt: before?.startedAt ?? now,
    doneAtStart: before?.doneAtStart ?? done,
    endedAt: done >= total ? (before?.endedAt ?? now) : null,
  };
}

export function progressOf(timed: TimedStage, now: number): StageProgress {
  const { stage, done, total, startedAt, doneAtStart, endedAt } = timed;
  const elapsedMs = (endedAt ?? now) - startedAt;
  const worked = done - doneAtStart;
  const left = total - done;
  const remainingMs = worked > 0 && left > 0 ? (elapsedMs / worked) * left : null;
  return { stage, done, total, elapsedMs, remainingMs };
}

/** Follows the stages of one round. `now` is in milliseconds. */
export class StageClock {
  readonly #now: () => number;
  readonly #stages = new Map<Stage, TimedStage>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes a stage event in. */
  update(stage: Stage, done: number, total: number): StageProgress {
    const timed = timedStage(this.#stages.get(stage), { stage, done, total }, this.#now());
    this.#stages.set(stage, timed);
    return progressOf(timed, this.#now());
  }

  /** Every stage that has begun, in order of its beginning. */
  all(): readonly StageProgress[] {
    return [...this.#stages.values()].map((timed) => progressOf(timed, this.#now()));
  }
}
