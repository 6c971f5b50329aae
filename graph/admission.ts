/** Admission as the lab does it: one source through the gates, and what an environment's record keeps of the report. */
import type { EnvironmentKind, GateResult, Language } from "../config/words.ts";
import type { NoveltyCheck } from "../sandbox/admission/admission.ts";
import { admit } from "../sandbox/admission/admit.ts";
import { tagsOf } from "../sandbox/admission/tags.ts";
import type { EnvironmentRecord } from "../store/records.ts";
import type { Services } from "./services.ts";

/** Characters of a first observation that a record keeps. */
const observationCharacters = 2_000;

export interface Subject {
  readonly source: string;
  readonly language: Language;
  readonly novelty: NoveltyCheck;
  readonly signal?: AbortSignal;
}

export interface Judged
  extends Pick<EnvironmentRecord, "firstObservation" | "maxTurns" | "tags" | "fingerprint"> {
  readonly admitted: boolean;
  readonly gates: GateResult[];
  /** The class's name; null if it did not load. */
  readonly name: string | null;
  readonly kind: EnvironmentKind | null;
}

/** Runs the gates. Throws SandboxError if the sandbox is at fault, and the signal's reason when aborted. */
export async function judge(services: Services, { source, ...subject }: Subject): Promise<Judged> {
  const report = await admit(source, {
    ...subject,
    sandbox: await services.sandbox(),
    reviewer: services.reviewer,
  });
  subject.signal?.throwIfAborted();
  const { shape, fingerprint } = report;
  return {
    admitted: report.admitted,
    gates: [...report.gates],
    name: shape?.className ?? null,
    kind: shape?.kind ?? null,
    maxTurns: shape?.maxTurns ?? null,
    firstObservation: (report.firstObservation ?? "").slice(0, observationCharacters),
    tags: tagsOf(source),
    fingerprint:
      fingerprint === null
        ? null
        : { structure: [...fingerprint.structure], literals: [...fingerprint.literals] },
  };
}

/** Admissions side by side: enough to keep every host of the sandbox busy. */
export async function admissionsAtOnce(services: Services): Promise<number> {
  return 4 * (await services.sandbox()).stats().hosts;
}
