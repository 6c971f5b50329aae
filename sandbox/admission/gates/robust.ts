/**
 * robust: junk, empty, very long, unicode and malformed actions never make `step` throw. Neither may any action that
 * another gate tries, so the verdict is taken last.
 */
import type { Step } from "../../sandbox.ts";
import { malformedActions, nonsenseActions, oddActions } from "../junk.ts";
import type { ProbeRecord } from "../probe.ts";
import { JunkAnswers } from "../reactions.ts";
import {
  fail,
  type Judgement,
  observationBefore,
  pass,
  type SeedInstance,
  type Subject,
  unknown,
} from "./gate.ts";

const malformedInTheMiddle = 24;

export async function judgeRobust(subject: Subject): Promise<Judgement> {
  const { evidence, shape, random } = subject;
  const [first, second] = evidence.instances;
  if (first === undefined) return unknown("No episode could be started; see contract.");
  const nonsense = nonsenseActions(shape.kind);
  const solution = evidence.instances.flatMap(({ actions }) => actions);
  const others = [...oddActions(shape.kind), ...malformedActions(shape.kind, solution, evidence.tools)];
  // Handlers of later phases are only reached in the middle of an episode.
  const middle = second ?? first;
  const prefix = middle.actions.slice(0, Math.floor(middle.actions.length / 2));
  const some = random("robust")
    .shuffle([...nonsense, ...others])
    .slice(0, malformedInTheMiddle);
  const attempt = new Attempt(subject);
  await Promise.all([
    attempt.play(first, [], nonsense, true),
    attempt.play(first, [], others, false),
    attempt.play(middle, prefix, some, false),
  ]);
  evidence.junkAnswers = attempt.answers;
  if (!attempt.complete) return unknown("Not every malformed action could be tried.");
  return pass(`${nonsense.length + others.length} junk and malformed actions, none threw.`);
}

/** The verdict, once every gate has played: whatever made `step` throw in any of them counts here. */
export function withThrown(judgement: Judgement, { thrown }: ProbeRecord): Judgement {
  return thrown === null ? judgement : fail(`${thrown} Answer every action with an observation instead.`);
}

/** Actions in one episode at first; those that an episode's end cuts off get one each. */
const actionsTogether = 8;

/** Plays each action once, in as many episodes as it takes. */
class Attempt {
  readonly answers = new JunkAnswers();
  complete = true;
  readonly #subject: Subject;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  async play(
    instance: SeedInstance,
    prefix: readonly string[],
    actions: readonly string[],
    teaches: boolean,
  ): Promise<void> {
    const cutOff = await this.#episodes(instance, prefix, chunks(actions, actionsTogether), teaches);
    const left = await this.#episodes(instance, prefix, chunks(cutOff, 1), teaches);
    // A prefix that ends its episode early is another gate's matter.
    if (left.length > 0 && prefix.length === 0) this.complete = false;
  }

  /** One episode a script; the actions that were not reached. */
  async #episodes(
    { seed, firstObservation }: SeedInstance,
    prefix: readonly string[],
    scripts: readonly (readonly string[])[],
    teaches: boolean,
  ): Promise<string[]> {
    const runs = await Promise.all(
      scripts.map((actions) => this.#subject.probe.run(seed, [...prefix, ...actions])),
    );
    return scripts.flatMap((actions, i) => {
      const { steps = [], failure = null } = runs[i] ?? {};
      if (teaches) this.#learn(firstObservation, steps, actions);
      const tried = steps.length - prefix.length + (failure?.call === "step" ? 1 : 0);
      return actions.slice(Math.max(0, tried));
    });
  }

  /** Only nonsense teaches how junk is answered: odd values may be commands after all. */
  #learn(firstObservation: string, steps: readonly Step[], actions: readonly string[]): void {
    steps.forEach((step, turn) => {
      const before = observationBefore(firstObservation, steps, turn);
      this.answers.learn(before, step.observation, actions[turn] ?? "");
    });
  }
}

function chunks(actions: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(actions.length / size) }, (_, i) =>
    actions.slice(i * size, (i + 1) * size),
  );
}
