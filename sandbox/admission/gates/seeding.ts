/**
 * seeding: different seeds give different first observations, transcripts or solutions, unless the environment
 * declares that it has a single instance. A seed that is merely printed makes no instance.
 */
import {
  fail,
  type Judgement,
  pass,
  type SeedInstance,
  type Subject,
  transcriptOf,
  unknown,
} from "./gate.ts";

/** With fewer different instances than this over a dozen seeds, an environment can be learnt by heart. */
const fewestInstances = 3;
const stepsCompared = 4;
const smallestSeed = 1_000;

export async function judgeSeeding({ shape, evidence, probe }: Subject): Promise<Judgement> {
  // The digits of a small seed stand everywhere, so its echo could not be told from anything else.
  const instances = evidence.instances.filter(({ seed }) => seed >= smallestSeed);
  if (shape.singleInstance) return pass("It declares a single instance.");
  if (instances.length < 8) return unknown("reset() failed on too many seeds to tell; see contract.");
  const shown = instances.map(({ seed, firstObservation, solution }) =>
    withoutSeed(JSON.stringify([firstObservation, solution]), seed),
  );
  const different = new Set(shown).size;
  if (different >= fewestInstances) {
    return pass(`${different} of ${instances.length} seeds differ in their first observation or solution.`);
  }
  // What is hidden at first and has no solution() to tell may still show in play.
  const played = await transcripts(instances, probe);
  const playedDifferent = new Set(shown.map((text, i) => `${text}\n${played[i]}`)).size;
  if (playedDifferent >= fewestInstances) {
    return pass(`${playedDifferent} of ${instances.length} seeds differ in their transcripts.`);
  }
  const [first, second] = instances;
  return fail(
    `${instances.length} seeds give only ${playedDifferent === 1 ? "one instance" : `${playedDifferent} instances`}: first observation, solution and transcript of seeds ${first?.seed} and ${second?.seed} ${playedDifferent === 1 ? "are the same" : "hardly vary"}. Draw the instance with Math.random (seeded by reset) or from the seed itself, or declare static singleInstance = true.`,
  );
}

/** The same actions on every seed: the first few of the solutions of two seeds. */
async function transcripts(instances: readonly SeedInstance[], probe: Subject["probe"]): Promise<string[]> {
  const scripts = instances
    .slice(0, 2)
    .map(({ actions }) => actions.slice(0, stepsCompared))
    .filter((actions) => actions.length > 0);
  const runs = await Promise.all(
    instances.map(({ seed }) => Promise.all(scripts.map((actions) => probe.run(seed, actions)))),
  );
  return runs.map((list, i) => withoutSeed(list.map(transcriptOf).join("\n"), instances[i]?.seed ?? 0));
}

function withoutSeed(text: string, seed: number): string {
  const forms = [String(seed), seed.toString(16), seed.toString(36)].filter((form) =>
    text.toLowerCase().includes(form),
  );
  return forms.reduce((left, form) => left.replace(new RegExp(`\\b(?:0x)?${form}\\b`, "gi"), ""), text);
}
