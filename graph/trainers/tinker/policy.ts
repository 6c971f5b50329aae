/**
 * Versions of a policy that lives on a training server: the store keeps where its checkpoints are. The first version is
 * the base model itself, which needs no checkpoint.
 */
import { hash } from "node:crypto";
import { z } from "zod";
import { StoreError } from "../../../config/errors.ts";
import type { PolicyRecord } from "../../../store/records.ts";
import type { Store } from "../../../store/store.ts";

/** Begins the names of models on a training server. */
export const tinkerPrefix = "tinker:";

/** Where a version's weights are, as the text that its record names. */
export const checkpoints = z.object({
  format: z.literal(1),
  baseModel: z.string().min(1),
  /** Of the LoRA weights; null for the base model. */
  loraRank: z.number().int().positive().nullable(),
  /** Weights and optimiser, to train on from; null for the base model. */
  statePath: z.string().nullable(),
  /** Weights to sample from; null for the base model. */
  samplerPath: z.string().nullable(),
});
export type Checkpoints = z.infer<typeof checkpoints>;

export interface TinkerPolicy {
  readonly version: string;
  readonly checkpoints: Checkpoints;
}

/** The base model of a name like `tinker:Qwen/Qwen3-8B`; null for other names. */
export function baseModelOf(name: string): string | null {
  return name.startsWith(tinkerPrefix) && name.length > tinkerPrefix.length
    ? name.slice(tinkerPrefix.length)
    : null;
}

/** One version. Throws `store.not-found` if this model has none of that name, `store.corrupt` if it can't be read. */
export async function loadTinkerPolicy(store: Store, model: string, version: string): Promise<TinkerPolicy> {
  const record = await store.policies.get(version);
  if (record === null || record.provider !== model) {
    throw new StoreError("store.not-found", `There is no version ${version} of ${model}.`);
  }
  return readPolicy(store, record);
}

/** The newest version of a model; stores the base model as its first if there is none. */
export async function loadOrCreateTinkerPolicy(
  store: Store,
  model: string,
  now: number,
): Promise<TinkerPolicy> {
  const known = await store.policies.latest(model);
  if (known !== null) return readPolicy(store, known);
  const base: Checkpoints = {
    format: 1,
    baseModel: baseModelOf(model) ?? model,
    loraRank: null,
    statePath: null,
    samplerPath: null,
  };
  const weightsId = await writeCheckpoints(store, base);
  const version = `tinker-${weightsId.slice(0, 12)}`;
  const first = { version, parent: null, provider: model, weightsId, note: "untrained", createdAt: now };
  if (await store.policies.insert(first)) return { version, checkpoints: base };
  // Another process was sooner.
  const newest = await store.policies.latest(model);
  return newest === null ? { version, checkpoints: base } : readPolicy(store, newest);
}

/** The version that a batch makes of its parent: one batch can make one version only, whoever trains on it. */
export function versionOf(parent: string, batchId: string): string {
  return `tinker-${hash("sha256", `${parent} ${batchId}`).slice(0, 12)}`;
}

export function writeCheckpoints(store: Store, written: Checkpoints): Promise<string> {
  return store.texts.put(JSON.stringify(written));
}

async function readPolicy(store: Store, { version, weightsId }: PolicyRecord): Promise<TinkerPolicy> {
  const text = await store.texts.get(weightsId);
  try {
    return { version, checkpoints: checkpoints.parse(JSON.parse(text)) };
  } catch (cause) {
    throw new StoreError("store.corrupt", `The checkpoints of policy ${version} can't be read.`, { cause });
  }
}
