/**
 * Which play speaks to the model next. The plays of a stage share the model's lines, and who gets a free one decides
 * how long the stage takes: its last turns must not be those of a few long plays that run on alone.
 */
import type { Model, ModelAnswer } from "./models/model.ts";

/** A play hurries when it needs nearly as long as the whole stage still does; turns. */
const slackTurns = 2;

interface Play {
  /** Turns that it may still take, the one that it waits for included. */
  turnsLeft: number;
}

interface Waiting {
  readonly play: Play;
  readonly begin: () => void;
}

export class PlayLines {
  readonly #lines: number;
  #free: number;
  #turnsLeft: number;
  readonly #waiting: Waiting[] = [];

  /** `lines`: model calls in flight at once, at least 1. `turns`: what all the plays of the stage may take together. */
  constructor(lines: number, turns: number) {
    this.#lines = lines;
    this.#free = lines;
    this.#turnsLeft = turns;
  }

  /** Runs one play of at most `turns` turns, with `model` as it may speak to it: a call waits until it is its turn. */
  async play<T>(turns: number, model: Model, run: (model: Model) => Promise<T>): Promise<T> {
    const play: Play = { turnsLeft: turns };
    try {
      return await run({ name: model.name, call: (call) => this.#speak(play, () => model.call(call)) });
    } finally {
      this.#turnsLeft -= play.turnsLeft;
    }
  }

  async #speak(play: Play, call: () => Promise<ModelAnswer>): Promise<ModelAnswer> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((begin) => this.#waiting.push({ play, begin }));
    try {
      return await call();
    } finally {
      play.turnsLeft -= 1;
      this.#turnsLeft -= 1;
      const [next] = this.#waiting.splice(this.#mostUrgent(), 1);
      // A line that goes from one play to the next is never free.
      if (next === undefined) this.#free += 1;
      else next.begin();
    }
  }

  /**
   * Those who could make the stage longer come first, the longest before the others. Of the rest the play with the
   * fewest turns left ends first, so that others stand ready, loaded but not begun, whenever one ends.
   */
  #mostUrgent(): number {
    const stageTurns = this.#turnsLeft / this.#lines;
    const urgency = ({ play: { turnsLeft } }: Waiting): number =>
      turnsLeft + slackTurns >= stageTurns ? turnsLeft : -turnsLeft;
    let most = 0;
    let mostUrgency = Number.NEGATIVE_INFINITY;
    for (const [index, waiting] of this.#waiting.entries()) {
      const own = urgency(waiting);
      if (own <= mostUrgency) continue;
      most = index;
      mostUrgency = own;
    }
    return most;
  }
}
