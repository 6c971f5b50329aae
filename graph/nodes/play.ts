/**
 * play: every episode of every environment and arm, all at once as far as models and sandbox allow. Each is stored
 * when it ends under (round, environment, arm, index); those that are stored are not played again.
 */
import type { Arm } from "../../config/words.ts";
import { type EpisodeRecord, episodeId, type TextId } from "../../store/records.ts";
import type { UnwrittenEpisode } from "../../store/store.ts";
import { environmentOf, sourceOf } from "../environment-of.ts";
import { inParallel } from "../in-parallel.ts";
import { playSeed } from "../instance-seed.ts";
import { Outage } from "../outage.ts";
import type { PlanSlot } from "../plan.ts";
import { type Episode, type Played, playEpisode } from "../play.ts";
import { PlayLines } from "../play-lines.ts";
import type { RoundNode, State, Work } from "../state.ts";
import { Together } from "../together.ts";

interface PlannedEpisode extends Episode {
  readonly id: Pick<EpisodeRecord, "roundId" | "environmentId" | "arm" | "index">;
  readonly hintId: TextId | null;
  /** Turns it may take. */
  readonly mostTurns: number;
}

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

/**
 * In the order in which they start. Each environment's plays are spread over the whole stage, so that they don't all
 * end, and load anew, at once; a long one's end sooner, so that no long episode is left to run on alone at the end.
 */
async function episodesOf(state: State, work: Work): Promise<PlannedEpisode[]> {
  const plan = await work.plan();
  const { plays } = work.options;
  const episodes: PlannedEpisode[] = [];
  for (const slot of state.playable) {
    const planned = plan.slots[slot];
    if (planned !== undefined) episodes.push(...(await episodesOfSlot(state.roundId, slot, planned, work)));
  }
  const stageTurns = turnsOf(episodes) / work.services.config.models.concurrency;
  const startOf = ({ id, mostTurns }: PlannedEpisode): number =>
    (Math.max(0, stageTurns - mostTurns) * id.index) / plays;
  return episodes.sort((a, b) => startOf(a) - startOf(b));
}

function turnsOf(episodes: readonly PlannedEpisode[]): number {
  return episodes.reduce((sum, { mostTurns }) => sum + mostTurns, 0);
}

async function episodesOfSlot(
  roundId: string,
  slot: number,
  { environmentId, humanHintId }: PlanSlot,
  { services, options }: Work,
): Promise<PlannedEpisode[]> {
  const { texts } = services.store;
  const record = await environmentOf(services.store, environmentId);
  const source = await sourceOf(services.store, record);
  const arms: { readonly arm: Arm; readonly hintId: TextId | null }[] = [{ arm: "plain", hintId: null }];
  if (record.hintId !== null && options.hints !== false) arms.push({ arm: "hinted", hintId: record.hintId });
  if (humanHintId !== null) arms.push({ arm: "hinted-human", hintId: humanHintId });
  const hints = await Promise.all(arms.map(({ hintId }) => (hintId === null ? null : texts.get(hintId))));
  const { plays, hintedPlays = plays } = options;
  return Array.from({ length: plays }, (_, index) =>
    arms.flatMap(({ arm, hintId }, i) =>
      arm === "hinted" && index >= hintedPlays
        ? []
        : [
            {
              id: { roundId, environmentId, arm, index },
              source,
              language: record.language,
              kind: record.kind,
              seed: playSeed(options.seed, slot, index, options.playsPerSeed),
              hint: hints[i] ?? null,
              hintId,
              mostTurns: Math.min(record.maxTurns ?? options.turnCap, options.turnCap),
              key: [options.seed, slot, arm, index],
            },
          ],
    ),
  ).flat();
}

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
