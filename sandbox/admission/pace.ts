/**
 * Pace: how fast an environment is, and so how many of its plays fit into one message and into one admission. An
 * environment that is slow in every call, each within its limits, must not hold up everybody else.
 */

/** Every call may take its whole time; all together they must let an admission end. */
const budgetMs = 60_000;
const messageMs = 1_000;
/** Assumed until it is known, so that the first message is short whatever the environment is like. */
const firstCalls = 40;

export class Pace {
  #calls = 0;
  #ms = 0;

  note(calls: number, ms: number): void {
    this.#calls += calls;
    this.#ms += ms;
  }

  /** How many of the next scripts, of so many calls each, go into one message. Throws when the time is used up. */
  share(calls: readonly number[]): number {
    if (this.#ms > budgetMs) {
      const each = Math.round(this.#ms / this.#calls);
      throw new Error(
        `${this.#calls} calls took ${Math.round(this.#ms / 1_000)} s already, ${each} ms each. Make reset(), step() and solution() faster.`,
      );
    }
    const fitting = this.#calls === 0 ? firstCalls : (messageMs * this.#calls) / Math.max(1, this.#ms);
    let sum = 0;
    const over = calls.findIndex((count) => {
      sum += count;
      return sum > fitting;
    });
    return over < 0 ? calls.length : Math.max(1, over);
  }
}
