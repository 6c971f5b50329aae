/** Options and look-ups that several commands share, so that they are called and refused the same everywhere. */
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import type { Config } from "../../config/schema.ts";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import type { DocumentRecord, EnvironmentRecord, RoundRecord } from "../../store/records.ts";
import type { Page, PageRequest, Store } from "../../store/store.ts";
import { type Caller, requireRole } from "../caller.ts";
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

export const campaignArgument = {
  kind: "campaign",
  summary: "the campaign's id",
  schema: id,
  argument: true,
  placeholder: "CAMPAIGN",
} as const satisfies OptionDefinition<string>;

export const documentArgument = {
  kind: "document",
  summary: "the document's id",
  schema: id,
  argument: true,
  placeholder: "ID",
} as const satisfies OptionDefinition<string>;

/** What a hint command takes: the environment, and the hint. */
export const hintOptions = {
  id: environmentArgument,
  text: {
    kind: "long-text",
    summary: "the hint",
    schema: z.string().trim().min(1).max(2_000),
    argument: true,
    placeholder: "TEXT",
  },
} as const satisfies Record<string, OptionDefinition>;

/** Entries that a list shows people when they name no number; programs get all. */
const shownEntries = 50;

export const limitOption = {
  kind: "whole-number",
  summary: "entries at most",
  schema: z.number().int().min(1).max(1_000_000).optional(),
  placeholder: "N",
  fallback: `${shownEntries}`,
} as const satisfies OptionDefinition<number | undefined>;

/** What a list shows people of the entries that were found, and whether there are more. */
export function shownOf<T>(
  { items, more }: Collected<T>,
  limit: number | undefined,
): { readonly shown: readonly T[]; readonly more: boolean } {
  const shown = items.slice(0, limit ?? shownEntries);
  return { shown, more: more || shown.length < items.length };
}

const seedSchema = z.number().int().min(0).max(2_147_483_647).optional();

export const seedOption = {
  kind: "whole-number",
  summary: "seed of every random draw",
  schema: seedSchema,
  placeholder: "N",
  fallback: "random, and printed",
} as const satisfies OptionDefinition<number | undefined>;

/** Everybody who may start rounds may use the lab's model; another one takes an admin. Throws `input.not-allowed`. */
export function requireModel(
  given: string | undefined,
  { model }: Pick<Config, "model">,
  caller: Caller,
  command: string,
): void {
  if (given !== undefined && given !== model)
    requireRole(caller, "admin", `${command} with the model ${given}`);
}

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
export async function campaignOf(store: Store, campaignId: string): Promise<CampaignRecord> {
  const record = await store.campaigns.get(campaignId);
  if (record !== null) return record;
  throw new InputError("input.not-found", `There is no campaign "${campaignId}".`);
}

/** Throws `input.not-found`. */
export async function documentOf(store: Store, documentId: string): Promise<DocumentRecord> {
  const record = await store.documents.get(documentId);
  if (record !== null) return record;
  throw new InputError("input.not-found", `There is no document "${documentId}".`);
}

const pageSize = 200;

export interface Collected<T> {
  readonly items: readonly T[];
  readonly more: boolean;
}

/** The first `limit` entries of a listing that `keep` lets through, all without a limit; and whether there are more. */
export async function collect<T>(
  list: (page: PageRequest) => Promise<Page<T>>,
  limit: number | undefined = undefined,
  keep: (item: T) => boolean = () => true,
): Promise<Collected<T>> {
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
