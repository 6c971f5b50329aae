/**
 * Tells a single lost play from an outage. A play that is lost for a reason of ours is data; when plays are lost one
 * after the other and none succeeds, the provider or the sandbox is down: they are played again when the round resumes.
 */
import { type ProviderError, SandboxError } from "../config/errors.ts";
import type { EpisodeRecord } from "../store/records.ts";
import { refusesThisRequest } from "./refusal.ts";

/** So many losses in a row, with no play that went well in between, are an outage. */
const outageLength = 8;

type Ended = Pick<EpisodeRecord, "failure">;

interface Lost<E> {
  readonly episode: E;
  readonly cause: ProviderError | null;
}

/** What keeps a provider from answering any call; the others may be the fault of one request. */
const unavailable = new Set(["provider.unreachable", "provider.timed-out", "sandbox.unavailable"]);

export class Outage<E extends Ended> {
  readonly #keep: (episode: E) => Promise<void>;
  readonly #storedBefore: number;
  #lost: Lost<E>[] = [];
  #wentWell = 0;

  /** `keep` stores an episode for good; `storedBefore` counts those of the round that are stored already. */
  constructor(keep: (episode: E) => Promise<void>, storedBefore: number) {
    this.#keep = keep;
    this.#storedBefore = storedBefore;
  }

  /** Takes a play that ended. Throws what is behind the losses once they are an outage; those are not kept. */
  async take(episode: E, cause: ProviderError | null): Promise<void> {
    if (episode.failure?.ours === true) {
      this.#lost.push({ episode, cause });
      if (this.#lost.length >= outageLength && !this.#refusedOneByOne()) throw this.#error();
      return;
    }
    this.#wentWell += 1;
    await Promise.all([this.#keep(episode), this.#release()]);
  }

  /** To be called when every play ended: a few losses after others went well are data, too. */
  async end(): Promise<void> {
    if (this.#lost.length > 0 && this.#wentWell === 0) {
      const error = this.#error();
      // A request that is refused each time must not keep a round from ever ending.
      if (unavailable.has(error.code) || this.#storedBefore === 0) throw error;
    }
    await this.#release();
  }

  /**
   * A provider that took other plays and refuses these has its reasons, e.g. against what one environment says: it would
   * refuse them again whenever the round is resumed.
   */
  #refusedOneByOne(): boolean {
    const tookOthers = this.#storedBefore + this.#wentWell > 0;
    return tookOthers && this.#lost.every(({ cause }) => refusesThisRequest(cause));
  }

  async #release(): Promise<void> {
    const lost = this.#lost;
    this.#lost = [];
    await Promise.all(lost.map(({ episode }) => this.#keep(episode)));
  }

  #error(): ProviderError | SandboxError {
    const last = this.#lost.at(-1);
    return (
      last?.cause ??
      new SandboxError(
        "sandbox.unavailable",
        `The sandbox failed ${this.#lost.length} plays in a row: ${last?.episode.failure?.detail ?? ""}`,
      )
    );
  }
}
