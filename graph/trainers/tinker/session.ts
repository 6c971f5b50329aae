/**
 * A session with a training server: it lives as long as it is heard of, and what was made in it goes with it. The
 * heartbeat keeps no process alive.
 */
import type { Logger } from "pino";
import type { CallOptions, TinkerClient } from "./client.ts";
import { TinkerFailure } from "./failure.ts";
import { createdModel, createdSamplingSession, createdSession, heartbeat } from "./protocol.ts";

export interface SessionOptions {
  readonly log: Logger;
  /** Milliseconds from heartbeat to heartbeat; default 10 s, as the protocol wants it. */
  readonly heartbeatMs?: number;
}

const defaultHeartbeatMs = 10_000;

export interface NewModel {
  readonly baseModel: string;
  readonly rank: number;
  /** Of the first LoRA weights; missing: the server's choice. */
  readonly seed: number | null;
}

export class TinkerSession {
  readonly client: TinkerClient;
  readonly id: string;
  readonly #log: Logger;
  readonly #heartbeatMs: number;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #models = 0;
  #samplers = 0;
  #lost = false;
  /** A series of failed heartbeats is told of once. */
  #failing = false;

  private constructor(client: TinkerClient, id: string, { log, heartbeatMs }: SessionOptions) {
    this.client = client;
    this.id = id;
    this.#log = log;
    this.#heartbeatMs = heartbeatMs ?? defaultHeartbeatMs;
    this.#beatLater();
  }

  /** Throws TinkerFailure. */
  static async open(
    client: TinkerClient,
    options: SessionOptions,
    call: CallOptions,
  ): Promise<TinkerSession> {
    const body = { type: "create_session", tags: ["spadework"], user_metadata: {}, sdk_version: "spadework" };
    const { session_id } = await client.ask("create_session", body, createdSession, call);
    return new TinkerSession(client, session_id, options);
  }

  /** Whether it is over: closed, or forgotten by the server. */
  get isOver(): boolean {
    return this.#lost || this.#stop.signal.aborted;
  }

  /** Ends the heartbeat; the server lets go of the rest by itself. */
  close(): void {
    this.#stop.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** A new trainable model, as its id. */
  async createModel({ baseModel, rank, seed }: NewModel, call: CallOptions): Promise<string> {
    const body = {
      type: "create_model",
      session_id: this.id,
      model_seq_id: this.#models,
      base_model: baseModel,
      lora_config: seed === null ? { rank } : { rank, seed },
    };
    this.#models += 1;
    const { model_id } = await this.client.run("create_model", body, createdModel, call);
    return model_id;
  }

  /** A place to sample from a checkpoint, or from the base model where `modelPath` is null; as its id. */
  async createSampler(
    { baseModel, modelPath }: { readonly baseModel: string; readonly modelPath: string | null },
    call: CallOptions,
  ): Promise<string> {
    const body = {
      type: "create_sampling_session",
      session_id: this.id,
      sampling_session_seq_id: this.#samplers,
      ...(modelPath === null ? { base_model: baseModel } : { model_path: modelPath }),
    };
    this.#samplers += 1;
    const made = await this.client.ask("create_sampling_session", body, createdSamplingSession, call);
    return made.sampling_session_id;
  }

  #beatLater(): void {
    this.#timer = setTimeout(() => void this.#beat(), this.#heartbeatMs).unref();
  }

  async #beat(): Promise<void> {
    const body = { type: "session_heartbeat", session_id: this.id };
    try {
      await this.client.ask("session_heartbeat", body, heartbeat, { signal: this.#stop.signal, retries: 0 });
      this.#failing = false;
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (error instanceof TinkerFailure && error.kind === "lost") this.#lost = true;
      if (!this.#failing) this.#log.warn({ err: error, lost: this.#lost }, "a heartbeat was not heard");
      this.#failing = true;
    }
    if (!this.isOver) this.#beatLater();
  }
}
