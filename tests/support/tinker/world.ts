/** What the protocol server remembers: sessions, models, samplers and promises; and what each request does to it. */
import { LanguageModel } from "./language-model.ts";
import { type Path, type TakenDatum, taken } from "./requests.ts";

export interface Saved {
  readonly kind: "state" | "sampler";
  /** A copy that is never trained. */
  readonly model: LanguageModel;
}

const untrained: Saved = { kind: "sampler", model: new LanguageModel() };

/** An answer with an error's status. */
export class Refused extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, detail: string, body: unknown = { detail }) {
    super(detail);
    this.status = status;
    this.body = body;
  }
}

interface Promised {
  readonly result: unknown;
  early: number;
}

interface Held {
  readonly model: LanguageModel;
  /** By its number: the request as it was sent, and its promise. */
  readonly numbered: Map<number, { readonly text: string; readonly requestId: string }>;
}

export interface WorldOptions {
  readonly models: readonly string[];
  readonly disk: Map<string, Saved>;
  readonly earlyPolls: number;
}

export class World {
  readonly #options: WorldOptions;
  readonly #sessions = new Set<string>();
  readonly #models = new Map<string, Held>();
  readonly #samplers = new Map<
    string,
    { readonly path: string | null; readonly done: Map<string, string> }
  >();
  readonly #promises = new Map<string, Promised>();
  /** Steps that optimisers really took, over all models. */
  steps = 0;
  /** Answers that were really sampled. */
  samples = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
  }

  get models(): readonly string[] {
    return this.#options.models;
  }

  /** Models that are loaded. */
  get loaded(): number {
    return this.#models.size;
  }

  /** Forgets promises, as a server whose queue is lost. */
  forgetPromises(): void {
    this.#promises.clear();
  }

  take(path: Path, text: string): unknown {
    const sent: unknown = JSON.parse(text);
    switch (path) {
      case "create_session": {
        taken[path].parse(sent);
        const session_id = this.#id("session");
        this.#sessions.add(session_id);
        return { type: path, session_id };
      }
      case "session_heartbeat":
        this.#session(taken[path].parse(sent).session_id);
        return { type: path };
      case "create_model": {
        const { session_id, base_model } = taken[path].parse(sent);
        this.#session(session_id);
        this.#known(base_model);
        const model_id = this.#id("model");
        this.#models.set(model_id, { model: new LanguageModel(), numbered: new Map() });
        return { request_id: this.#promise({ type: path, model_id }) };
      }
      case "create_sampling_session": {
        const { session_id, base_model, model_path = null } = taken[path].parse(sent);
        this.#session(session_id);
        if (base_model !== undefined) this.#known(base_model);
        const sampling_session_id = this.#id("sampling");
        this.#samplers.set(sampling_session_id, { path: model_path, done: new Map() });
        return { type: path, sampling_session_id };
      }
      case "asample":
        return { request_id: this.#sample(text, taken[path].parse(sent)) };
      case "unload_model": {
        const { model_id } = taken[path].parse(sent);
        this.#held(model_id);
        this.#models.delete(model_id);
        return { request_id: this.#promise({ type: path, model_id }) };
      }
      case "retrieve_future":
        return this.#retrieve(taken[path].parse(sent).request_id);
      default:
        return { request_id: this.#train(path, text, sent) };
    }
  }

  #sample(text: string, sent: ReturnType<(typeof taken)["asample"]["parse"]>): string {
    const sampler = this.#samplers.get(sent.sampling_session_id);
    if (sampler === undefined) throw new Refused(404, "There is no such sampling session.");
    const before = sampler.done.get(text);
    if (before !== undefined) return before;
    const { model } = sampler.path === null ? untrained : this.#saved(sampler.path, "sampler");
    const { max_tokens, temperature, seed = 0, stop } = sent.sampling_params;
    const prompt = sent.prompt.chunks[0].tokens;
    const { tokens, logprobs, stopped } = model.sample(prompt, { max: max_tokens, temperature, seed, stop });
    this.samples += 1;
    const stop_reason = stopped ? "stop" : "length";
    const requestId = this.#promise({ type: "sample", sequences: [{ tokens, logprobs, stop_reason }] });
    sampler.done.set(text, requestId);
    return requestId;
  }

  /** A request of a model, which is numbered. */
  #train(path: Path, text: string, sent: unknown): string {
    const { model_id, seq_id } = taken.save_weights.pick({ model_id: true, seq_id: true }).parse(sent);
    const held = this.#held(model_id);
    // As a real server does: the name of a checkpoint is looked at before the number.
    if (path === "save_weights" || path === "save_weights_for_sampler") {
      const at = checkpointPath(path, model_id, taken[path].parse(sent).path);
      if (this.#options.disk.has(at)) throw new Refused(409, `The checkpoint ${at} is there already.`);
    }
    const before = held.numbered.get(seq_id);
    if (before !== undefined) {
      if (before.text !== text) throw new Refused(409, `The number ${seq_id} was used before.`);
      return before.requestId;
    }
    if (seq_id !== held.numbered.size + 1)
      throw new Refused(400, `The number ${seq_id} is not the next one.`);
    const requestId = this.#promise(this.#work(path, sent, model_id, held));
    held.numbered.set(seq_id, { text, requestId });
    return requestId;
  }

  #work(path: Path, sent: unknown, modelId: string, { model }: Held): unknown {
    switch (path) {
      case "forward": {
        const { data } = taken[path].parse(sent).forward_input;
        return passed(data.map((one) => ({ logprobs: model.forward(exampleOf(one)), loss: 0 })));
      }
      case "forward_backward": {
        const { data, loss_fn_config } = taken[path].parse(sent).forward_backward_input;
        const { clip_low_threshold: low, clip_high_threshold: high } = loss_fn_config;
        return passed(data.map((one) => model.backward(exampleOf(one), { low, high })));
      }
      case "optim_step":
        model.step(taken[path].parse(sent).adam_params);
        this.steps += 1;
        return { metrics: {} };
      case "save_weights":
      case "save_weights_for_sampler": {
        const at = checkpointPath(path, modelId, taken[path].parse(sent).path);
        const kind = path === "save_weights" ? "state" : "sampler";
        this.#options.disk.set(at, { kind, model: new LanguageModel(model.state()) });
        return { type: path, path: at };
      }
      case "load_weights": {
        const saved = this.#saved(taken[path].parse(sent).path, "state");
        const { numbered } = this.#held(modelId);
        this.#models.set(modelId, { model: new LanguageModel(saved.model.state()), numbered });
        return { type: path };
      }
      default:
        throw new Refused(404, `There is no ${path}.`);
    }
  }

  #retrieve(requestId: string): unknown {
    const promised = this.#promises.get(requestId);
    if (promised === undefined) throw new Refused(404, "There is no such future.");
    if (promised.early > 0) {
      promised.early -= 1;
      // Both ways of saying it, in turn.
      if (promised.early % 2 === 0) throw new Refused(408, "Not yet.", { queue_state: "active" });
      return { type: "try_again", request_id: requestId, queue_state: "active" };
    }
    return promised.result;
  }

  #promise(result: unknown): string {
    const requestId = String(1_000 + this.#promises.size);
    this.#promises.set(requestId, { result, early: this.#options.earlyPolls });
    return requestId;
  }

  #session(id: string): void {
    if (!this.#sessions.has(id)) throw new Refused(404, "There is no such session.");
  }

  #held(id: string): Held {
    const held = this.#models.get(id);
    if (held === undefined) throw new Refused(404, `There is no model ${id}.`);
    return held;
  }

  #known(baseModel: string): void {
    if (!this.models.includes(baseModel))
      throw new Refused(400, `The base model ${baseModel} is not served.`);
  }

  #saved(path: string, kind: Saved["kind"]): Saved {
    const saved = this.#options.disk.get(path);
    if (saved?.kind !== kind) throw new Refused(404, `There is no ${kind} checkpoint ${path}.`);
    return saved;
  }

  /** Unlike any of the server before it. */
  #id(what: string): string {
    ids += 1;
    return `${what}-${ids}`;
  }
}

let ids = 0;

function checkpointPath(
  path: "save_weights" | "save_weights_for_sampler",
  model: string,
  name: string,
): string {
  return `tinker://${model}/${path === "save_weights" ? "weights" : "sampler_weights"}/${name}`;
}

function exampleOf({ model_input, loss_fn_inputs }: TakenDatum) {
  const { target_tokens, logprobs, advantages, weights } = loss_fn_inputs;
  return {
    inputs: model_input.chunks[0].tokens,
    targets: target_tokens.data,
    logprobs: logprobs.data,
    advantages: advantages.data,
    weights: weights.data,
  };
}

function passed(outputs: readonly { readonly logprobs: readonly number[]; readonly loss: number }[]) {
  return {
    loss_fn_output_type: "ppo",
    loss_fn_outputs: outputs.map(({ logprobs }) => ({
      logprobs: { data: logprobs, dtype: "float32", shape: [logprobs.length] },
    })),
    metrics: { "loss:sum": outputs.reduce((sum, { loss }) => sum + loss, 0) },
  };
}
