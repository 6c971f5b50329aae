/** The embedded policy in the store: its newest weights, or the untrained ones as the first version. */
import { StoreError } from "../../../config/errors.ts";
import type { Store } from "../../../store/store.ts";
import { initialWeights, type PolicyWeights, parseWeights, serialiseWeights } from "./weights.ts";

/** The provider under which the store keeps versions of the embedded policy. */
export const embeddedProvider = "embedded";

export interface EmbeddedPolicy {
  readonly weights: PolicyWeights;
  /** `embedded-` and the first 12 digits of the weights' hash: equal weights have one name in every store. */
  readonly version: string;
}

/**
 * The newest version; stores the untrained weights if there is none. Safe to call from several processes at once.
 * `now`: milliseconds since 1970. Throws `store.corrupt` if the stored weights can't be read.
 */
export async function loadOrCreateEmbeddedPolicy(store: Store, now: number): Promise<EmbeddedPolicy> {
  const known = await store.policies.latest(embeddedProvider);
  if (known !== null) {
    const text = await store.texts.get(known.weightsId);
    try {
      return { weights: parseWeights(text), version: known.version };
    } catch (cause) {
      throw new StoreError("store.corrupt", `The weights of policy ${known.version} can't be read.`, {
        cause,
      });
    }
  }
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
