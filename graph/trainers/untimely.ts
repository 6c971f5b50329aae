/** Which batches a trainer refuses for their time: those that it trained on before, and those of a version that is not the newest. */
import { TrainerError } from "../../config/errors.ts";
import type { Store } from "../../store/store.ts";
import type { Batch } from "./trainer.ts";

/** Batches that are looked for among the newest version's ancestors before one counts as new. */
const rememberedBatches = 1_000;

/** Throws `trainer.duplicate` and `trainer.stale`; passes a batch that the newest version made. */
export async function refuseUntimely(
  { policies }: Pick<Store, "policies">,
  { id, policyVersion }: Pick<Batch, "id" | "policyVersion">,
  newest: string,
): Promise<void> {
  if (policyVersion === newest) return;
  let version: string | null = newest;
  for (let looked = 0; version !== null && looked < rememberedBatches; looked += 1) {
    const record = await policies.get(version);
    if (record?.batchId === id) throw duplicate(id, version);
    version = record?.parent ?? null;
  }
  throw new TrainerError(
    "trainer.stale",
    `Batch ${id} was made by ${policyVersion}, and the newest version is ${newest}.`,
    { data: { batch: id, made: policyVersion, newest } },
  );
}

/** `data.version` names what came of the batch. */
export function duplicate(batch: string, version: string): TrainerError {
  return new TrainerError("trainer.duplicate", `Batch ${batch} made ${version} already.`, {
    data: { batch, version },
  });
}
