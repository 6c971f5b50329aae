/**
 * robust: junk, empty, very long, unicode and malformed actions never make `step` throw. Neither may any action that
 * another gate tries, so the verdict is taken last.
 */
import { junkActions, malformedActions } from "../junk.ts";
import type { ProbeRecord } from "../probe.ts";
import { reactionKey } from "../reactions.ts";
import {
  fail,
  isOver,
  type Judgement,
  observationBefore,
  pass,
  type SeedInstance,
  type Subject,
  unknown,
} from "./gate.ts";

/** Runs at most, should every junk action end its episode. */
const runsAtMost = 200;
const malformedInTheMiddle = 24;

export async function judgeRobust(subject: Subject): Promise<Judgement> {
  const { evidence, shape, random } = subject;
  const [first, second] = evidence.instances;
  if (first === undefined) return unknown("No episode could be started; see contract.");
  const junk = junkActions(shape.kind);
  const solution = evidence.instances.flatMap(({ actions }) => actions);
  const malformed = malformedActions(shape.kind, solution, evidence.tools);
  const attempt = new Attempt(subject);
  await attempt.play(first, [], junk, true);
  await attempt.play(first, [], malformed, false);
  // Handlers of later phases are only reached in the middle of an episode.
  const middle = second ?? first;
  const prefix = middle.actions.slice(0, Math.floor(middle.actions.length / 2));
  const some = random("robust")
    .shuffle([...junk, ...malformed])
    .slice(0, malformedInTheMiddle);
  await attempt.play(middle, prefix, some, false);
  evidence.junkReactions = attempt.reactions;
  if (!attempt.complete) return unknown("Not every malformed action could be tried.");
  return pass(`${junk.length + malformed.length} junk and malformed actions, none threw.`);
}

/** The verdict, once every gate has played: whatever made `step` throw in any of them counts here. */
export function withThrown(judgement: Judgement, { thrown }: ProbeRecord): Judgement {
  return thrown === null ? judgement : fail(`${thrown} Answer every action with an observation instead.`);
}

/** Plays junk through as many episodes as it takes. */
class Attempt {
  readonly reactions = new Set<string>();
  complete = true;
  readonly #subject: Subject;
  #runs = 0;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** Each action once, after the prefix; an action that ends or breaks its episode is followed by a new one. */
  async play(
    { seed, firstObservation }: SeedInstance,
    prefix: readonly string[],
    actions: readonly string[],
    isJunk: boolean,
  ): Promise<void> {
    let rest = actions;
    while (rest.length > 0) {
      this.#runs += 1;
      if (this.#runs > runsAtMost) {
        this.complete = false;
        return;
      }
      const script = [...prefix, ...rest];
      const { steps, failure } = await this.#subject.probe.run(seed, script);
      const tried = steps.length - prefix.length + (failure === null ? 0 : 1);
      if (isJunk) {
        steps.forEach((step, turn) => {
          const before = observationBefore(firstObservation, steps, turn);
          this.reactions.add(reactionKey(before, step.observation, script[turn] ?? ""));
        });
      }
      // The prefix alone ends the episode, or the environment fails before the first junk.
      if (tried <= 0) return;
      if (failure === null && !isOver(steps)) return;
      rest = rest.slice(tried);
    }
  }
}
