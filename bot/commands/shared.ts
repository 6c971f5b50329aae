/** Options and look-ups that several commands share, so that they are called and refused the same everywhere. */
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import type { DocumentRecord, EnvironmentRecord, RoundRecord } from "../../store/records.ts";
import type { Page, PageRequest, Store } from "../../store/store.ts";
import type { OptionDefinition } from "./option.ts";

const id = z.string().trim().min(1).max(200);

export const environmentArgument = {
  kind: "environment",
  summary: "the environment's id",
  schema: id,
  argument: true,
  placeholder: "ENV",
} as const satisfies OptionDefinition<string>;

export const roundArgument = {
  kind: "round",
  summary: "the round's id",
  schema: id,
  argument: true,
  placeholder: "ROUND",
} as const satisfies OptionDefinition<string>;

export const documentArgument = {
  kind: "document",
  summary: "the document's id",
  schema: id,
  argument: true,
  placeholder: "ID",
} as const satisfies OptionDefinition<string>;

/** How many entries a list shows. */
export const limitOption = {
  kind: "whole-number",
  summary: "entries at most",
  schema: z.number().int().min(1).max(10_000).default(50),
  placeholder: "N",
  fallback: "50",
} as const satisfies OptionDefinition<number>;

const seedSchema = z.number().int().min(0).max(2_147_483_647).optional();

export const seedOption = {
  kind: "whole-number",
  summary: "seed of every random draw",
  schema: seedSchema,
  placeholder: "N",
  fallback: "random, and printed",
} as const satisfies OptionDefinition<number | undefined>;

/** Throws `input.not-found`. */
export async function environmentOf(store: Store, environmentId: string): Promise<EnvironmentRecord> {
  const record = await store.environments.get(environmentId);
  if (record !== null) return record;
  throw new InputError("input.not-found", `There is no environment "${environmentId}".`);
}

/** Throws `input.not-found`. */
export async function roundOf(store: Store, roundId: string): Promise<RoundRecord> {
  const record = await store.rounds.get(roundId);
  if (record !== null) return record;
  throw new InputError("input.not-found", `There is no round "${roundId}".`);
}

/** Throws `input.not-found`. */
export async function documentOf(store: Store, documentId: string): Promise<DocumentRecord> {
  const record = await store.documents.get(documentId);
  if (record !== null) return record;
  throw new InputError("input.not-found", `There is no document "${documentId}".`);
}

const pageSize = 200;

/** The first `limit` entries of a listing that `keep` lets through, and whether there are more. */
export async function collect<T>(
  list: (page: PageRequest) => Promise<Page<T>>,
  limit: number,
  keep: (item: T) => boolean = () => true,
): Promise<{ readonly items: readonly T[]; readonly more: boolean }> {
  const items: T[] = [];
  let after: string | undefined;
  do {
    const page = await list({ limit: pageSize, after });
    for (const item of page.items.filter(keep)) {
      if (items.length === limit) return { items, more: true };
      items.push(item);
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  return { items, more: false };
}
