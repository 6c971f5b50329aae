/** Waiting: for a condition to come true, looked at whenever something happened on the server. */
import { EventEmitter } from "node:events";

export interface UntilOptions {
  /** What is waited for, in words, for the error. */
  readonly what?: string;
  /** Milliseconds. Default 5000. */
  readonly timeoutMs?: number;
}

/** Conditions can hang on things that the server doesn't see, such as a store: those are looked at this often. */
const lookEveryMs = 25;

export class Waiting {
  readonly #happened = new EventEmitter().setMaxListeners(0);

  changed(): void {
    this.#happened.emit("change");
  }

  /**
   * Resolves with what the condition gives as soon as that is neither false, null nor undefined. Throws what the last
   * look threw, or an error that says what was waited for, when the time is over.
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
        clearInterval(looks);
        this.#happened.off("change", look);
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
      const looks = setInterval(look, lookEveryMs);
      this.#happened.on("change", look);
      look();
    });
  }
}

/** The value, when it is there. Throws otherwise. */
export function present<T>(value: T | null | undefined, what = "what the test needs"): T {
  if (value === null || value === undefined) throw new Error(`There is no ${what}`);
  return value;
}
