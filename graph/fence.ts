/**
 * A store whose records can be changed only by the process that holds the round. One that was stopped for longer than
 * its lease lasts may wake up in the middle of anything, with writes that are no longer its own to make.
 */
import type { Store } from "../store/store.ts";

/** `confirm` throws if the round was taken over. Texts say the same whoever writes them, and pass. */
export function fenced(store: Store, confirm: () => Promise<void>): Store {
  const { environments, episodes, rounds, approvals, averages } = store;
  const held =
    <A extends unknown[], R>(write: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await confirm();
      return write(...args);
    };
  return {
    ...store,
    environments: {
      ...environments,
      insert: held((record) => environments.insert(record)),
      update: held((id, change) => environments.update(id, change)),
    },
    episodes: {
      ...episodes,
      insert: held((record) => episodes.insert(record)),
      insertWithTranscripts: held((written) => episodes.insertWithTranscripts(written)),
    },
    rounds: { ...rounds, update: held((id, change) => rounds.update(id, change)) },
    approvals: { ...approvals, ask: held((round, id, at) => approvals.ask(round, id, at)) },
    averages: { ...averages, put: held((record) => averages.put(record)) },
  };
}
