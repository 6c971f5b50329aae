/** winnable: replaying `solution()` on every seed of the admission ends in success. */
import type { Step } from "../../sandbox.ts";
import { quote, seedList } from "../sentences.ts";
import {
  fail,
  isOver,
  isSuccess,
  type Judgement,
  pass,
  type SeedInstance,
  type Subject,
  unknown,
} from "./gate.ts";

export async function judgeWinnable({ probe, seeds, evidence }: Subject): Promise<Judgement> {
  const { instances } = evidence;
  const problem = instances.find((instance) => instance.problem !== null)?.problem;
  if (problem !== undefined && problem !== null) return fail(problem);
  const runs = await Promise.all(
    instances.map(({ seed, actions }) => probe.run(seed, actions, { source: "solution" })),
  );
  const lost = instances.flatMap((instance, i) => {
    const run = runs[i];
    return run === undefined || isSuccess(run.steps) ? [] : [{ instance, run }];
  });
  const other = lost.find(({ instance, run }) => run.reset?.observation !== instance.firstObservation);
  if (other !== undefined) {
    return unknown(
      `Seed ${other.instance.seed} gave another first observation when it was reset again, so solution() could not be replayed; see determinism.`,
    );
  }
  const [first] = lost;
  if (first !== undefined) {
    const threw = first.run.failure === null ? "" : ` ${first.run.failure.detail}`;
    return fail(
      `Replaying solution() does not win on ${seedList(lost.map(({ instance }) => instance.seed))}: ${howItEnded(first.instance, first.run.steps)}${threw} It must end with terminated true and reward 1.`,
    );
  }
  if (instances.length < seeds.length) return unknown("reset() failed on some seeds; see contract.");
  return pass(`solution() wins on all ${instances.length} seeds.`);
}

function howItEnded({ seed, actions }: SeedInstance, steps: readonly Step[]): string {
  const last = steps.at(-1);
  if (last === undefined) return `on seed ${seed} not one action could be taken.`;
  const said = `the last observation was ${quote(last.observation)}.`;
  if (!isOver(steps))
    return `on seed ${seed} the episode still goes on after all ${actions.length} actions; ${said}`;
  const how = last.terminated ? `terminated with reward ${last.reward}` : "was truncated";
  return `on seed ${seed} the episode ${how} at action ${steps.length} of ${actions.length} (${quote(actions[steps.length - 1] ?? "", 60)}); ${said}`;
}
