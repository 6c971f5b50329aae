/** termination: whatever is done, an episode ends by itself within the turns that the environment declares. */
import { readCall } from "../mining/calls.ts";
import { headOf } from "../mining/observation.ts";
import { quote } from "../sentences.ts";
import { fail, isOver, type Judgement, pass, type SeedInstance, type Subject, unknown } from "./gate.ts";

/** More turns can't be checked in reasonable time, and no preset plays so many. */
const turnsAtMost = 1_000;
const commandsRepeated = 8;
const drawsAtMost = 64;

export async function judgeTermination(subject: Subject): Promise<Judgement> {
  const { evidence, shape, probe } = subject;
  const { maxTurns } = shape;
  const instance = evidence.instances[0];
  if (instance === undefined) return unknown("No episode could be started; see contract.");
  if (maxTurns > turnsAtMost) {
    return fail(`It declares ${maxTurns} turns; declare at most ${turnsAtMost}, as static maxTurns = N.`);
  }
  const scripts = endlessScripts(subject, instance).map((actions) => repeat(actions, maxTurns));
  const runs = await Promise.all(scripts.map((actions) => probe.run(instance.seed, actions)));
  for (const [i, run] of runs.entries()) {
    if (run.failure !== null || isOver(run.steps)) continue;
    return fail(goesOn(instance.seed, scripts[i] ?? [], maxTurns));
  }
  for (const { instance: played, actions, steps } of evidence.plays) {
    if (steps.length < maxTurns || isOver(steps)) continue;
    return fail(goesOn(played.seed, actions, maxTurns));
  }
  const unseen = runs.every(({ failure }) => failure !== null);
  if (unseen) return unknown("No episode could be played to its end; see contract.");
  return pass(`Every episode ended within the ${maxTurns} turns that it declares.`);
}

const nonsense = "\\boxed{zzqx}";

/** Ways to play on: nothing, nonsense, one command for ever, all of them in turn, everything but the last step. */
function endlessScripts(subject: Subject, instance: SeedInstance): string[][] {
  const actions = oneOfEachCommand(subject, instance);
  const stalling = instance.actions.slice(0, -1);
  return [
    [""],
    [nonsense],
    ...actions.map((action) => [action]),
    ...(actions.length > 1 ? [actions] : []),
    ...(stalling.length > 0 ? [[...stalling, nonsense]] : []),
  ];
}

/** Legal actions, no two of the same command; answers of tool use end an episode and are left out. */
function oneOfEachCommand({ evidence, random, shape }: Subject, instance: SeedInstance): string[] {
  const { player } = evidence;
  const seen = player?.begin(instance.firstObservation);
  const draw = random("termination");
  const found = new Map<string, string>();
  const add = (action: string) => {
    const command = readCall(action)?.name ?? headOf(action.replace("\\boxed", ""));
    if (!found.has(command)) found.set(command, action);
  };
  for (const action of instance.actions) if (!/^<answer>/.test(action.trim())) add(action);
  for (let tries = 0; tries < drawsAtMost; tries += 1) {
    if (player === null || seen === undefined) break;
    const action =
      shape.kind === "tool-use"
        ? player.drawCall(instance.index, seen, draw)
        : player.draw("offered", instance.index, seen, draw);
    if (action !== null) add(action);
  }
  const known = [...found.values()].map((action) => ({ action, known: player?.knows(action) === true }));
  const sorted = known.toSorted((a, b) => Number(b.known) - Number(a.known));
  return sorted.slice(0, commandsRepeated).map(({ action }) => action);
}

function repeat(actions: readonly string[], turns: number): string[] {
  return Array.from({ length: turns }, (_, i) => actions[i % actions.length] ?? "");
}

function goesOn(seed: number, actions: readonly string[], maxTurns: number): string {
  const shown = [...new Set(actions)].slice(0, 3).map((action) => quote(action, 40));
  return `On seed ${seed} the episode still goes on after ${maxTurns} turns, the number that it declares (actions: ${shown.join(", ")}). Count every call of step(), also those with unknown or useless actions, and set terminated or truncated on turn maxTurns at the latest.`;
}
