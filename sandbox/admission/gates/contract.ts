/**
 * contract: `reset`, `step`, `solution` and `tools` give what they must on several seeds. Every other gate adds to
 * it: a bad value seen anywhere counts here, so the verdict is taken last.
 */
import { wrapAction } from "../../actions.ts";
import type { EnvironmentShape, Run, ToolDefinition } from "../../sandbox.ts";
import { RandomPlayer } from "../mining/player.ts";
import type { ProbeRecord } from "../probe.ts";
import { fail, type Judgement, pass, type SeedInstance, type Subject, unknown } from "./gate.ts";

/** The ends of the range of seeds; the keyed seeds of an admission lie between them. */
const extremeSeeds = [1, 2_147_483_647];

/** Resets on every seed and puts the instances, the tools and a player into the evidence. */
export async function gatherInstances(subject: Subject): Promise<string[]> {
  const { probe, seeds, evidence, shape } = subject;
  const asked = { solution: true, tools: true };
  const [runs] = await Promise.all([
    Promise.all(seeds.map((seed) => probe.run(seed, [], asked))),
    Promise.all(extremeSeeds.map((seed) => probe.run(seed, []))),
  ]);
  evidence.instances = runs.flatMap((run, index) => instanceOf(run, index, seeds[index] ?? 0, shape));
  evidence.tools = await toolsOf(subject, runs);
  const bySeed = seeds.map((_, i) => evidence.instances.find(({ index }) => index === i));
  const solutions = bySeed.map((instance) => instance?.solution ?? []);
  const observations = bySeed.map((instance) => instance?.firstObservation ?? "");
  const single = shape.singleInstance && new Set(solutions.map((one) => one.join("\n"))).size === 1;
  evidence.player = new RandomPlayer(
    { ...shape, singleInstance: single },
    evidence.tools,
    solutions,
    observations,
  );
  return [
    ...evidence.instances.flatMap(({ firstObservation, seed }) =>
      firstObservation.trim() === ""
        ? [`reset(${seed}) gave an empty observation. State the rules, the goal and the commands in it.`]
        : [],
    ),
    ...(shape.kind === "tool-use" ? toolProblems(evidence.tools) : []),
  ];
}

function instanceOf(run: Run, index: number, seed: number, shape: EnvironmentShape): SeedInstance[] {
  if (run.reset === null) return [];
  const { solution, failure } = run;
  const problem =
    failure?.call === "solution"
      ? `solution() failed on seed ${seed}: ${failure.detail}`
      : solution === null
        ? "There is no solution(). Write one that returns the actions that win from the state after reset."
        : solution.length === 0
          ? `solution() is empty on seed ${seed}.`
          : null;
  const actions = problem === null ? (solution ?? []).map((action) => wrapAction(shape.kind, action)) : [];
  return [{ index, seed, firstObservation: run.reset.observation, solution, actions, problem }];
}

async function toolsOf(subject: Subject, runs: readonly Run[]): Promise<readonly ToolDefinition[]> {
  if (subject.shape.kind === "game") return [];
  const told = runs.find(({ tools }) => tools !== null)?.tools;
  if (told !== undefined && told !== null) return told;
  // A run ends at a failing solution(), before the tools.
  const run = await subject.probe.run(subject.seeds[0] ?? 0, [], { tools: true });
  return run.tools ?? [];
}

function toolProblems(tools: readonly ToolDefinition[]): string[] {
  if (tools.length === 0) return ["tools() names no tool. A tool-use environment needs at least one."];
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) return [`tools() names the tool ${twice} twice.`];
  const bad = names.find((name) => !/^[\w.-]{1,64}$/.test(name));
  return bad === undefined ? [] : [`tools() has a tool named "${bad}"; use letters, digits and underscores.`];
}

/** The verdict, once every gate has played. `problems` is null if the instances could not be gathered. */
export function judgeContract(record: ProbeRecord, problems: readonly string[] | null): Judgement {
  const all = [...record.badValues, ...(problems ?? [])].slice(0, 3);
  if (all.length > 0) return fail(all.join(" "));
  if (problems === null) return unknown("The environment could not be played long enough to tell.");
  return pass(`All values were right in ${record.episodes} episodes with ${record.steps} steps.`);
}
