/**
 * determinism: the same seed and actions give the same transcript in fresh instances, and in an instance that has
 * played before. The second half is what makes the other gates' evidence, gathered within one isolate, hold for
 * episodes, each of which has its own.
 */
import type { Run } from "../../sandbox.ts";
import { where } from "../probe.ts";
import { quote } from "../sentences.ts";
import {
  fail,
  type Judgement,
  pass,
  type SeedInstance,
  type Subject,
  transcriptOf,
  unknown,
} from "./gate.ts";

interface Script {
  readonly seed: number;
  readonly actions: readonly string[];
}

const asked = { solution: true };

/** What an instance that has played other episodes gave for the scripts that fresh instances play. */
export interface UsedPlay {
  readonly scripts: readonly Script[];
  readonly runs: readonly Run[];
}

/** Plays the scripts on the subject's probe, once the evidence is there that they are made of. */
export async function playUsed(subject: Subject): Promise<UsedPlay> {
  const scripts = scriptsOf(subject);
  const runs = scripts.map(({ seed, actions }) => subject.probe.run(seed, actions, asked));
  return { scripts, runs: await Promise.all(runs) };
}

/** Closes the subject's probe: an admission never holds two places in the sandbox at once. */
export async function judgeDeterminism(subject: Subject, playing: Promise<UsedPlay>): Promise<Judgement> {
  const used = await playing;
  await subject.probe.close();
  const [first, second, third] = used.scripts;
  if (first === undefined || second === undefined || third === undefined) {
    return unknown("No episode could be started; see contract.");
  }
  const [a, afterA] = await playFresh(subject, [first, second]);
  const [b, afterB] = await playFresh(subject, [first, third]);
  if (a === undefined || b === undefined) return unknown("A fresh instance could not be played.");
  const fresh = difference(first, a, b);
  if (fresh !== null) {
    return fail(
      `Two fresh instances differ ${fresh} Let nothing but the seed and the actions decide what happens.`,
    );
  }
  const pairs: [Script, Run | undefined, Run | undefined][] = [
    [first, a, used.runs[0]],
    [second, afterA, used.runs[1]],
    [third, afterB, used.runs[2]],
  ];
  for (const [script, left, right] of pairs) {
    if (left === undefined || right === undefined) return unknown("A fresh instance could not be played.");
    const found = difference(script, left, right);
    if (found === null) continue;
    return fail(
      `A fresh instance and one that has played other episodes differ ${found} Set every field in reset(); keep nothing in static fields or outside the class.`,
    );
  }
  return pass("Two fresh instances and a used one gave the same transcripts.");
}

/** Random play with junk in it, a whole solution, and random play again, on three seeds. */
function scriptsOf({ evidence }: Subject): Script[] {
  const [one, two, three] = [0, 1, 2].map((i) => evidence.instances[i % evidence.instances.length]);
  if (one === undefined || two === undefined || three === undefined) return [];
  const played = (instance: SeedInstance) => {
    const play = evidence.plays.find((candidate) => candidate.instance.seed === instance.seed);
    return [...(play?.actions ?? instance.actions).slice(0, 12), "", "\\boxed{zzqx}"];
  };
  return [
    { seed: one.seed, actions: played(one) },
    { seed: two.seed, actions: two.actions },
    { seed: three.seed, actions: played(three) },
  ];
}

async function playFresh(subject: Subject, scripts: readonly Script[]): Promise<Run[]> {
  const probe = await subject.freshProbe();
  try {
    return await Promise.all(scripts.map(({ seed, actions }) => probe.run(seed, actions, asked)));
  } finally {
    await probe.close();
  }
}

/** Where two transcripts part, as the rest of a sentence; null if they are the same. */
function difference({ seed, actions }: Script, a: Run, b: Run): string | null {
  if (transcriptOf(a) === transcriptOf(b) && a.failure?.verdict === b.failure?.verdict) return null;
  if (JSON.stringify(a.reset) !== JSON.stringify(b.reset)) {
    return `in the first observation of seed ${seed}: ${apart(a.reset?.observation, b.reset?.observation)}.`;
  }
  if (JSON.stringify(a.solution) !== JSON.stringify(b.solution)) {
    return `in solution() of seed ${seed}: ${apart(a.solution?.join(", "), b.solution?.join(", "))}.`;
  }
  const turn = actions.findIndex((_, i) => JSON.stringify(a.steps[i]) !== JSON.stringify(b.steps[i]));
  const left = a.steps[turn];
  const right = b.steps[turn];
  const said =
    left?.observation === right?.observation
      ? `reward ${left?.reward} and ${right?.reward}, info ${quote(JSON.stringify(left?.info ?? null))} and ${quote(JSON.stringify(right?.info ?? null))}`
      : apart(left?.observation, right?.observation);
  return `${where(seed, Math.max(0, turn), actions[turn])}: ${said}.`;
}

/** Both texts from a little before the place where they part. */
function apart(a = "", b = ""): string {
  let at = 0;
  while (at < Math.min(a.length, b.length) && a[at] === b[at]) at += 1;
  const start = Math.max(0, at - 20);
  return `${quote(a.slice(start))} and ${quote(b.slice(start))}`;
}
