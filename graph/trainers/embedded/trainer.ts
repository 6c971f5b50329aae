/** The embedded policy's trainer: each batch makes one new version of the weights in the store. */
import { hash } from "node:crypto";
import { TrainerError } from "../../../config/errors.ts";
import type { Store } from "../../../store/store.ts";
import { embeddedProvider, loadOrCreateEmbeddedPolicy } from "../../models/embedded/policy-store.ts";
import { serialiseWeights } from "../../models/embedded/weights.ts";
import { type Batch, type PolicyUpdate, type Trainer, updateStatistics } from "../trainer.ts";
import { duplicate, refuseUntimely } from "../untimely.ts";
import { defaultSettings, type UpdateSettings, updatedPolicy } from "./update.ts";

export interface EmbeddedTrainerOptions {
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly settings?: UpdateSettings;
}

export function createEmbeddedTrainer({
  store,
  now,
  settings = defaultSettings,
}: EmbeddedTrainerOptions): Trainer {
  return {
    name: embeddedProvider,
    async update(batch): Promise<PolicyUpdate> {
      const newest = await loadOrCreateEmbeddedPolicy(store, now());
      await refuseUntimely(store, batch, newest.version);
      const { weights, statistics } = updatedOf(batch, newest.weights, settings);
      const weightsId = await store.texts.put(serialiseWeights(weights));
      const version = `${embeddedProvider}-${hash("sha256", `${newest.version} ${batch.id} ${weightsId}`).slice(0, 12)}`;
      const inserted = await store.policies.insert({
        version,
        parent: newest.version,
        provider: embeddedProvider,
        weightsId,
        batchId: batch.id,
        statistics: updateStatistics.parse(statistics),
        note: `trained on ${batch.roundIds.join(", ")}`,
        createdAt: now(),
      });
      if (!inserted) {
        // Meanwhile somebody made another version, as a rollback does, or trained on the same batch.
        const overtaking = await loadOrCreateEmbeddedPolicy(store, now());
        await refuseUntimely(store, batch, overtaking.version);
        throw duplicate(batch.id, version);
      }
      return { version, parent: newest.version, statistics };
    },
  };
}

function updatedOf(batch: Batch, ...given: [Parameters<typeof updatedPolicy>[0], UpdateSettings]) {
  const [weights, settings] = given;
  try {
    return updatedPolicy(weights, batch, settings);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new TrainerError(
      "trainer.bad-batch",
      `Batch ${batch.id} fits no policy of ours: ${cause.message}.`,
      {
        cause,
      },
    );
  }
}
