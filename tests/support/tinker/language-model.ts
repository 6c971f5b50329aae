/**
 * A small softmax language model with real gradients: the logits of the next token are a fixed table's row for the last
 * token, plus trained rows for the last token and for each word in a window before it. Trained with Adam.
 */
import { keyedRandom } from "../../../config/random.ts";
import { idOf, newline, vocabularySize as size } from "./tokenizer.ts";

/** Tokens that an answer can depend on. */
const window = 24;
const firstWord = idOf(" red");

export interface Adam {
  readonly learning_rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weight_decay: number;
}

export interface Clip {
  readonly low: number;
  readonly high: number;
}

/** One example as the loss sees it: a target after each input token, and what it counts for. */
export interface Example {
  readonly inputs: readonly number[];
  readonly targets: readonly number[];
  readonly logprobs: readonly number[];
  readonly advantages: readonly number[];
  readonly weights: readonly number[];
}

/** What the untrained model says: one of three actions after the beginning of an answer, then the end; else anything. */
function baseLogit(last: number, next: number): number {
  const actions = [idOf("\\boxed{left}"), idOf("\\boxed{middle}"), idOf("\\boxed{right}")];
  if (last === newline && actions.includes(next)) return 10;
  return actions.includes(last) && next === idOf("<|im_end|>") ? 10 : 0;
}

const base = Float64Array.from({ length: size * size }, (_, at) =>
  baseLogit(Math.floor(at / size), at % size),
);

/** Weights and optimiser, as a checkpoint has them. */
export interface ModelState {
  readonly last: Float64Array;
  readonly near: Float64Array;
  readonly moments: readonly Float64Array[];
  readonly steps: number;
}

const empty = (): Float64Array => new Float64Array(size * size);

export function untrained(): ModelState {
  return { last: empty(), near: empty(), moments: [empty(), empty(), empty(), empty()], steps: 0 };
}

export class LanguageModel {
  readonly #last: Float64Array;
  readonly #near: Float64Array;
  readonly #gradient = { last: empty(), near: empty() };
  readonly #moments: readonly Float64Array[];
  #steps: number;

  constructor(state: ModelState = untrained()) {
    this.#last = state.last.slice();
    this.#near = state.near.slice();
    this.#moments = state.moments.map((moment) => moment.slice());
    this.#steps = state.steps;
  }

  /** Steps that were taken since the model was untrained. */
  get steps(): number {
    return this.#steps;
  }

  /** What a new model copies. It changes with this one. */
  state(): ModelState {
    return { last: this.#last, near: this.#near, moments: this.#moments, steps: this.#steps };
  }

  /** Log-probabilities of every token after `tokens[0..end]`. */
  #after(tokens: readonly number[], end: number, temperature: number): Float64Array {
    const last = tokens[end] ?? 0;
    const logits = new Float64Array(size);
    for (let v = 0; v < size; v += 1) {
      logits[v] = (base[last * size + v] ?? 0) + (this.#last[last * size + v] ?? 0);
    }
    for (const token of near(tokens, end)) {
      for (let v = 0; v < size; v += 1) logits[v] = (logits[v] ?? 0) + (this.#near[token * size + v] ?? 0);
    }
    let highest = Number.NEGATIVE_INFINITY;
    for (let v = 0; v < size; v += 1) highest = Math.max(highest, logits[v] ?? 0);
    let sum = 0;
    for (let v = 0; v < size; v += 1) sum += Math.exp(((logits[v] ?? 0) - highest) / temperature);
    const log = Math.log(sum);
    return logits.map((logit) => (logit - highest) / temperature - log);
  }

  /**
   * An answer: its tokens, the one that ended it included, and their log-probabilities, which are the model's own
   * whatever the temperature that they were drawn with.
   */
  sample(
    prompt: readonly number[],
    {
      max,
      temperature,
      seed,
      stop,
    }: { max: number; temperature: number; seed: number; stop: readonly number[] },
  ): { tokens: number[]; logprobs: number[]; stopped: boolean } {
    const random = keyedRandom("sample", seed);
    const whole = [...prompt];
    const tokens: number[] = [];
    const logprobs: number[] = [];
    while (tokens.length < max) {
      const own = this.#after(whole, whole.length - 1, 1);
      const drawn =
        temperature === 1 ? own : this.#after(whole, whole.length - 1, Math.max(temperature, 1e-6));
      let left = random.next();
      let chosen = 0;
      for (let v = 0; v < size; v += 1) {
        left -= Math.exp(drawn[v] ?? 0);
        chosen = v;
        if (left < 0) break;
      }
      whole.push(chosen);
      tokens.push(chosen);
      logprobs.push(own[chosen] ?? 0);
      if (stop.includes(chosen)) return { tokens, logprobs, stopped: true };
    }
    return { tokens, logprobs, stopped: false };
  }

  /** Log-probabilities of the targets. */
  forward({ inputs, targets }: Pick<Example, "inputs" | "targets">): number[] {
    return targets.map((target, at) => this.#after(inputs, at, 1)[target] ?? 0);
  }

  /** The summed loss −w min(ρA, clip(ρ) A); its gradient is added to what was gathered. Gives the targets' log-probabilities. */
  backward(example: Example, clip: Clip): { loss: number; logprobs: number[] } {
    let loss = 0;
    const logprobs = example.targets.map((target, at) => {
      const all = this.#after(example.inputs, at, 1);
      const logprob = all[target] ?? 0;
      const weight = example.weights[at] ?? 0;
      if (weight === 0) return logprob;
      const advantage = example.advantages[at] ?? 0;
      const ratio = Math.exp(logprob - (example.logprobs[at] ?? 0));
      const free = ratio * advantage;
      const held = Math.min(clip.high, Math.max(clip.low, ratio)) * advantage;
      loss -= weight * Math.min(free, held);
      if (held >= free) this.#pull(example.inputs, at, target, all, -weight * free);
      return logprob;
    });
    return { loss, logprobs };
  }

  /** Adds `by` times the gradient of a log-probability. */
  #pull(tokens: readonly number[], end: number, target: number, all: Float64Array, by: number): void {
    const slope = all.map((logprob, v) => by * ((v === target ? 1 : 0) - Math.exp(logprob)));
    const add = (rows: Float64Array, row: number): void => {
      for (let v = 0; v < size; v += 1) rows[row * size + v] = (rows[row * size + v] ?? 0) + (slope[v] ?? 0);
    };
    add(this.#gradient.last, tokens[end] ?? 0);
    for (const token of near(tokens, end)) add(this.#gradient.near, token);
  }

  /** Takes Adam's step along the gathered gradient, and begins a new one. */
  step(adam: Adam): void {
    this.#steps += 1;
    const [lastMean, lastSquare, nearMean, nearSquare] = this.#moments;
    if (!lastMean || !lastSquare || !nearMean || !nearSquare) throw new TypeError("a model without moments");
    adamStep(this.#last, this.#gradient.last, [lastMean, lastSquare], this.#steps, adam);
    adamStep(this.#near, this.#gradient.near, [nearMean, nearSquare], this.#steps, adam);
  }
}

/** The words near the end: single bytes say too little to depend on. */
function near(tokens: readonly number[], end: number): Set<number> {
  return new Set(tokens.slice(Math.max(0, end - window), end).filter((token) => token >= firstWord));
}

function adamStep(
  weights: Float64Array,
  gradient: Float64Array,
  [mean, square]: readonly [Float64Array, Float64Array],
  steps: number,
  { learning_rate, beta1, beta2, eps, weight_decay }: Adam,
): void {
  const ofMean = 1 - beta1 ** steps;
  const ofSquare = 1 - beta2 ** steps;
  for (let i = 0; i < weights.length; i += 1) {
    const g = gradient[i] ?? 0;
    const m = beta1 * (mean[i] ?? 0) + (1 - beta1) * g;
    const v = beta2 * (square[i] ?? 0) + (1 - beta2) * g * g;
    mean[i] = m;
    square[i] = v;
    gradient[i] = 0;
    const step = m / ofMean / (Math.sqrt(v / ofSquare) + eps);
    weights[i] = (weights[i] ?? 0) - learning_rate * (step + weight_decay * (weights[i] ?? 0));
  }
}
