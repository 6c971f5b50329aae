/** The model on the server that updates are done with: taken up, trained, saved, and let go when it is not to be trusted. */
import type { Logger } from "pino";
import type { TinkerConfig } from "../../../config/schema.ts";
import type { CallOptions, Pending, TinkerClient } from "./client.ts";
import { datumOf, type Example, inRequests, spadeLoss, Tally } from "./examples.ts";
import { TinkerFailure } from "./failure.ts";
import type { Checkpoints, TinkerPolicy } from "./policy.ts";
import type { ForwardResult } from "./protocol.ts";
import { TinkerSession } from "./session.ts";
import { TrainingModel } from "./training-model.ts";

/** What training made, until a record names it. */
export interface Trained {
  readonly checkpoints: Checkpoints;
  readonly model: TrainingModel;
  readonly tally: Tally;
  /** Of the step, as the server reports them. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** A model that stands where a version says. */
interface Standing {
  readonly version: string;
  readonly model: TrainingModel;
}

/** Tokens of one forward_backward request: about 4 MB of JSON. */
const tokensPerRequest = 100_000;
/** Requests that are handed in before the first is waited for, so that the server is not idle in between. */
const handedInAtOnce = 4;
/** How long letting go of a model may take, milliseconds: it is a courtesy. */
const unloadMs = 5_000;

export class Workbench {
  readonly #client: TinkerClient;
  readonly #settings: TinkerConfig;
  readonly #log: Logger;
  #session: TinkerSession | null = null;
  #standing: Standing | null = null;

  constructor(client: TinkerClient, settings: TinkerConfig, log: Logger) {
    this.#client = client;
    this.#settings = settings;
    this.#log = log;
  }

  /**
   * One update, from the version's own weights to new checkpoints whose names begin with `name`. If the server forgot
   * something on the way, or the model at hand does not do what it should, it is begun anew once, with a model of its
   * own. Throws TinkerFailure, and the signal's reason when aborted.
   */
  async train(
    from: TinkerPolicy,
    examples: readonly Example[],
    name: string,
    call: CallOptions,
  ): Promise<Trained> {
    const continued = this.#canContinue(from.version);
    try {
      return await this.#train(from, examples, name, call);
    } catch (error) {
      const isFresh = !continued || (error instanceof TinkerFailure && error.kind === "unreachable");
      const forgotten = error instanceof TinkerFailure && error.kind === "lost";
      if (!(error instanceof TinkerFailure) || (isFresh && !forgotten)) throw error;
      this.#log.warn({ err: error, version: from.version }, "an update is begun anew on the training server");
      this.#endSession();
      return this.#train(from, examples, name, call);
    }
  }

  /** The trained model stands at this version from now on. */
  keep(version: string, { model }: Trained): void {
    this.#standing = { version, model };
  }

  /** A version with the same weights as another: the model that stands there stands here too. */
  rename(from: string, to: string): void {
    if (this.#standing?.version === from) this.#standing = { ...this.#standing, version: to };
  }

  /** What was trained counts for nothing. */
  async discard({ model }: Trained): Promise<void> {
    await this.#letGo(model);
  }

  async close(): Promise<void> {
    await this.#letGo(this.#standing?.model ?? null);
    this.#endSession();
  }

  #canContinue(version: string): boolean {
    return this.#standing?.version === version && !this.#standing.model.session.isOver;
  }

  async #train(
    { version, checkpoints }: TinkerPolicy,
    examples: readonly Example[],
    name: string,
    call: CallOptions,
  ): Promise<Trained> {
    const { loraRank, learningRate, beta1, beta2, eps, weightDecay } = this.#settings;
    const model = await this.#modelAt({ version, checkpoints }, call);
    // From here on it stands nowhere that a record names.
    this.#standing = null;
    try {
      const tally = await backward(model, examples, call);
      const adam = { learning_rate: learningRate, beta1, beta2, eps, weight_decay: weightDecay };
      const { metrics } = await model.optimStep(adam, call);
      const saved = {
        statePath: await model.saveState(name, call),
        samplerPath: await model.saveForSampler(name, call),
      };
      const rank = checkpoints.loraRank ?? loraRank;
      return {
        checkpoints: { ...checkpoints, ...saved, loraRank: rank },
        model,
        tally,
        metrics: { ...metrics },
      };
    } catch (error) {
      await this.#letGo(call.signal.aborted ? null : model);
      throw error;
    }
  }

  /** The model at hand, or a new one with the version's state. */
  async #modelAt({ version, checkpoints }: TinkerPolicy, call: CallOptions): Promise<TrainingModel> {
    const { loraRank, loraSeed } = this.#settings;
    if (this.#standing !== null && this.#canContinue(version)) return this.#standing.model;
    await this.#letGo(this.#standing?.model ?? null);
    const rank = checkpoints.loraRank ?? loraRank;
    const wanted = { baseModel: checkpoints.baseModel, rank, seed: loraSeed };
    const model = await TrainingModel.create(await this.#openSession(call), wanted, call);
    try {
      if (checkpoints.statePath !== null) await model.load(checkpoints.statePath, call);
    } catch (error) {
      await this.#letGo(call.signal.aborted ? null : model);
      throw error;
    }
    return model;
  }

  /** The server clears away by itself what it no longer hears of; this frees its memory sooner. */
  async #letGo(model: TrainingModel | null): Promise<void> {
    this.#standing = null;
    if (model === null || model.session.isOver) return;
    try {
      await model.unload({ signal: AbortSignal.timeout(unloadMs), retries: 0 });
    } catch (error) {
      this.#log.info({ err: error, model: model.id }, "a model could not be unloaded");
    }
  }

  async #openSession(call: CallOptions): Promise<TinkerSession> {
    if (this.#session === null || this.#session.isOver) {
      this.#session = await TinkerSession.open(this.#client, { log: this.#log }, call);
    }
    return this.#session;
  }

  #endSession(): void {
    this.#session?.close();
    this.#session = null;
  }
}

/** Gathers the gradient of all examples, some requests at a time. */
async function backward(
  model: TrainingModel,
  examples: readonly Example[],
  call: CallOptions,
): Promise<Tally> {
  const tally = new Tally();
  const open: { readonly part: readonly Example[]; readonly pending: Pending<ForwardResult> }[] = [];
  const finishOne = async (): Promise<void> => {
    const first = open.shift();
    if (first === undefined) return;
    const result = await first.pending.result();
    try {
      tally.add(first.part, result);
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      throw new TinkerFailure("bad-answer", `forward_backward gave ${cause.message}`, { cause });
    }
  };
  for (const part of inRequests(examples, tokensPerRequest)) {
    if (open.length >= handedInAtOnce) await finishOne();
    const pending = await model.beginForwardBackward(part.map(datumOf), spadeLoss, call);
    open.push({ part, pending });
  }
  while (open.length > 0) await finishOne();
  return tally;
}
