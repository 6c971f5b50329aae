/** Samples from one checkpoint, in a sampling session that is made when it is needed and again when the server lost it. */
import { orAborted } from "../../models/provider-line.ts";
import type { CallOptions } from "./client.ts";
import { TinkerFailure } from "./failure.ts";
import { encodedText, type SampledSequence, type SamplingParams, sampleResult } from "./protocol.ts";
import type { TinkerSession } from "./session.ts";

export interface SamplerOptions {
  readonly baseModel: string;
  /** The sampler checkpoint; null for the base model itself. */
  readonly modelPath: string | null;
  /** Gives the session, or a new one where `over` is the last one and over. */
  readonly session: (over: TinkerSession | null, call: CallOptions) => Promise<TinkerSession>;
}

interface Opened {
  readonly session: TinkerSession;
  readonly id: string;
  requests: number;
}

export class Sampler {
  readonly #options: SamplerOptions;
  #opened: Promise<Opened> | null = null;

  constructor(options: SamplerOptions) {
    this.#options = options;
  }

  /** One answer to a prompt of at least one token. Throws TinkerFailure, and the signal's reason when aborted. */
  async sample(
    prompt: readonly number[],
    params: SamplingParams,
    call: CallOptions,
  ): Promise<SampledSequence> {
    const opening = this.#open(null, call);
    try {
      return await this.#sampleIn(await orAborted(call.signal, opening), prompt, params, call);
    } catch (error) {
      if (!(error instanceof TinkerFailure) || error.kind !== "lost") throw error;
      // The server forgot the session, its sampler or the promise. What is missing for good will be missing again.
      const over = await opening.catch(() => null);
      if (this.#opened === opening) this.#opened = null;
      const anew = await orAborted(call.signal, this.#open(over?.session ?? null, call));
      return this.#sampleIn(anew, prompt, params, call);
    }
  }

  async #sampleIn(
    opened: Opened,
    prompt: readonly number[],
    params: SamplingParams,
    call: CallOptions,
  ): Promise<SampledSequence> {
    opened.requests += 1;
    const body = {
      type: "sample",
      sampling_session_id: opened.id,
      seq_id: opened.requests,
      prompt: encodedText(prompt),
      num_samples: 1,
      sampling_params: params,
    };
    const { sequences } = await opened.session.client.run("asample", body, sampleResult, call);
    const [first] = sequences;
    if (first === undefined) throw new TinkerFailure("bad-answer", "the answer to asample holds no sequence");
    return first;
  }

  /** All callers wait for one opening, whichever of them is aborted; one that fails is not kept. */
  #open(over: TinkerSession | null, { retries }: CallOptions): Promise<Opened> {
    if (this.#opened !== null) return this.#opened;
    const { baseModel, modelPath, session } = this.#options;
    const call: CallOptions = {
      signal: new AbortController().signal,
      ...(retries === undefined ? {} : { retries }),
    };
    const opening = (async (): Promise<Opened> => {
      const open = await session(over, call);
      return { session: open, id: await open.createSampler({ baseModel, modelPath }, call), requests: 0 };
    })();
    this.#opened = opening;
    opening.catch(() => {
      if (this.#opened === opening) this.#opened = null;
    });
    return opening;
  }
}
