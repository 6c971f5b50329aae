/** Admits an environment that a person wrote: the same gates as for a designer's, and a place in the lab's list. */
import type { Language } from "../config/words.ts";
import type { EnvironmentRecord } from "../store/records.ts";
import { judge } from "./admission.ts";
import { audit } from "./decisions.ts";
import { classNameOf, maxSourceBytes, refusedGates } from "./design-answer.ts";
import { rejectionOf } from "./gates.ts";
import { loadMemory } from "./memory/memory.ts";
import { noveltyIndexOf } from "./memory/novelty.ts";
import type { Services } from "./services.ts";

export interface EnvironmentFile {
  readonly source: string;
  /** What to call it if it has no class to be named after, e.g. the file's name. */
  readonly name: string;
  readonly language: Language;
}

/**
 * Judges a source and stores it under the next id `f<N>`, admitted or rejected, without a hint. Novelty is held
 * against the environment memory. Throws SandboxError and StoreError.
 */
export async function admitFile(
  services: Services,
  { source, name, language }: EnvironmentFile,
  by: string,
): Promise<EnvironmentRecord> {
  const { store, config } = services;
  const bytes = Buffer.byteLength(source);
  const index = noveltyIndexOf(await loadMemory(store, config.memory.size));
  const judged =
    bytes > maxSourceBytes
      ? null
      : await judge(services, { source, language, novelty: async (print) => index.nearest(print) });
  const gates =
    judged?.gates ?? refusedGates(`The code is ${bytes} bytes long; at most ${maxSourceBytes} are taken.`);
  const record: EnvironmentRecord = {
    id: `f${await store.nextNumber("file")}`,
    roundId: null,
    slot: null,
    name: judged?.name ?? classNameOf(source) ?? name,
    kind: judged?.kind ?? (source.includes("ToolUseBaseEnv") ? "tool-use" : "game"),
    language,
    skill: null,
    difficulty: null,
    documentId: null,
    brief: null,
    status: judged?.admitted === true ? "admitted" : "rejected",
    reason: judged?.admitted === true ? null : rejectionOf(gates),
    sourceId: await store.texts.put(source),
    gates,
    repairs: 0,
    firstAnswerAdmitted: false,
    hintId: null,
    firstObservation: judged?.firstObservation ?? "",
    maxTurns: judged?.maxTurns ?? null,
    tags: judged?.tags ?? [],
    fingerprint: judged?.fingerprint ?? null,
    designer: { model: by, policyVersion: null, decisions: null, conversationId: null },
    score: null,
    createdAt: services.now(),
  };
  await store.environments.insert(record);
  await audit(services, by, "environment.admit-file", record.id, `${name}: ${record.status}`);
  return record;
}
