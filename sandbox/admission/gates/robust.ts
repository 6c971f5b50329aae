/** robust: junk, empty, very long, unicode and malformed actions never make `step` throw. */
import { junkActions, malformedActions } from "../junk.ts";
import { where } from "../probe.ts";
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
  const junk = junkActions(shape.kind, evidence.tools);
  const solution = evidence.instances.flatMap(({ actions }) => actions);
  const malformed = malformedActions(shape.kind, solution);
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
  if (attempt.thrown !== null) return fail(attempt.thrown);
  if (!attempt.complete) return unknown("Not every malformed action could be tried.");
  return pass(`${junk.length + malformed.length} junk and malformed actions, none threw.`);
}

/** Plays junk through as many episodes as it takes. */
class Attempt {
  readonly reactions = new Set<string>();
  thrown: string | null = null;
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
      const { steps, failure } = await this.#subject.probe.run(seed, script, { purpose: "junk" });
      const tried = steps.length - prefix.length + (failure === null ? 0 : 1);
      if (failure?.verdict === "environment-threw" && failure.call === "step") {
        this.thrown ??= `step() threw ${where(seed, failure.turn, script[failure.turn])}: ${failure.detail} Answer it with an observation instead.`;
      }
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
