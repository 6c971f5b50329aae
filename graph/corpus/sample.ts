/** The draw of a document that a design is grounded on. */
import { InputError } from "../../config/errors.ts";
import type { Random } from "../../config/random.ts";
import type { DocumentRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";

export interface SampledDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly record: DocumentRecord;
}

/**
 * One document, uniformly: of `ids` if any are given (those that were removed since don't count), otherwise of the
 * whole corpus. The draw depends on `random` and on which documents there are, never on when they came. Null if the
 * corpus is empty; throws `input.not-found` if `ids` are given and none of them is there any more.
 */
export async function sampleDocument(
  store: Pick<Store, "documents" | "texts">,
  random: Random,
  ids: readonly string[] = [],
): Promise<SampledDocument | null> {
  const all = await store.documents.ids();
  const wanted = new Set(ids);
  const candidates = ids.length === 0 ? all : all.filter((id) => wanted.has(id));
  if (candidates.length === 0) {
    if (ids.length === 0) return null;
    throw new InputError("input.not-found", `None of the documents ${ids.join(", ")} is in the corpus.`);
  }
  const record = await store.documents.get(random.pick(candidates));
  // Removed between the two calls: by then it is as if it had never been drawn from.
  if (record === null) return sampleDocument(store, random, ids);
  return { id: record.id, title: record.title, text: await store.texts.get(record.textId), record };
}
