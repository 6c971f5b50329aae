/**
 * Random legal play: many episodes side by side. The player looks at what it has seen before every chunk of actions;
 * a chunk is played by replaying the episode from its seed, so that an episode costs a handful of messages.
 */
import type { Step } from "../../sandbox.ts";
import type { PlayStyle } from "../mining/player.ts";
import type { Seen } from "../mining/values.ts";
import { isOver, observationBefore, type Play, type SeedInstance, type Subject } from "./gate.ts";

/** Turns of a random episode at most: longer ones than any agent plays say nothing new. */
export const horizonTurns = 200;

/**
 * After which turns a player looks around before it goes on. Offers change from turn to turn and tool results are what
 * the next call is made of; commands in the manner of other seeds' solutions depend little on what was seen.
 */
const looks: Readonly<Record<PlayStyle, readonly number[]>> = {
  solutions: [3],
  mixed: [4],
  offered: [2, 7],
  calls: [1, 2, 4, 8, 16],
};

interface Episode {
  readonly instance: SeedInstance;
  readonly seen: Seen;
  readonly random: ReturnType<Subject["random"]>;
  readonly actions: string[];
  steps: readonly Step[];
  done: boolean;
}

/** Plays `count` episodes in a style, numbered from `from`; null if no legal action was found. */
export async function playRandomly(
  subject: Subject,
  style: PlayStyle,
  from: number,
  count: number,
): Promise<Play[] | null> {
  const { player, instances } = subject.evidence;
  if (player === null || instances.length === 0) return null;
  const episodes = Array.from({ length: count }, (_, i): Episode => {
    const instance = instances[(from + i) % instances.length] as SeedInstance;
    return {
      instance,
      seen: player.begin(instance.firstObservation),
      random: subject.random("play", style, from + i),
      actions: [],
      steps: [],
      done: false,
    };
  });
  const turns = Math.min(subject.shape.maxTurns, horizonTurns);
  for (const stop of [...looks[style].filter((turn) => turn < turns), turns]) {
    const playing = episodes.filter(({ done }) => !done);
    if (playing.length === 0) break;
    for (const episode of playing) {
      while (episode.actions.length < stop) {
        const action = player.draw(style, episode.instance.index, episode.seen, episode.random);
        if (action === null) return null;
        episode.actions.push(action);
      }
    }
    await Promise.all(playing.map((episode) => advance(subject, episode, style !== "solutions")));
  }
  return episodes.map(({ instance, actions, steps }) => ({ instance, actions, steps }));
}

async function advance({ probe, evidence }: Subject, episode: Episode, learn: boolean): Promise<void> {
  const { instance, seen, actions } = episode;
  const known = episode.steps.length;
  const { steps, failure } = await probe.run(instance.seed, actions);
  episode.steps = steps;
  episode.done = failure !== null || isOver(steps);
  for (let turn = known; turn < steps.length; turn += 1) {
    const said = steps[turn]?.observation ?? "";
    seen.add(said);
    const action = actions[turn] ?? "";
    if (!learn || evidence.player?.wondersAbout(action) !== true) continue;
    const before = observationBefore(instance.firstObservation, steps, turn);
    evidence.player?.learn(action, !evidence.junkAnswers.covers(before, said, action));
  }
}
