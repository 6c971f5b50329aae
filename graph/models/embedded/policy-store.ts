/** The embedded policy in the store: its newest weights, or the untrained ones as the first version. */
import { StoreError } from "../../../config/errors.ts";
import type { PolicyRecord } from "../../../store/records.ts";
import type { Store } from "../../../store/store.ts";
import { initialWeights, type PolicyWeights, parseWeights, serialiseWeights } from "./weights.ts";

/** The provider under which the store keeps versions of the embedded policy. */
export const embeddedProvider = "embedded";

export interface EmbeddedPolicy {
  readonly weights: PolicyWeights;
  /** `embedded-` and the first 12 digits of the weights' hash: equal weights have one name in every store. */
  readonly version: string;
}

/** One version. Throws `store.not-found` if there is none of that name, `store.corrupt` if it can't be read. */
export async function loadEmbeddedPolicy(store: Store, version: string): Promise<EmbeddedPolicy> {
  const record = await store.policies.get(version);
  if (record === null || record.provider !== embeddedProvider) {
    throw new StoreError("store.not-found", `There is no version ${version} of the embedded policy.`);
  }
  return readPolicy(store, record);
}

async function readPolicy(store: Store, { version, weightsId }: PolicyRecord): Promise<EmbeddedPolicy> {
  const text = await store.texts.get(weightsId);
  try {
    return { weights: parseWeights(text), version };
  } catch (cause) {
    throw new StoreError("store.corrupt", `The weights of policy ${version} can't be read.`, { cause });
  }
}

/**
 * The newest version; stores the untrained weights if there is none. Safe to call from several processes at once.
 * `now`: milliseconds since 1970. Throws `store.corrupt` if the stored weights can't be read.
 */
export async function loadOrCreateEmbeddedPolicy(store: Store, now: number): Promise<EmbeddedPolicy> {
  const known = await store.policies.latest(embeddedProvider);
  if (known !== null) return readPolicy(store, known);
  const weights = initialWeights();
  const weightsId = await store.texts.put(serialiseWeights(weights));
  const version = `${embeddedProvider}-${weightsId.slice(0, 12)}`;
  await store.policies.insert({
    version,
    parent: null,
    provider: embeddedProvider,
    weightsId,
    note: "untrained",
    createdAt: now,
  });
  return { weights, version };
}
