/** `env show`: everything the lab knows of one environment. */
import type { EnvironmentRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { environmentCard } from "../cards/environment-card.ts";
import { defineCommand } from "./command.ts";
import { collect, environmentArgument, environmentOf } from "./shared.ts";

async function peoplesPlays(store: Store, environmentId: string) {
  const { items } = await collect(
    (page) => store.episodes.ofEnvironment(environmentId, page),
    undefined,
    ({ arm }) => arm === "human",
  );
  return items.map((episode) => ({
    episodeId: episode.id,
    player: episode.player,
    seed: episode.seed,
    return: episode.return,
    turns: episode.turns,
    hintRevealed: episode.hintId !== null,
  }));
}

async function detailsOf(store: Store, record: EnvironmentRecord) {
  const hints = await store.hints.ofEnvironment(record.id);
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
    peoplesPlays: await peoplesPlays(store, record.id),
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
        peoplesPlays: details.peoplesPlays,
      },
    };
  },
});
