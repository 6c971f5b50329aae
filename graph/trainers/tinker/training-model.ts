/**
 * A trainable model on the server. Its requests are numbered from 1 and done in that order, so they are made one after
 * another here; a number is used for one request, however often that is sent.
 */
import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { CallOptions, Pending } from "./client.ts";
import { TinkerFailure } from "./failure.ts";
import {
  type AdamParams,
  type Datum,
  done,
  type ForwardResult,
  forwardResult,
  type Loss,
  type OptimResult,
  optimResult,
  saved,
} from "./protocol.ts";
import type { NewModel, TinkerSession } from "./session.ts";

export class TrainingModel {
  readonly session: TinkerSession;
  readonly id: string;
  #requests = 0;

  private constructor(session: TinkerSession, id: string) {
    this.session = session;
    this.id = id;
  }

  /** Throws TinkerFailure, as all that follows. */
  static async create(session: TinkerSession, model: NewModel, call: CallOptions): Promise<TrainingModel> {
    return new TrainingModel(session, await session.createModel(model, call));
  }

  /** The log-probabilities of the targets; changes nothing. */
  async forward(data: readonly Datum[], loss: Loss, call: CallOptions): Promise<ForwardResult> {
    return (await this.#begin("forward", { forward_input: { data, ...loss } }, forwardResult, call)).result();
  }

  /** Adds the gradient of the summed loss to what was gathered. Handed in when this resolves, done when its result does. */
  beginForwardBackward(
    data: readonly Datum[],
    loss: Loss,
    call: CallOptions,
  ): Promise<Pending<ForwardResult>> {
    return this.#begin(
      "forward_backward",
      { forward_backward_input: { data, ...loss } },
      forwardResult,
      call,
    );
  }

  /** Takes a step along the gathered gradient. */
  async optimStep(adam: AdamParams, call: CallOptions): Promise<OptimResult> {
    return (await this.#begin("optim_step", { adam_params: adam }, optimResult, call)).result();
  }

  /** Saves weights and optimiser, to train on from; gives the checkpoint's path. `name` is made unique. */
  saveState(name: string, call: CallOptions): Promise<string> {
    return this.#save("save_weights", name, call);
  }

  /** Saves weights to sample from; gives the checkpoint's path. `name` is made unique. */
  saveForSampler(name: string, call: CallOptions): Promise<string> {
    return this.#save("save_weights_for_sampler", name, call);
  }

  /** Takes over weights and optimiser of a saved state. */
  async load(path: string, call: CallOptions): Promise<void> {
    await (await this.#begin("load_weights", { path, optimizer: true }, done, call)).result();
  }

  async unload(call: CallOptions): Promise<void> {
    await this.session.client.run("unload_model", { type: "unload_model", model_id: this.id }, done, call);
  }

  #begin<T>(path: string, body: object, schema: z.ZodType<T>, call: CallOptions): Promise<Pending<T>> {
    this.#requests += 1;
    const whole = { model_id: this.id, seq_id: this.#requests, ...body };
    return this.session.client.begin(path, whole, schema, call);
  }

  /**
   * Saving changes no weights, so it may be done twice: a server that saved, could not say so, and refuses the same name
   * when it is asked again has used up the request's number, and saves under another name with the next one.
   */
  async #save(path: string, name: string, call: CallOptions): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      const body = { type: path, path: `${name}-${randomUUID().slice(0, 8)}` };
      try {
        return (await (await this.#begin(path, body, saved, call)).result()).path;
      } catch (error) {
        const again = error instanceof TinkerFailure && error.kind === "conflict" && error.resent;
        if (!again || tries > 3) throw error;
      }
    }
  }
}
