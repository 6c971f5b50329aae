/** Environments of a round that must be in the store, with their texts. */
import { StoreError } from "../config/errors.ts";
import type { EnvironmentRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";

/** Throws `store.not-found` if it is gone. */
export async function environmentOf(
  store: Pick<Store, "environments">,
  id: string,
): Promise<EnvironmentRecord> {
  const record = await store.environments.get(id);
  if (record === null) throw new StoreError("store.not-found", `Environment ${id} is not in the store.`);
  return record;
}

/** The source of an environment that was admitted. Throws `store.not-found` if it has none. */
export async function sourceOf(store: Pick<Store, "texts">, record: EnvironmentRecord): Promise<string> {
  if (record.sourceId === null) {
    throw new StoreError("store.not-found", `Environment ${record.id} has no source in the store.`);
  }
  return store.texts.get(record.sourceId);
}
