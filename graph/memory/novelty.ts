/** The novelty index of the memory: what a new environment must not be a near-copy of. */
import { z } from "zod";
import type { Fingerprint } from "../../sandbox/admission/fingerprint.ts";
import { NoveltyIndex } from "../../sandbox/admission/novelty-index.ts";
import type { EnvironmentMemory } from "./memory.ts";

const unsigned = z.number().int().min(0).max(0xffff_ffff);
const storedFingerprint = z
  .object({ structure: z.array(unsigned), literals: z.array(unsigned) })
  .refine((value) => value.structure.length === value.literals.length, "signatures of different lengths");

/** A fingerprint as a record keeps it; null if there is none, or one that this version can't compare. */
export function readFingerprint(value: unknown): Fingerprint | null {
  const parsed = storedFingerprint.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/** An index over every fingerprint in memory, to which a round adds its own designs as they are admitted. */
export function noveltyIndexOf(memory: EnvironmentMemory): NoveltyIndex {
  const index = new NoveltyIndex();
  for (const entry of memory.entries) {
    const fingerprint = readFingerprint(entry.fingerprint);
    if (fingerprint !== null) index.add(entry.id, fingerprint);
  }
  return index;
}
