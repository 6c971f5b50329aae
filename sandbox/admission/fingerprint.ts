/** What of a source counts when two environments are compared: its structure and its literals, names left out. */
export interface Fingerprint {
  /** MinHash signature of the structure, names and literals left out. Unsigned 32-bit integers, fixed length. */
  readonly structure: readonly number[];
  /** MinHash signature of the literals (numbers, and what of the strings matters to the rules). Same length. */
  readonly literals: readonly number[];
}
