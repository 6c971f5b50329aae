/** How often a message that shows progress may be edited. */

const hourMs = 3_600_000;
/** Platforms allow fewer edits of messages that are over an hour old. */
const oldEveryMs = 15_000;

export interface EditTimes {
  readonly postedAt: number;
  /** Of its post or last edit. */
  readonly shownAt: number;
}

/** Milliseconds until the next edit; 0 = now. `everyMs` is the least time between two edits. */
export function editDueIn({ postedAt, shownAt }: EditTimes, everyMs: number, now: number): number {
  const least = now - postedAt >= hourMs ? Math.max(everyMs, oldEveryMs) : everyMs;
  // A clock that was set back must not hold a message up for as long as it was set back.
  return Math.min(least, Math.max(0, shownAt + least - now));
}
