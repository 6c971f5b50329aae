/**
 * play: every episode of every environment and arm, all at once as far as models and sandbox allow. Each is stored
 * when it ends under (round, environment, arm, index); those that are stored are not played again.
 */
import { type EpisodeRecord, episodeId } from "../../store/records.ts";
import type { UnwrittenEpisode } from "../../store/store.ts";
import { inParallel } from "../in-parallel.ts";
import { Outage } from "../outage.ts";
import { episodesOf, type PlannedEpisode, turnsOf } from "../planned-episodes.ts";
import { type Played, playEpisode } from "../play.ts";
import { PlayLines } from "../play-lines.ts";
import type { RoundNode, Work } from "../state.ts";
import { Together } from "../together.ts";

/** An episode that ended, with its transcript, until both are stored. */
interface Ended extends UnwrittenEpisode {
  readonly failure: EpisodeRecord["failure"];
}

export const play: RoundNode = async (state, work) => {
  const { services, options, signal, draining } = work;
  const planned = await episodesOf(state, work);
  const stored = new Set((await services.store.episodes.ofRound(state.roundId)).map(({ id }) => id));
  const open = planned.filter(({ id }) => !stored.has(episodeId(id)));
  let done = planned.length - open.length;
  work.progress("play", done, planned.length);
  if (open.length === 0) return { episodes: planned.length };

  const { concurrency } = services.config.models;
  const model = await services.model(options.model, options.policyVersion);
  const player = { sandbox: await work.loading(), limits: options, signal };
  const lines = new PlayLines(concurrency, turnsOf(open));
  const written = new Together<Ended>(async (ended) => {
    await services.store.episodes.insertWithTranscripts(ended);
  });
  const keep = async (ended: Ended): Promise<void> => {
    await written.add(ended);
    const { record } = ended;
    done += 1;
    const { roundId, environmentId, arm, index, turns } = record;
    services.emit({
      type: "episode",
      roundId,
      episodeId: record.id,
      environmentId,
      arm,
      index,
      return: record.return,
      turns,
    });
    work.progress("play", done, planned.length);
  };
  const outage = new Outage(keep, done);
  await inParallel(
    open,
    // Twice as many as model calls, so that a call is always waiting for a free line; the sandbox bounds it too.
    { limit: 2 * concurrency, signal, draining },
    async (episode) => {
      const startedAt = services.now();
      const played = await lines.play(episode.mostTurns, model, (lined) =>
        playEpisode(episode, { ...player, model: lined }),
      );
      await outage.take(endedOf(episode, played, startedAt, work), played.cause);
    },
  );
  await outage.end();
  return { episodes: planned.length };
};

function endedOf(
  episode: PlannedEpisode,
  { transcript: turns, ending }: Played,
  startedAt: number,
  { services, options }: Work,
): Ended {
  const record: UnwrittenEpisode["record"] = {
    id: episodeId(episode.id),
    ...episode.id,
    seed: episode.seed,
    player: options.model,
    hintId: episode.hintId,
    ...ending,
    startedAt,
    endedAt: services.now(),
  };
  return { record, transcript: JSON.stringify(turns), failure: record.failure };
}
