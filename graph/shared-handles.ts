/**
 * Handles that several plays use one after another: a play that ends without a failure leaves its environment to the
 * next one of the same source, which resets it.
 */
import type { EnvironmentHandle, Outcome } from "../sandbox/sandbox.ts";

export class SharedHandles {
  readonly #most: number;
  /** Idle ones by source; the source that was used longest ago comes first. */
  readonly #idle = new Map<string, EnvironmentHandle[]>();
  #closed = false;

  /** `most`: idle handles that are kept at once. */
  constructor(most: number) {
    this.#most = most;
  }

  /** An idle handle of a source, lent out. */
  take(source: string): EnvironmentHandle | undefined {
    const handle = this.#idle.get(source)?.pop();
    return handle === undefined ? undefined : this.lend(source, handle);
  }

  /** The handle, whose `close` leaves it to the next play instead, unless one of its calls failed. */
  lend(source: string, handle: EnvironmentHandle): EnvironmentHandle {
    let isSound = true;
    const watched = async <T>(call: Promise<Outcome<T>>): Promise<Outcome<T>> => {
      const outcome = await call;
      if (!outcome.ok) isSound = false;
      return outcome;
    };
    return {
      shape: handle.shape,
      reset: (seed) => watched(handle.reset(seed)),
      step: (action) => watched(handle.step(action)),
      solution: () => watched(handle.solution()),
      tools: () => watched(handle.tools()),
      run: (seed, actions, options) => handle.run(seed, actions, options),
      runAll: (scripts) => handle.runAll(scripts),
      close: async () => {
        if (isSound && !this.#closed) await this.#keep(source, handle);
        else await handle.close();
      },
    };
  }

  /** Closes the idle ones; those that are lent out close when they come back. */
  async close(): Promise<void> {
    this.#closed = true;
    const idle = [...this.#idle.values()].flat();
    this.#idle.clear();
    await Promise.all(idle.map((handle) => handle.close()));
  }

  async #keep(source: string, handle: EnvironmentHandle): Promise<void> {
    const own = this.#idle.get(source) ?? [];
    // Last in the map's order is used last.
    this.#idle.delete(source);
    this.#idle.set(source, [...own, handle]);
    const count = [...this.#idle.values()].reduce((sum, list) => sum + list.length, 0);
    if (count <= this.#most) return;
    const [oldest, handles] = [...this.#idle].find(([, list]) => list.length > 0) ?? [];
    if (oldest === undefined || handles === undefined) return;
    await handles.shift()?.close();
    if (handles.length === 0) this.#idle.delete(oldest);
  }
}
