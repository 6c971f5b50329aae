/**
 * interactive: what is done changes what is seen. From one state two legal actions are tried that don't win; what
 * follows must differ in more than the echo of the action and the number of the turn.
 *
 * A fixed reply per command is no interaction either (a quiz with a `help` command stays a quiz), so a difference
 * counts if it is one of argument, one of history, or one that tells something of the instance.
 */
import type { Step } from "../../sandbox.ts";
import { where } from "../probe.ts";
import { type Echoing, echoing, sameButForEcho } from "../reactions.ts";
import { quote } from "../sentences.ts";
import {
  fail,
  isSuccess,
  type Judgement,
  observationBefore,
  pass,
  type SeedInstance,
  type Subject,
  unknown,
} from "./gate.ts";

const instancesTried = 4;
const alternativesAtMost = 12;

interface Alternative {
  readonly action: string;
  readonly sure: boolean;
}

/** One action tried from a state, and what the same few actions show after it. */
class Branch {
  readonly action: string;
  readonly actions: readonly string[];
  readonly steps: readonly Step[];
  /** Steps before the action. */
  readonly at: number;
  /** Its argument is surely one that the command takes: it is written as solutions write it. */
  readonly sure: boolean;
  readonly #shown = new Map<number, Echoing>();

  constructor({ action, sure }: Alternative, actions: readonly string[], steps: readonly Step[], at: number) {
    this.action = action;
    this.sure = sure;
    this.actions = actions;
    this.steps = steps;
    this.at = at;
  }

  /** What was shown after a turn, ready to be compared; null if the episode did not get so far. */
  shownAt(turn: number): Echoing | null {
    const step = this.steps[turn];
    if (step === undefined) return null;
    const shown = this.#shown.get(turn) ?? echoing(step.observation, this.actions.slice(0, turn + 1));
    this.#shown.set(turn, shown);
    return shown;
  }
}

export async function judgeInteractive(subject: Subject): Promise<Judgement> {
  const { instances } = subject.evidence;
  if (instances.length === 0) return unknown("No episode could be started; see contract.");
  const replies: { instance: SeedInstance; branches: readonly Branch[] }[] = [];
  for (const instance of instances.slice(0, instancesTried)) {
    const middle = Math.floor(instance.actions.length / 2);
    for (const at of new Set([0, middle])) {
      const branches = await branchesAt(subject, instance, at);
      const difference = differenceAmong(branches);
      if (difference !== null) return pass(difference(instance));
      replies.push({ instance, branches });
    }
  }
  if (tellsOfInstance(replies)) return pass("What commands show depends on the instance.");
  const branches = replies.flatMap((reply) => reply.branches);
  const [shown] = branches;
  if (shown === undefined) {
    return unknown(
      "No two legal actions that don't win were found. State the commands in the first observation.",
    );
  }
  const said = shown.steps[shown.at]?.observation ?? "";
  return fail(
    `Whatever is done without winning is answered alike: ${branches.length === 1 ? "1 action was" : `${branches.length} actions were`} tried, e.g. ${where(instances[0]?.seed ?? 0, shown.at, shown.action)} gave ${quote(said)}. Let observations show what an action changed or found out, not only that it was wrong.`,
  );
}

/** Plays every alternative from the state after `at` steps of the solution. */
async function branchesAt(subject: Subject, instance: SeedInstance, at: number): Promise<Branch[]> {
  const { probe, evidence, shape } = subject;
  if (shape.maxTurns <= at) return [];
  const prefix = instance.actions.slice(0, at);
  const alternatives = alternativesAt(subject, instance, at);
  const next = instance.actions.slice(at + 1, at + 2);
  const follow = [...next, ...alternatives.slice(0, 1).map(({ action }) => action)];
  const scripts = alternatives.map(({ action }) => [...prefix, action, ...follow]);
  const runs = await Promise.all(scripts.map((actions) => probe.run(instance.seed, actions)));
  return alternatives.flatMap((alternative, i) => {
    const { action } = alternative;
    const steps = runs[i]?.steps ?? [];
    const step = steps[at];
    if (step === undefined || isSuccess(steps.slice(0, at + 1))) return [];
    const before = observationBefore(instance.firstObservation, steps, at);
    const refused = evidence.junkAnswers.covers(before, step.observation, action);
    // The solution's own actions are legal even where they have no effect.
    if (refused && !instance.actions.includes(action)) return [];
    const kept = isSuccess(steps) ? steps.slice(0, -1) : steps;
    return [new Branch(alternative, scripts[i] ?? [], kept, at)];
  });
}

/** Own solution's actions, and legal ones drawn at random; answers of tool use end an episode and are left out. */
function alternativesAt(subject: Subject, instance: SeedInstance, at: number): Alternative[] {
  const { evidence, shape, random } = subject;
  const { player } = evidence;
  const own = instance.actions.filter((action) => !/^<answer>/.test(action.trim()));
  const found = new Map([...own.slice(at, at + 3), ...own.slice(-2)].map((action) => [action, true]));
  const seen = player?.begin(instance.firstObservation);
  const draw = random("interactive", instance.index, at);
  for (let tries = 0; tries < 3 * alternativesAtMost && found.size < alternativesAtMost; tries += 1) {
    if (player === null || seen === undefined) break;
    const taught = player.styles.includes("solutions");
    const style = taught && tries % 2 === 0 ? "solutions" : "offered";
    const action =
      shape.kind === "tool-use"
        ? player.drawCall(instance.index, seen, draw)
        : player.draw(style, instance.index, seen, draw);
    // Where nothing tells how solutions are written, what is offered must do.
    if (action !== null && !found.has(action)) found.set(action, style === "solutions" || !taught);
  }
  return [...found].map(([action, sure]) => ({ action, sure }));
}

/** A difference that shows interaction by itself: of two arguments of one command, or in what follows. */
function differenceAmong(branches: readonly Branch[]): ((instance: SeedInstance) => string) | null {
  for (const [i, a] of branches.entries()) {
    for (const b of branches.slice(i + 1)) {
      if (a.sure && b.sure && headOf(a.action) === headOf(b.action) && differAt(a, b, a.at, false)) {
        return ({ seed }) =>
          `On seed ${seed}, ${quote(a.action, 50)} and ${quote(b.action, 50)} show different things.`;
      }
      const turns = Math.min(a.steps.length, b.steps.length);
      for (let turn = a.at + 1; turn < turns; turn += 1) {
        if (differAt(a, b, turn, true)) {
          return ({ seed }) =>
            `On seed ${seed}, ${quote(a.actions[turn] ?? "", 50)} shows different things after different actions.`;
        }
      }
    }
  }
  return null;
}

/** `counted`: one of the two may have counted a turn or an attempt that the other did not. */
function differAt(a: Branch, b: Branch, turn: number, counted: boolean): boolean {
  const left = a.shownAt(turn);
  const right = b.shownAt(turn);
  return left !== null && right !== null && !sameButForEcho(left, right, counted);
}

/** Whether two different commands show different things and at least one of them differs between instances. */
function tellsOfInstance(
  replies: readonly { readonly instance: SeedInstance; readonly branches: readonly Branch[] }[],
): boolean {
  const starts = replies.map(({ branches }) => branches.filter(({ at }) => at === 0));
  for (const branches of starts) {
    for (const a of branches) {
      const differs = branches.some((b) => b.action !== a.action && differAt(a, b, 0, true));
      if (!differs) continue;
      for (const others of starts) {
        const same = others.find(({ action }) => action === a.action);
        if (same !== undefined && others !== branches && differAt(a, same, 0, false)) return true;
      }
    }
  }
  return false;
}

function headOf(action: string): string {
  const name = /"name"\s*:\s*"([^"]*)"/.exec(action)?.[1];
  if (name !== undefined) return name;
  return (action.replace(/^\\boxed\{/, "").match(/[\p{L}_]+/u)?.[0] ?? "").toLowerCase();
}
