/**
 * The fingerprint of a source: what counts when two environments are compared. Structure is the shape of the syntax
 * tree, names and literals left out; literals are the numbers, patterns and tables that the rules are made of. Both
 * are MinHash signatures (Broder 1997), so that two fingerprints compare in the time of one pass over 128 numbers.
 */
import type { Program } from "acorn";
import { type Bag, features, hashOf } from "./fingerprint-features.ts";
import { parseSource } from "./source.ts";

/** What of a source counts when two environments are compared: its structure and its literals, names left out. */
export interface Fingerprint {
  /** MinHash signature of the structure, names and literals left out. Unsigned 32-bit integers, fixed length. */
  readonly structure: readonly number[];
  /** MinHash signature of the literals (numbers, and what of the strings matters to the rules). Same length. */
  readonly literals: readonly number[];
}

/** Numbers in a signature: the estimate of a similarity of 0.9 has a standard error of 0.027. */
export const signatureLength = 128;

/** The fingerprint of a JavaScript source; null if it does not parse or is nested too deeply to be walked. */
export function fingerprintOf(source: string): Fingerprint | null {
  const parsed = parseSource(source);
  return parsed.ok ? fingerprintOfProgram(parsed.program) : null;
}

/** The same for a source that was parsed before. */
export function fingerprintOfProgram(program: Program): Fingerprint | null {
  try {
    const { structure, literals } = features(program);
    return { structure: signatureOf(structure), literals: signatureOf(literals) };
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}

/**
 * How alike two sources are, in [0, 1]; 1 = the same structure and literals. It is the mean of the two estimated
 * Jaccard similarities, so that neither many renamed parts nor a few changed numbers alone make an environment new.
 * Signatures of different lengths have nothing in common.
 */
export function similarity(a: Fingerprint, b: Fingerprint): number {
  return (agreement(a.structure, b.structure) + agreement(a.literals, b.literals)) / 2;
}

function agreement(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length || a.length === 0) return 0;
  let same = 0;
  for (let i = 0; i < a.length; i += 1) if (a[i] === b[i]) same += 1;
  return same / a.length;
}

/** One salt per row, fixed for ever: stored fingerprints stay comparable. */
const salts = Uint32Array.from({ length: signatureLength }, (_, row) => mix(0x9e37_79b9 * (row + 1)));

/** A feature that is there more often counts no more: long tables are no rules. */
const repeatsCounted = 8;

function signatureOf(bag: Bag): number[] {
  const hashes: number[] = [];
  for (const [hash, count] of bag) {
    hashes.push(hash);
    // The second `x` is the feature `x#2`, so that sizes matter and not only kinds.
    for (let i = 2; i <= count && i <= repeatsCounted; i += 1) hashes.push(hashOf(`#${i}`, hash));
  }
  const features = Int32Array.from(hashes);
  return Array.from(salts, (salt) => lowest(features, salt));
}

/** The lowest value that a feature has in the row of a salt. */
function lowest(features: Int32Array, salt: number): number {
  let least = 0xffff_ffff;
  for (let i = 0; i < features.length; i += 1) {
    const value = mix((features[i] ?? 0) ^ salt);
    if (value < least) least = value;
  }
  return least;
}

/** The finalizer of MurmurHash3: a bijection of 32-bit integers that behaves like a random one. */
function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85eb_ca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2_ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
