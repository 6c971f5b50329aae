/**
 * Plays that are live: each holds an isolate, so there are only so many, and idle ones give theirs back. A play that
 * gave it back, or that another process began, is played again from its seed and its actions.
 */
import { SandboxError } from "../../config/errors.ts";
import { type HumanPlay, startHumanPlay } from "../../graph/human-play.ts";
import type { Services } from "../../graph/services.ts";
import type { SessionRecord } from "../../store/chat-records.ts";

export interface LivePlaysOptions {
  readonly services: Services;
  /** Isolates held at once, those of plays in the middle of a step not counted. */
  readonly most: number;
  /** After so long without a step an isolate is given back, milliseconds. */
  readonly idleMs: number;
}

interface Live {
  readonly play: HumanPlay;
  readonly timer: NodeJS.Timeout;
}

export class LivePlays {
  readonly #options: LivePlaysOptions;
  /** Least recently used first. */
  readonly #lives = new Map<string, Live>();
  /** The last step of each play that is in the middle of one. */
  readonly #busy = new Map<string, Promise<unknown>>();

  constructor(options: LivePlaysOptions) {
    this.#options = options;
  }

  /** Isolates held at the moment. */
  get size(): number {
    return this.#lives.size;
  }

  /** Does the steps of one play one after the other. */
  async exclusively<T>(id: string, step: () => Promise<T>): Promise<T> {
    const before = this.#busy.get(id) ?? Promise.resolve();
    const mine = before.then(step, step);
    this.#busy.set(id, mine);
    try {
      return await mine;
    } finally {
      if (this.#busy.get(id) === mine) this.#busy.delete(id);
      await this.#shrink();
    }
  }

  /**
   * The play of a session with all its actions taken, or over before that. To be called within `exclusively`. Throws what
   * `startHumanPlay` throws, and SandboxError if the sandbox lost it.
   */
  async upTo(session: SessionRecord): Promise<HumanPlay> {
    const { play } = this.#touch(session.id) ?? (await this.#open(session));
    for (;;) {
      if (play.turns === session.hintAfter) play.revealHint();
      const action = session.actions[play.turns];
      if (play.over || action === undefined) break;
      await play.act(action, session.took?.[play.turns]);
      // The environment is not to blame: it is played again with the next step.
      if (play.failure?.ours === true) {
        await this.drop(session.id);
        throw new SandboxError(
          "sandbox.unavailable",
          "The sandbox lost this play. Press again to take it up.",
        );
      }
    }
    return play;
  }

  /** Gives the isolate back; the session stays as it is. */
  async drop(id: string): Promise<void> {
    const live = this.#lives.get(id);
    if (live === undefined) return;
    clearTimeout(live.timer);
    this.#lives.delete(id);
    await live.play.discard();
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#busy.values());
    await Promise.all([...this.#lives.keys()].map((id) => this.drop(id)));
  }

  #touch(id: string): Live | null {
    const live = this.#lives.get(id);
    if (live === undefined) return null;
    live.timer.refresh();
    this.#lives.delete(id);
    this.#lives.set(id, live);
    return live;
  }

  async #open({ id, environmentId, seed, player, startedAt }: SessionRecord): Promise<Live> {
    const play = await startHumanPlay(this.#options.services, {
      environmentId,
      seed,
      player: player.name,
      id,
      ...(startedAt === undefined ? {} : { startedAt }),
    });
    const timer = setTimeout(() => void this.#dropIfIdle(id), this.#options.idleMs);
    timer.unref();
    const live = { play, timer };
    this.#lives.set(id, live);
    return live;
  }

  async #dropIfIdle(id: string): Promise<void> {
    if (this.#busy.has(id)) this.#lives.get(id)?.timer.refresh();
    else await this.drop(id);
  }

  async #shrink(): Promise<void> {
    const idle = [...this.#lives.keys()].filter((id) => !this.#busy.has(id));
    const surplus = Math.max(0, idle.length - this.#options.most);
    await Promise.all(idle.slice(0, surplus).map((id) => this.drop(id)));
  }
}
