/**
 * no-leak: no fixed text pattern reads every seed-dependent value of `solution()` off that seed's first observation.
 * A suspicion from a dozen seeds is checked on two dozen more before anybody is blamed.
 */
import { findLeaks, tellsApart } from "../leak.ts";
import { type Instance, type Leak, leakShare } from "../leak-instances.ts";
import { quote } from "../sentences.ts";
import { fail, type Judgement, pass, type Subject, unknown } from "./gate.ts";

const fewestSeeds = 8;
const furtherSeeds = 24;

export async function judgeNoLeak(subject: Subject): Promise<Judgement> {
  const known = subject.evidence.instances.flatMap(({ seed, firstObservation, solution }) =>
    solution === null ? [] : [{ seed, observation: firstObservation, solution }],
  );
  if (known.length < fewestSeeds) {
    return unknown("Too few seeds have a solution() to tell; see winnable and contract.");
  }
  if (new Set(known.map(({ solution }) => solution.join("\n"))).size === 1) {
    return pass("Nothing in solution() depends on the seed.");
  }
  let further: Instance[] = [];
  for (const leak of findLeaks(known)) {
    if (further.length === 0) further = await moreInstances(subject);
    const read = further.filter((instance) => leak.reads(instance));
    const holds = read.length >= further.length * leakShare && tellsApart(leak, [...known, ...further]);
    if (holds)
      return fail(leakSentence(leak, leak.seeds.length + read.length, known.length + further.length));
  }
  const all = known.length + further.length;
  return pass(`No fixed pattern reads solution() off the first observation on ${all} seeds.`);
}

async function moreInstances({ probe, random }: Subject): Promise<Instance[]> {
  const draw = random("no-leak");
  const seeds = Array.from({ length: furtherSeeds }, () => draw.below(2_147_483_647));
  const runs = await Promise.all(seeds.map((seed) => probe.run(seed, [], { solution: true })));
  return runs.flatMap(({ reset, solution }, i) =>
    reset === null || solution === null
      ? []
      : [{ seed: seeds[i] ?? 0, observation: reset.observation, solution }],
  );
}

function leakSentence({ example }: Leak, seeds: number, all: number): string {
  const after = example.context === "" ? "" : ` after ${quote(example.context, 40)}`;
  return `On ${seeds} of ${all} seeds every seed-dependent value of solution() stands at a fixed place of the first observation, e.g. ${quote(example.value, 40)}${after} on seed ${example.seed}. Take it out of the first observation, or make the player find it out or work it out.`;
}
