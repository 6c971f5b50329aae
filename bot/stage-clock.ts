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

interface Timed {
  done: number;
  total: number;
  readonly startedAt: number;
  /** Units that were done already when the stage began, as after a resume: they say nothing about speed. */
  readonly doneAtStart: number;
  endedAt: number | null;
}

/** Follows the stages of one round. `now` is in milliseconds. */
export class StageClock {
  readonly #now: () => number;
  readonly #stages = new Map<Stage, Timed>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes a stage event in. A total of 0 is a stage with nothing to do: it ends as it begins. */
  update(stage: Stage, done: number, total: number): StageProgress {
    const known = this.#stages.get(stage) ?? {
      done,
      total,
      startedAt: this.#now(),
      doneAtStart: done,
      endedAt: null,
    };
    known.done = done;
    known.total = total;
    known.endedAt = done >= total ? (known.endedAt ?? this.#now()) : null;
    this.#stages.set(stage, known);
    return this.#progress(stage, known);
  }

  /** Every stage that has begun, in order of its beginning. */
  all(): readonly StageProgress[] {
    return [...this.#stages].map(([stage, timed]) => this.#progress(stage, timed));
  }

  #progress(stage: Stage, timed: Timed): StageProgress {
    const elapsedMs = (timed.endedAt ?? this.#now()) - timed.startedAt;
    const worked = timed.done - timed.doneAtStart;
    const left = timed.total - timed.done;
    const remainingMs = worked > 0 && left > 0 ? (elapsedMs / worked) * left : null;
    return { stage, done: timed.done, total: timed.total, elapsedMs, remainingMs };
  }
}
