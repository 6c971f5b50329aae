/** `env show`: everything the lab knows of one environment. */
import type { Arm } from "../../config/words.ts";
import { clusteredEstimate, humanLift } from "../../graph/rewards/statistics.ts";
import type { EnvironmentRecord, EpisodeRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { environmentCard } from "../cards/environment-card.ts";
import { defineCommand } from "./command.ts";
import { collect, environmentArgument, environmentOf } from "./shared.ts";

function peoplesPlays(episodes: readonly EpisodeRecord[]) {
  return ofArm(episodes, "human").map((episode) => ({
    episodeId: episode.id,
    player: episode.player,
    seed: episode.seed,
    return: episode.return,
    turns: episode.turns,
    hintRevealed: episode.hintId !== null,
  }));
}

/** The models that played it, version by version, in the order of their first play. */
function modelsPlays(episodes: readonly EpisodeRecord[]) {
  const own = episodes.filter(({ arm }) => arm !== "human");
  const byVersion = Map.groupBy(own, ({ player, policyVersion }) => JSON.stringify([player, policyVersion]));
  return [...byVersion.values()].flatMap((plays) => {
    const [first] = plays;
    if (first === undefined) return [];
    const { mean } = clusteredEstimate(
      ofArm(plays, "plain").flatMap(({ return: value, seed }) =>
        value === null ? [] : [{ value, cluster: seed }],
      ),
    );
    return [
      {
        player: first.player,
        policyVersion: first.policyVersion,
        plays: plays.length,
        meanPlainReturn: mean,
      },
    ];
  });
}

const ofArm = (episodes: readonly EpisodeRecord[], arm: Arm): EpisodeRecord[] =>
  episodes.filter((episode) => episode.arm === arm);

async function detailsOf(store: Store, record: EnvironmentRecord) {
  const hints = await store.hints.ofEnvironment(record.id);
  const { items: episodes } = await collect((page) => store.episodes.ofEnvironment(record.id, page));
  const lift = humanLift(ofArm(episodes, "hinted-human"), ofArm(episodes, "hinted"));
  const document = record.documentId === null ? null : await store.documents.get(record.documentId);
  return {
    record,
    hint: record.hintId === null ? null : await store.texts.get(record.hintId),
    peoplesHints: await Promise.all(
      hints.map(async (hint) => ({
        id: hint.id,
        author: hint.author,
        text: await store.texts.get(hint.textId),
      })),
    ),
    peoplesPlays: peoplesPlays(episodes),
    modelsPlays: modelsPlays(episodes),
    lift: { humanLift: lift.mean, humanLiftStderr: lift.stderr },
    documentTitle: document?.title ?? null,
  };
}

export const envShow = defineCommand({
  name: "env show",
  summary: "Show an environment: gates, hint, first observation, statistics",
  role: "viewer",
  options: { id: environmentArgument },
  async run({ id }, _caller, context) {
    const { store } = await context.services();
    const details = await detailsOf(store, await environmentOf(store, id));
    const { fingerprint: _, sourceId: __, hintId: ___, designer, ...record } = details.record;
    return {
      card: environmentCard(details),
      json: {
        ...record,
        designer: { model: designer.model, policyVersion: designer.policyVersion },
        hint: details.hint,
        peoplesHints: details.peoplesHints,
        ...details.lift,
        peoplesPlays: details.peoplesPlays,
        modelsPlays: details.modelsPlays,
      },
    };
  },
});
