/** Waiting: for a condition to come true, looked at whenever something happened on the server. */

export interface UntilOptions {
  /** What is waited for, in words, for the error. */
  readonly what?: string;
  /** Milliseconds. Default 5000. */
  readonly timeoutMs?: number;
}

/** Conditions can hang on things that the server doesn't see, such as a store: those are looked at this often. */
const lookEveryMs = 25;

export class Waiting {
  readonly #looks = new Set<() => void>();
  #planned = false;
  #interval: NodeJS.Timeout | null = null;

  /** Says that something happened. Everything that happens at once is looked at once. */
  changed(): void {
    if (this.#planned || this.#looks.size === 0) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      this.#lookAll();
    });
  }

  /**
   * Resolves with what the condition gives as soon as that is neither false, null nor undefined. Throws when the time is
   * over: an error that says what was waited for, and what the last look threw.
   */
  until<T>(
    condition: () => T | false | null | undefined,
    { what = "the condition", timeoutMs = 5000 }: UntilOptions = {},
    story: () => string = () => "",
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      let thrown: unknown = null;
      const end = (): void => {
        clearTimeout(timer);
        this.#remove(look);
      };
      const look = (): void => {
        try {
          const value = condition();
          thrown = null;
          if (value === false || value === null || value === undefined) return;
          end();
          resolve(value);
        } catch (error) {
          thrown = error;
        }
      };
      const timer = setTimeout(() => {
        end();
        const more = thrown === null ? "" : `; the last look threw ${String(thrown)}`;
        reject(new Error(`Waited ${timeoutMs} ms in vain for ${what}${more}${story()}`));
      }, timeoutMs);
      this.#looks.add(look);
      this.#interval ??= setInterval(() => this.#lookAll(), lookEveryMs);
      look();
    });
  }

  #lookAll(): void {
    for (const look of this.#looks) look();
  }

  #remove(look: () => void): void {
    this.#looks.delete(look);
    if (this.#looks.size > 0 || this.#interval === null) return;
    clearInterval(this.#interval);
    this.#interval = null;
  }
}

/** The value, when it is there. Throws otherwise. */
export function present<T>(value: T | null | undefined, what = "what the test needs"): T {
  if (value === null || value === undefined) throw new Error(`There is no ${what}`);
  return value;
}
