/**
 * admit: puts every open design through the gates, side by side. Novelty alone has an order: a slot is compared with
 * what was admitted in earlier waves and in the slots before it, whichever of them happens to be judged first.
 */
import type { NoveltyCheck } from "../../sandbox/admission/admission.ts";
import type { NoveltyIndex } from "../../sandbox/admission/novelty-index.ts";
import type { EnvironmentRecord } from "../../store/records.ts";
import { admissionsAtOnce, judge } from "../admission.ts";
import { environmentOf, sourceOf } from "../environment-of.ts";
import { failedGates, rejectionOf } from "../gates.ts";
import { inParallel } from "../in-parallel.ts";
import { noveltyIndexOf, readFingerprint } from "../memory/novelty.ts";
import { environmentIdOf } from "../plan.ts";
import type { RoundNode, State, Work } from "../state.ts";

/** One slot of a wave: it opens its own gate once it is judged, and waits for all the slots before it. */
interface Place {
  readonly slot: number;
  readonly judged: PromiseWithResolvers<void>;
  readonly slotsBefore: Promise<void>;
}

export const admit: RoundNode = async (state, work) => {
  const { services, options, signal, draining } = work;
  const { store } = services;
  const last = state.wave === options.repairs;
  let done = 0;
  work.progress("admit", done, state.open.length);
  const index = noveltyIndexOf(await work.memory());
  for (const slot of state.playable) addTo(index, await environmentOf(store, idOf(state, slot)));

  const admitted: number[] = [...state.playable];
  const rejected: number[] = [];
  await inParallel(
    placesOf(state.open),
    { limit: await admissionsAtOnce(services), signal, draining },
    async ({ slot, judged, slotsBefore }) => {
      try {
        const record = await verdictOn(slot, state, work, index, slotsBefore);
        if (record.status === "admitted") {
          admitted.push(slot);
          addTo(index, record);
        } else {
          rejected.push(slot);
          if (last) await reject(record, work);
        }
        services.emit({
          type: "judged",
          roundId: state.roundId,
          environmentId: record.id,
          admitted: record.status === "admitted",
          failedGates: record.status === "admitted" ? [] : failedGates(record.gates).map(({ gate }) => gate),
          attempt: state.wave,
        });
        judged.resolve();
      } catch (error) {
        judged.reject(error);
        throw error;
      }
      done += 1;
      work.progress("admit", done, state.open.length);
    },
  );
  return { playable: admitted.sort(ascending), open: rejected.sort(ascending) };
};

/** The record with its verdict; one that was judged before the process died is not judged again. */
async function verdictOn(
  slot: number,
  state: State,
  work: Work,
  index: NoveltyIndex,
  slotsBefore: Promise<void>,
): Promise<EnvironmentRecord> {
  const { services, signal } = work;
  const record = await environmentOf(services.store, idOf(state, slot));
  if (record.gates.length > 0) return record;
  let broken: { readonly error: unknown } | null = null;
  const novelty: NoveltyCheck = async (fingerprint) => {
    try {
      await slotsBefore;
    } catch (error) {
      broken = { error };
      throw error;
    }
    return index.nearest(fingerprint);
  };
  const { admitted, name, kind, ...verdict } = await judge(services, {
    source: await sourceOf(services.store, record),
    language: record.language,
    novelty,
    signal,
  });
  // A slot before this one was never judged, so neither is this one: its verdict would not repeat.
  const failed = broken as { readonly error: unknown } | null;
  if (failed !== null) throw failed.error;
  return services.store.environments.update(record.id, (current) => ({
    ...current,
    ...verdict,
    name: name ?? current.name,
    kind: kind ?? current.kind,
    status: admitted ? "admitted" : "designed",
    firstAnswerAdmitted: admitted && current.repairs === 0,
  }));
}

function placesOf(open: readonly number[]): Place[] {
  let slotsBefore = Promise.resolve();
  return open.map((slot) => {
    const judged = Promise.withResolvers<void>();
    const place = { slot, judged, slotsBefore };
    slotsBefore = slotsBefore.then(() => judged.promise);
    // Who waits for it hears of a failure; if nobody does, the slot's own error is enough.
    slotsBefore.catch(() => undefined);
    // Once a slot before has failed, nobody waits for this one.
    judged.promise.catch(() => undefined);
    return place;
  });
}

function reject({ id }: EnvironmentRecord, { services }: Work): Promise<EnvironmentRecord> {
  return services.store.environments.update(id, (current) => ({
    ...current,
    status: "rejected",
    reason: rejectionOf(current.gates),
  }));
}

function addTo(index: NoveltyIndex, record: EnvironmentRecord): void {
  const fingerprint = readFingerprint(record.fingerprint);
  if (fingerprint !== null) index.add(record.id, fingerprint);
}

function idOf(state: State, slot: number): string {
  return environmentIdOf(state.roundId, slot);
}

function ascending(a: number, b: number): number {
  return a - b;
}
