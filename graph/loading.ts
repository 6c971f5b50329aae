/**
 * Loads environments for the plays of a run: a few at a time, and ahead of the plays while a model writes and the
 * sandbox has nothing else to do, so that the stage does not begin with every play waiting for its environment.
 */

import pLimit, { type LimitFunction } from "p-limit";
import type { EnvironmentHandle, OpenOptions, Outcome, Sandbox } from "../sandbox/sandbox.ts";
import { SharedHandles } from "./shared-handles.ts";

/** Environments that a host loads side by side: enough that it never waits for the next, and the first is ready soon. */
const loadsPerHost = 4;

type Opened = Promise<Outcome<EnvironmentHandle> | null>;

export class Loading {
  readonly #sandbox: Sandbox;
  readonly #limit: LimitFunction;
  /** By source, those that nobody plays yet. */
  readonly #ahead = new Map<string, Opened[]>();
  /** Environments that may be loaded ahead, all in all. */
  readonly places: number;
  #room: number;
  #closed = false;
  /** Null where every play has an isolate of its own. */
  readonly #shared: SharedHandles | null;

  constructor(sandbox: Sandbox, places: number, sharedIsolates = false) {
    this.#sandbox = sandbox;
    this.places = Math.floor(places);
    this.#room = this.places;
    this.#shared = sharedIsolates ? new SharedHandles(this.places) : null;
    this.#limit = pLimit(loadsPerHost * Math.max(1, sandbox.stats().hosts));
  }

  /** Begins to load `count` environments of a source, or as many as there is room for. */
  ahead(source: string, count: number, options: OpenOptions): void {
    // Places that others wait for are not to be held for later.
    const busy = this.#closed || this.#sandbox.stats().waiting > 0;
    const length = busy ? 0 : Math.min(count, this.#room);
    this.#room -= length;
    const loaded = Array.from({ length }, () =>
      this.#limit(async () => (this.#closed ? null : this.#sandbox.open(source, options))).catch(() => null),
    );
    this.#ahead.set(source, [...(this.#ahead.get(source) ?? []), ...loaded]);
  }

  /** As `open` of the sandbox, with one that is loaded already if there is one. */
  async open(source: string, options: OpenOptions): Promise<Outcome<EnvironmentHandle>> {
    const used = this.#shared?.take(source);
    if (used !== undefined) return { ok: true, value: used };
    const opened = await this.#fresh(source, options);
    if (!opened.ok || this.#shared === null) return opened;
    return { ok: true, value: this.#shared.lend(source, opened.value) };
  }

  async #fresh(source: string, options: OpenOptions): Promise<Outcome<EnvironmentHandle>> {
    const loaded = await this.#ahead.get(source)?.shift();
    // What kept it from being loaded then need not be there any more.
    if (loaded?.ok === true) return loaded;
    return this.#limit(() => this.#sandbox.open(source, options));
  }

  /** Closes what was loaded and not played; nothing is loaded ahead any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#shared?.close();
    const left = [...this.#ahead.values()].flat();
    this.#ahead.clear();
    await Promise.all(
      left.map(async (opened) => {
        const loaded = await opened;
        if (loaded?.ok === true) await loaded.value.close();
      }),
    );
  }
}
